// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "runner_job.h"

#include <algorithm>
#include <map>

#include "child_runner.h"
#include "store/session_writer.h"

namespace remat::app {

namespace {

using core::Error;
using core::ErrorCode;
using core::Point;
using core::Result;
using core::RunnerEvent;
using core::RunnerRequest;
using core::RunStatus;

constexpr int kMostDeaths = 2;

/// How one child's work on one request ended.
struct ChildEnd
{
    bool died = false;
    std::string ending;  // of a child that died, or why it was ended
    core::Progress last; // what it was doing then
    std::string status;  // "done" or "cancelled"
};

/// Reads a child's events until its request ends. Ctrl-C asks it to stop; a second one, or no sign of life, kills it.
Result<ChildEnd> follow(ChildRunner &child, Interrupt &interrupt, const EventSink &sink)
{
    ChildEnd end;
    RunnerEvent event;
    std::string killed;
    while (true) {
        switch (child.next(interrupt.descriptor(), event)) {
        case ChildRunner::Wait::interrupted:
            interrupt.acknowledge();
            if (interrupt.count() > 1) {
                killed = "was ended because it was asked to stop twice";
                child.kill();
            } else
                child.send({0, RunnerRequest::Command::cancel, {}, {}, 1});
            continue;
        case ChildRunner::Wait::silent:
            killed = "was ended because it gave no sign of life for ten seconds";
            child.kill();
            continue;
        case ChildRunner::Wait::closed:
            end.died = true;
            end.ending = child.ending();
            if (!killed.empty())
                end.ending = killed;
            return end;
        case ChildRunner::Wait::event:
            break;
        }
        sink(event);
        if (event.kind == RunnerEvent::Kind::progress)
            end.last = event.progress;
        if (event.kind == RunnerEvent::Kind::error)
            return event.error;
        if (event.kind == RunnerEvent::Kind::done) {
            end.status = event.status;
            return end;
        }
    }
}

bool isFinal(RunStatus status)
{
    return status != RunStatus::queued && status != RunStatus::running;
}

/// The sweep over several children.
class SweepJob
{
public:
    SweepJob(const core::SweepPlan &plan, std::string session, Interrupt &interrupt, const EventSink &sink)
        : m_plan(plan), m_session(std::move(session)), m_interrupt(interrupt), m_sink(sink)
    {
    }

    Result<SweepOutcome> run()
    {
        int deaths = 0;
        while (true) {
            const core::SweepPlan rest = remaining();
            if (rest.strategies.empty())
                return outcome(false);
            const std::size_t before = finishedCount();
            auto end = runChild(rest);
            if (!end)
                return end.error();
            if (!end->died)
                return outcome(end->status == "cancelled");
            deaths = finishedCount() > before ? 1 : deaths + 1;
            const bool asked = m_interrupt.count() > 0;
            if (auto closed = buryChild(rest, *end, asked || deaths >= kMostDeaths); !closed)
                return closed.error();
            if (asked)
                return outcome(true);
            if (deaths >= kMostDeaths)
                return outcome(false);
        }
    }

private:
    [[nodiscard]] core::SweepPlan remaining() const
    {
        core::SweepPlan rest = m_plan;
        std::erase_if(rest.strategies, [this](const core::Strategy &strategy) {
            const auto known = m_points.find(strategy.text);
            return known != m_points.end() && isFinal(known->second.status);
        });
        return rest;
    }

    [[nodiscard]] std::size_t finishedCount() const
    {
        return static_cast<std::size_t>(std::count_if(m_points.begin(), m_points.end(), [](const auto &entry) {
            return isFinal(entry.second.status) && entry.second.status != RunStatus::interrupted;
        }));
    }

    Result<ChildEnd> runChild(const core::SweepPlan &rest)
    {
        auto child = ChildRunner::start();
        if (!child)
            return child.error();
        (*child)->send({1, RunnerRequest::Command::sweep, m_session, rest, 1});
        return follow(**child, m_interrupt, [this](const RunnerEvent &event) {
            if (event.kind == RunnerEvent::Kind::point)
                m_points[event.point.strategy] = event.point;
            m_sink(event);
        });
    }

    /// The run that the child was working on is interrupted; the others get another child, unless this was the last.
    Result<void> buryChild(const core::SweepPlan &rest, const ChildEnd &end, bool last)
    {
        std::string reason = "The runner " + end.ending;
        if (!end.last.phase.empty())
            reason += " in the phase " + end.last.phase + (end.last.strategy.empty() ? "" : " of " + end.last.strategy);
        reason += ".";
        for (const core::Strategy &strategy : rest.strategies) {
            Point &point = m_points[strategy.text];
            if (isFinal(point.status))
                continue;
            point.strategy = strategy.text;
            const bool culprit = strategy.text == end.last.strategy;
            point.status = culprit || last ? RunStatus::interrupted : RunStatus::queued;
            point.reason = culprit || last ? reason : std::string();
        }
        if (m_session.empty())
            return {};
        // Taking the lock marks what the dead child left open.
        auto writer = core::SessionWriter::open(m_session, reason);
        return writer ? Result<void>() : writer.error();
    }

    [[nodiscard]] SweepOutcome outcome(bool cancelled) const
    {
        SweepOutcome result;
        result.cancelled = cancelled;
        for (const core::Strategy &strategy : m_plan.strategies) {
            const auto known = m_points.find(strategy.text);
            Point point = known != m_points.end() ? known->second : Point();
            point.strategy = strategy.text;
            if (!isFinal(point.status))
                point.status = RunStatus::cancelled;
            result.points.push_back(std::move(point));
        }
        return result;
    }

    const core::SweepPlan &m_plan;
    std::string m_session;
    Interrupt &m_interrupt;
    const EventSink &m_sink;
    std::map<std::string, Point> m_points;
};

} // namespace

Result<SweepOutcome> sweepInChild(const core::SweepPlan &plan, const std::string &session, Interrupt &interrupt,
                                  const EventSink &sink)
{
    return SweepJob(plan, session, interrupt, sink).run();
}

Result<core::ChainCosts> probeInChild(const core::SweepPlan &plan, Interrupt &interrupt, const EventSink &sink)
{
    auto child = ChildRunner::start();
    if (!child)
        return child.error();
    (*child)->send({1, RunnerRequest::Command::probe, {}, plan, 1});
    core::ChainCosts costs;
    auto end = follow(**child, interrupt, [&](const RunnerEvent &event) {
        if (event.kind == RunnerEvent::Kind::costs)
            costs = event.costs;
        sink(event);
    });
    if (!end)
        return end.error();
    if (end->status == "cancelled" || (end->died && interrupt.count() > 0))
        return Error{ErrorCode::cancelled, "Probing the costs was cancelled."};
    if (end->died)
        return Error{ErrorCode::failed, "The costs could not be probed: the runner " + end->ending + "."};
    return costs;
}

Result<core::Verification> verifyInChild(const core::SweepPlan &plan, int steps, Interrupt &interrupt,
                                         const EventSink &sink)
{
    auto child = ChildRunner::start();
    if (!child)
        return child.error();
    (*child)->send({1, RunnerRequest::Command::verify, {}, plan, steps});
    core::Verification found;
    auto end = follow(**child, interrupt, [&](const RunnerEvent &event) {
        if (event.kind == RunnerEvent::Kind::verified)
            found = event.verification;
        sink(event);
    });
    if (!end)
        return end.error();
    if (end->status == "cancelled" || (end->died && interrupt.count() > 0))
        return Error{ErrorCode::cancelled, "The verification was cancelled."};
    if (end->died)
        return Error{ErrorCode::failed, "The verification could not be finished: the runner " + end->ending + "."};
    return found;
}

} // namespace remat::app
