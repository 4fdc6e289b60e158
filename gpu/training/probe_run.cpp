// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/probe_run.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <set>

#include "measure/statistics.h"

namespace remat::gpu {

using core::Bytes;
using core::Nanoseconds;
using core::Result;

namespace {

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

Result<ProbeRun> ProbeRun::make(TorchWorkload &workload, const core::Schedule &list, std::stop_token stop)
{
    const auto warmUp = workload.step(list, stop);
    if (!warmUp)
        return warmUp.error();
    if (warmUp->status != core::RunStatus::done)
        return probeError(*warmUp);
    auto recorded = workload.recordStep(list, stop);
    if (!recorded)
        return recorded.error();
    if (recorded->outcome.status != core::RunStatus::done)
        return probeError(recorded->outcome);
    ProbeRun run;
    run.m_list = list;
    run.m_recording = std::move(recorded->recording);
    run.m_memory = memoryOfOps(run.m_recording);
    return run;
}

Result<void> ProbeRun::time(TorchWorkload &workload, std::stop_token stop)
{
    const auto outcome = workload.step(m_list, stop);
    if (!outcome)
        return outcome.error();
    if (outcome->status != core::RunStatus::done)
        return probeError(*outcome);
    const auto &records = workload.lastRecords();
    m_ns.resize(records.size());
    m_rebuildNs.resize(records.size());
    Nanoseconds inOps = 0;
    for (std::size_t op = 0; op < records.size(); ++op) {
        m_ns[op].push_back(records[op].end - records[op].begin);
        m_rebuildNs[op].push_back(records[op].rebuildNs);
        inOps += m_ns[op].back();
    }
    m_betweenOps.push_back(outcome->split.step - inOps);
    return {};
}

std::size_t ProbeRun::find(const std::string &code, int microBatch) const
{
    for (std::size_t i = 0; i < m_recording.ops.size(); ++i) {
        const core::OpRecord &record = m_recording.ops[i];
        if (record.code == code && record.microBatch == microBatch)
            return i;
    }
    assert(false && "the probe's op lists are fixed");
    return 0;
}

bool ProbeRun::releasesInput(const std::string &code) const
{
    const std::size_t reader = find(code, 0);
    const std::string maker = "F" + std::to_string(m_recording.ops[reader].stage - 1);
    std::size_t made = reader;
    while (made > 0 && m_recording.ops[made].code != maker)
        --made;
    // What an F op leaves behind is its product (and what is remembered until the backward, which no forward releases).
    std::set<std::uint32_t> products;
    for (const core::MemoryEvent &event : m_recording.events) {
        if (event.op == made && event.bytes > 0)
            products.insert(event.block);
        else if (event.op == made)
            products.erase(event.block);
        else if (event.op == reader && event.bytes < 0 && products.contains(event.block))
            return true;
    }
    return false;
}

const OpMemory &ProbeRun::memory(const std::string &code, int microBatch) const
{
    return m_memory[find(code, microBatch)];
}

Nanoseconds ProbeRun::ns(const std::string &code, int microBatch) const
{
    return core::summarise(m_ns[find(code, microBatch)]).median;
}

Nanoseconds ProbeRun::rebuildNs(const std::string &code) const
{
    return core::summarise(m_rebuildNs[find(code, 0)]).median;
}

std::vector<Nanoseconds> ProbeRun::withoutRebuilds(const std::string &code) const
{
    const std::size_t op = find(code, 0);
    std::vector<Nanoseconds> own = m_ns[op];
    std::transform(own.begin(), own.end(), m_rebuildNs[op].begin(), own.begin(), std::minus<>());
    return own;
}

Nanoseconds ProbeRun::nsBeside(const std::string &code, const ProbeRun &other, const std::string &its) const
{
    return core::medianBeside(withoutRebuilds(code), other.withoutRebuilds(its));
}

Nanoseconds ProbeRun::betweenOps() const
{
    return core::summarise(m_betweenOps).median;
}

} // namespace remat::gpu
