// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/limits_model.h"

#include <cmath>
#include <utility>

#include "models/text.h"
#include "models/time_source.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

QString text(const std::string &words)
{
    return QString::fromStdString(words);
}

/// "98.1 MiB → 61.3 MiB"
QString changeText(core::Bytes now, core::Bytes then)
{
    return LimitsModel::tr("%1 → %2").arg(bytesText(now), bytesText(then));
}

QString exactChangeText(core::Bytes now, core::Bytes then)
{
    return LimitsModel::tr("%1 → %2").arg(exactBytesText(now), exactBytesText(then));
}

/// What is reached along one dimension: size, peak and rate, from a column on.
void addReach(TextTableModel::Row &row, const core::Reach &reach, bool rough)
{
    if (reach.size == 0) {
        row.texts.insert(row.texts.end(), {LimitsModel::tr("nothing fits"), u"–"_s, u"–"_s});
        row.toolTips.insert(row.toolTips.end(), {LimitsModel::tr("Not even one fits this budget."), {}, {}});
        row.numbers.insert(row.numbers.end(), {0.0, 0.0, 0.0});
        return;
    }
    const QString size = countText(reach.size);
    const QString rate = countText(std::llround(reach.expected.tokensPerSecond));
    row.texts.insert(row.texts.end(),
                     {reach.isLimit ? LimitsModel::tr("%1, the end").arg(size) : size, bytesText(reach.expected.peak),
                      rough ? u"≈ "_s + rate : rate});
    row.toolTips.insert(
        row.toolTips.end(),
        {reach.isLimit ? LimitsModel::tr("Memory allows more, but the model or this program ends there.") : QString(),
         exactBytesText(reach.expected.peak),
         LimitsModel::tr("a step takes %1").arg(durationText(reach.expected.step))});
    row.numbers.insert(
        row.numbers.end(),
        {static_cast<double>(reach.size), static_cast<double>(reach.expected.peak), reach.expected.tokensPerSecond});
}

/// Only what the lever is: the rest of its workload has been filled in for the computation.
core::Workload pulled(core::Workload workload, const core::Lever &lever)
{
    switch (lever.kind) {
    case core::LeverKind::chunkedLoss:
        workload.lossChunks = lever.workload.lossChunks;
        break;
    case core::LeverKind::updateInBackward:
        workload.updateInBackward = lever.workload.updateInBackward;
        break;
    case core::LeverKind::bf16:
    case core::LeverKind::mixedBf16:
        workload.dtype = lever.workload.dtype;
        break;
    case core::LeverKind::accumulation:
        workload.batch = lever.workload.batch;
        workload.microBatches = lever.workload.microBatches;
        break;
    case core::LeverKind::fusedAttention:
        workload.attention = lever.workload.attention;
        break;
    }
    return workload;
}

} // namespace

core::Result<ReachAnswer> reachAnswer(const core::ModelConfig &model, const core::Workload &workload,
                                      core::Bytes budget, const core::CostsAt &costsAt)
{
    auto batches = core::reachOf(core::Dimension::batch, model, workload, budget, costsAt);
    if (!batches)
        return batches.error();
    auto lengths = core::reachOf(core::Dimension::sequence, model, workload, budget, costsAt);
    if (!lengths)
        return lengths.error();
    return ReachAnswer{std::move(*batches), std::move(*lengths)};
}

LimitsModel::LimitsModel(SetupModel &setup, QObject *parent) : QObject(parent), m_setup(setup), m_device(u"a100-80gb"_s)
{
    m_levers = new TextTableModel({{tr("What to type"), false},
                                   {tr("Peak of none"), true},
                                   {tr("Smallest possible"), true},
                                   {tr("Step"), true},
                                   {tr("What else it changes"), false}},
                                  this);
    m_reaches = new TextTableModel({{tr("Strategy"), false},
                                    {tr("Largest batch"), true},
                                    {tr("Peak there"), true},
                                    {tr("Tokens/s"), true},
                                    {tr("Longest sequence"), true},
                                    {tr("Peak there"), true},
                                    {tr("Tokens/s"), true}},
                                   this);
    connect(&m_limitsTask, &LatestTask::settled, this, &LimitsModel::limitsChanged);
    connect(&m_reachTask, &LatestTask::settled, this, &LimitsModel::reachChanged);
}

void LimitsModel::askLimits()
{
    const auto workload = m_setup.resolved();
    const auto costs = costsByFormula(m_device);
    if (!workload || !costs) {
        m_limitsTask.cancel();
        takeLimits(!workload ? workload.error() : costs.error());
        return;
    }
    if (m_limits && !busyLimits() && m_askedDevice == m_device && m_setup.isSetUpAs(m_askedModel, m_askedWorkload))
        return;
    m_askedDevice = m_device;
    m_askedModel = m_setup.model();
    m_askedWorkload = *workload;
    m_limitsTask.start([this, model = m_setup.model(), workload = *workload,
                        costs = *costs](const std::stop_token &stop, const LatestTask::Deliver &deliver) {
        auto limits = core::limitsOf(model, workload, stoppable(costs, stop));
        deliver([this, limits = std::move(limits)]() mutable { takeLimits(std::move(limits)); });
    });
    Q_EMIT limitsChanged();
}

void LimitsModel::askReach(const QString &budget)
{
    const auto workload = m_setup.resolved();
    const auto bytes = core::parseBytes(budget.trimmed().toStdString());
    const auto costs = costsByFormula(m_device);
    if (!workload || !bytes || !costs) {
        m_reachTask.cancel();
        takeReach(!workload ? workload.error() : !bytes ? bytes.error() : costs.error());
        return;
    }
    m_reachDevice = m_device;
    m_reachTask.start([this, model = m_setup.model(), workload = *workload, bytes = *bytes,
                       costs = *costs](const std::stop_token &stop, const LatestTask::Deliver &deliver) {
        auto reach = reachAnswer(model, workload, bytes, stoppable(costs, stop));
        deliver([this, reach = std::move(reach)]() mutable { takeReach(std::move(reach)); });
    });
    Q_EMIT reachChanged();
}

void LimitsModel::takeLimits(core::Result<core::Limits> limits)
{
    m_limitsProblem = limits ? QString() : text(limits.error().message);
    m_limits = limits ? std::optional(std::move(*limits)) : std::nullopt;
    m_levers->setRows(leverRows());
    Q_EMIT limitsChanged();
}

std::vector<TextTableModel::Row> LimitsModel::leverRows() const
{
    std::vector<TextTableModel::Row> rows;
    for (std::size_t i = 0; m_limits && i < m_limits->levers.size(); ++i)
        rows.push_back(rowOf(m_limits->levers[i]));
    return rows;
}

std::vector<core::Workload> LimitsModel::pricedWorkloads() const
{
    std::vector<core::Workload> workloads{m_askedWorkload};
    for (std::size_t i = 0; m_limits && i < m_limits->levers.size(); ++i)
        workloads.push_back(m_limits->levers[i].workload);
    return workloads;
}

void LimitsModel::takePrices(core::Nanoseconds step, const std::vector<double> &factors)
{
    if (!m_limits || factors.size() != m_limits->levers.size())
        return;
    m_limits->step = step;
    for (std::size_t i = 0; i < factors.size(); ++i)
        m_limits->levers[i].step = std::llround(factors[i] * static_cast<double>(step));
    m_limits->roughTimes = false;
    m_limits->roughOn.clear();
    m_levers->changeRows(leverRows());
    Q_EMIT limitsChanged();
}

void LimitsModel::takeReach(core::Result<ReachAnswer> reach)
{
    m_reachProblem = reach ? QString() : text(reach.error().message);
    m_reach = reach ? std::optional(std::move(*reach)) : std::nullopt;
    std::vector<TextTableModel::Row> rows;
    for (std::size_t i = 0; m_reach && i < m_reach->batches.reaches.size(); ++i) {
        TextTableModel::Row row{{strategyTitle(text(m_reach->batches.reaches[i].strategy))}, {{}}, {0.0}};
        addReach(row, m_reach->batches.reaches[i], m_reach->batches.roughTimes);
        addReach(row, m_reach->lengths.reaches[i], m_reach->lengths.roughTimes);
        rows.push_back(std::move(row));
    }
    m_reaches->setRows(std::move(rows));
    Q_EMIT reachChanged();
}

TextTableModel::Row LimitsModel::rowOf(const core::Lever &lever) const
{
    const core::Estimate &now = m_limits->estimate;
    const bool timed = m_limits->step > 0 && lever.step > 0;
    const double factor = timed ? static_cast<double>(lever.step) / static_cast<double>(m_limits->step) : 0.0;
    const QString step = !timed ? u"–"_s
        : m_limits->roughTimes  ? tr("%1 rough").arg(factorText(factor))
                                : factorText(factor);
    return {{text(lever.option), changeText(now.peak, lever.peak), changeText(now.smallestPeak, lever.smallestPeak),
             step, text(lever.change)},
            {text(lever.option), exactChangeText(now.peak, lever.peak),
             exactChangeText(now.smallestPeak, lever.smallestPeak),
             !timed ? tr("It cannot be run here.")
                 : m_limits->roughTimes
                 ? tr("by the published peaks of the %1").arg(deviceName(text(m_limits->roughOn)))
                 : tr("predicted from costs that were probed with it, and without it before and after"),
             text(lever.change)},
            {0.0, static_cast<double>(lever.peak), static_cast<double>(lever.smallestPeak), factor, 0.0}};
}

QStringList LimitsModel::verdicts() const
{
    QStringList list;
    if (!m_limits)
        return list;
    for (const std::string &sentence : core::sentences(*m_limits))
        list += text(sentence);
    list.resize(list.size() - static_cast<qsizetype>(m_limits->levers.size())); // the table says those
    return list;
}

QString LimitsModel::crossing() const
{
    if (!m_reach || !m_reach->batches.crossing)
        return {};
    return text(core::sentence(*m_reach->batches.crossing, m_reach->batches.roughTimes));
}

QString LimitsModel::trust() const
{
    if (!m_limits)
        return {};
    const QString peaks = m_limits->estimate.approximate ? tr("Peaks are by formula, lower bounds here.")
                                                         : tr("Peaks are by formula, exact to the byte.");
    return peaks + u' '
        + (m_limits->roughTimes
               ? tr("Times are rough: by the published peaks of the %1, which real steps do not reach.")
                     .arg(deviceName(text(m_limits->roughOn)))
               : m_askedWorkload.device == "cpu"
               ? tr("Steps are predicted from costs probed on this CPU.")
               : tr("Steps are predicted from costs probed on %1.").arg(text(m_askedWorkload.device)));
}

QString LimitsModel::reachTrust() const
{
    return m_reach && m_reach->batches.roughTimes
        ? tr("Tokens/s are rough: by the published peaks of the %1.").arg(deviceName(m_reachDevice))
        : QString();
}

void LimitsModel::pull(int row)
{
    if (!m_limits || row < 0 || row >= static_cast<int>(m_limits->levers.size()))
        return;
    m_setup.replaceWorkload(pulled(m_setup.workload(), m_limits->levers[static_cast<std::size_t>(row)]));
}

} // namespace remat::ui
