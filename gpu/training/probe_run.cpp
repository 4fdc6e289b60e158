// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/probe_run.h"

#include <algorithm>
#include <cassert>
#include <sstream>

#include "measure/statistics.h"

namespace remat::gpu {

using core::Bytes;
using core::Nanoseconds;
using core::Result;

namespace {

constexpr int kTimedSteps = 3;

core::Schedule probeSchedule(const char *text)
{
    core::Schedule schedule;
    schedule.stages = 4;
    std::istringstream words(text);
    for (std::string word; words >> word;)
        schedule.ops.push_back(*core::parseOp(word));
    return schedule;
}

/// An op list that ended otherwise than done, as an error.
core::Error probeError(const core::StepOutcome &outcome)
{
    const auto code
        = outcome.status == core::RunStatus::cancelled ? core::ErrorCode::cancelled : core::ErrorCode::doesNotFit;
    return {code, "The one-block model of the prediction could not be run: " + outcome.reason};
}

} // namespace

std::vector<OpMemory> memoryOfOps(const core::Recording &recording)
{
    std::vector<OpMemory> memory(recording.ops.size());
    Bytes total = 0;
    Bytes activation = 0;
    for (std::size_t i = 0; i < recording.baseline.size(); ++i) {
        const auto category = static_cast<core::Category>(i);
        total += category == core::Category::workerScratch ? 0 : recording.baseline[i];
        activation += core::isActivation(category) ? recording.baseline[i] : 0;
    }
    std::size_t event = 0;
    for (std::size_t op = 0; op < memory.size(); ++op) {
        memory[op] = {total, total, total, activation, activation, activation};
        for (; event < recording.events.size() && recording.events[event].op <= op; ++event) {
            const core::MemoryEvent &change = recording.events[event];
            if (change.category == core::Category::workerScratch)
                continue;
            total += change.bytes;
            activation += core::isActivation(change.category) ? change.bytes : 0;
            memory[op].totalPeak = std::max(memory[op].totalPeak, total);
            memory[op].activationPeak = std::max(memory[op].activationPeak, activation);
        }
        memory[op].totalAfter = total;
        memory[op].activationAfter = activation;
    }
    return memory;
}

Result<ProbeRun> ProbeRun::make(TorchWorkload &workload, const char *ops, std::stop_token stop)
{
    const core::Schedule schedule = probeSchedule(ops);
    ProbeRun run;
    std::vector<std::vector<Nanoseconds>> times;
    std::vector<std::vector<Nanoseconds>> rebuilds;
    std::vector<Nanoseconds> between;
    for (int i = 0; i < kTimedSteps; ++i) {
        auto outcome = workload.step(schedule, stop);
        if (!outcome)
            return outcome.error();
        if (outcome->status != core::RunStatus::done)
            return probeError(*outcome);
        const auto &records = workload.lastRecords();
        times.resize(records.size());
        rebuilds.resize(records.size());
        Nanoseconds inOps = 0;
        for (std::size_t op = 0; op < records.size(); ++op) {
            times[op].push_back(records[op].end - records[op].begin);
            rebuilds[op].push_back(records[op].rebuildNs);
            inOps += times[op].back();
        }
        between.push_back(outcome->split.step - inOps);
    }
    auto recorded = workload.recordStep(schedule, stop);
    if (!recorded)
        return recorded.error();
    if (recorded->outcome.status != core::RunStatus::done)
        return probeError(recorded->outcome);
    run.m_recording = std::move(recorded->recording);
    run.m_memory = memoryOfOps(run.m_recording);
    for (std::size_t op = 0; op < times.size(); ++op) {
        run.m_ns.push_back(core::summarise(times[op]).median);
        run.m_rebuildNs.push_back(core::summarise(rebuilds[op]).median);
    }
    run.m_betweenOps = core::summarise(between).median;
    return run;
}

std::size_t ProbeRun::find(const std::string &code, int n, int microBatch) const
{
    for (std::size_t i = 0; i < m_recording.ops.size(); ++i) {
        const core::OpRecord &record = m_recording.ops[i];
        if (record.code == code && record.microBatch == microBatch && n-- == 0)
            return i;
    }
    assert(false && "the probe's op lists are fixed");
    return 0;
}

const OpMemory &ProbeRun::memory(const std::string &code, int n, int microBatch) const
{
    return m_memory[find(code, n, microBatch)];
}

Nanoseconds ProbeRun::ns(const std::string &code, int n, int microBatch) const
{
    return m_ns[find(code, n, microBatch)];
}

Nanoseconds ProbeRun::rebuildNs(const std::string &code) const
{
    return m_rebuildNs[find(code, 0, 0)];
}

} // namespace remat::gpu
