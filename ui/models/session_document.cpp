// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/session_document.h"

#include <algorithm>

#include "schedule/strategy.h"

namespace remat::ui {

namespace {

bool isFinal(core::RunStatus status)
{
    return status == core::RunStatus::done || status == core::RunStatus::doesNotFit
        || status == core::RunStatus::failed;
}

/// A later run replaces an earlier one of its strategy, unless that would hide a result behind a run without any.
void put(std::vector<core::Point> &points, const core::Point &point)
{
    const auto same = std::find_if(points.begin(), points.end(),
                                   [&](const core::Point &p) { return p.strategy == point.strategy; });
    if (same == points.end())
        points.push_back(point);
    else if (isFinal(point.status) || !isFinal(same->status))
        *same = point;
}

} // namespace

SessionDocument::SessionDocument(QObject *parent) : QObject(parent) { }

SessionDocument::~SessionDocument() = default;

core::Result<void> SessionDocument::setReader(std::unique_ptr<SessionReader> reader)
{
    std::swap(m_reader, reader);
    m_recordings.clear();
    m_live.clear();
    m_costs.reset();
    m_current = 0;
    if (auto read = readAll(); !read) {
        std::swap(m_reader, reader);
        (void)readAll(); // the source from before was readable; if it no longer is, its lists simply stay
        return read;
    }
    Q_EMIT opened();
    Q_EMIT pointsChanged();
    return {};
}

core::Result<void> SessionDocument::readAll()
{
    if (!m_reader) {
        m_workloads.clear();
        m_runs.clear();
        rebuildPoints();
        return {};
    }
    const auto version = m_reader->version();
    auto workloads = m_reader->workloads();
    auto runs = m_reader->runs();
    if (!version)
        return version.error();
    if (!workloads)
        return workloads.error();
    if (!runs)
        return runs.error();
    m_version = *version;
    const bool grown = workloads->size() > m_workloads.size();
    m_workloads = std::move(workloads).value();
    m_runs = std::move(runs).value();
    if (!m_workloads.empty() && (!current() || grown))
        m_current = m_workloads.back().id;
    if (const auto *workload = current()) {
        auto costs = m_reader->costs(workload->id);
        if (!costs)
            return costs.error();
        if (*costs)
            m_costs = std::move(costs).value();
    }
    rebuildPoints();
    return {};
}

QString SessionDocument::path() const
{
    return m_reader ? m_reader->path() : QString();
}

const core::StoredWorkload *SessionDocument::current() const
{
    const auto found = std::find_if(m_workloads.begin(), m_workloads.end(),
                                    [this](const core::StoredWorkload &w) { return w.id == m_current; });
    return found == m_workloads.end() ? nullptr : &*found;
}

void SessionDocument::setCurrent(std::int64_t workload)
{
    if (m_current == workload)
        return;
    m_current = workload;
    m_costs.reset();
    m_live.clear();
    (void)readAll(); // on failure the lists stay as they were, which is what is shown
    Q_EMIT pointsChanged();
}

const core::Point *SessionDocument::point(const QString &strategy) const
{
    const std::string text = strategy.toStdString();
    const auto found
        = std::find_if(m_points.begin(), m_points.end(), [&](const core::Point &p) { return p.strategy == text; });
    return found == m_points.end() ? nullptr : &*found;
}

std::optional<core::Schedule> SessionDocument::schedule(const QString &strategy) const
{
    const auto parsed = core::parseStrategy(strategy.toStdString());
    if (!parsed)
        return std::nullopt;
    const bool isPlan = parsed->kind == core::StrategyKind::budget || parsed->kind == core::StrategyKind::file;
    const core::Point *p = isPlan ? point(strategy) : nullptr;
    if (p && m_reader) {
        auto stored = m_reader->schedule(p->run);
        if (stored && stored->stages == shape().stages())
            return std::move(stored).value();
    }
    auto made = core::makeSchedule(*parsed, shape());
    return made ? std::optional(std::move(made).value()) : std::nullopt;
}

std::shared_ptr<const core::Recording> SessionDocument::recording(const QString &strategy) const
{
    const core::Point *p = point(strategy);
    if (!m_reader || !p || p->status != core::RunStatus::done)
        return nullptr;
    if (const auto known = m_recordings.find(p->run); known != m_recordings.end())
        return known->second;
    auto read = m_reader->recording(p->run);
    if (!read || read->events.empty())
        return nullptr;
    auto shared = std::make_shared<const core::Recording>(std::move(read).value());
    m_recordings[p->run] = shared;
    return shared;
}

std::vector<core::KeptBlock> SessionDocument::keptBlocks(const QString &strategy) const
{
    const core::Point *p = point(strategy);
    if (!m_reader || !p || p->status != core::RunStatus::done)
        return {};
    auto read = m_reader->keptBlocks(p->run);
    return read ? std::move(read).value() : std::vector<core::KeptBlock>();
}

core::ChainShape SessionDocument::shape() const
{
    const auto *workload = current();
    return workload ? chainShape(workload->model, workload->workload) : core::ChainShape();
}

core::Result<void> SessionDocument::refresh()
{
    if (!m_reader)
        return {};
    const auto version = m_reader->version();
    if (version && *version == m_version && m_live.empty())
        return {};
    auto read = readAll();
    Q_EMIT pointsChanged();
    return read;
}

void SessionDocument::applyPoint(const core::Point &point)
{
    const auto same = std::find_if(m_live.begin(), m_live.end(),
                                   [&](const core::Point &p) { return p.strategy == point.strategy; });
    if (same == m_live.end())
        m_live.push_back(point);
    else
        *same = point;
    if (!refresh()) // the file may be busy for a moment; the live point is shown all the same
        rebuildPoints();
    Q_EMIT pointsChanged();
}

void SessionDocument::applyCosts(const core::ChainCosts &costs)
{
    m_costs = costs;
    Q_EMIT pointsChanged();
}

void SessionDocument::dropLive()
{
    m_live.clear();
    (void)refresh();
    rebuildPoints();
    Q_EMIT pointsChanged();
}

void SessionDocument::rebuildPoints()
{
    m_points.clear();
    for (const core::StoredRun &run : m_runs) {
        if (run.workload == m_current && !run.hidden)
            put(m_points, run.point);
    }
    for (const core::Point &live : m_live)
        put(m_points, live);
}

} // namespace remat::ui
