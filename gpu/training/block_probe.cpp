// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/block_probe.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace remat::gpu {

using core::Result;

namespace {

/// Medians of three rounds are off by a tenth where other programs run; more than these gain nothing that is seen.
constexpr int kLeastRounds = 3;
constexpr int kMostRounds = 15;
constexpr std::chrono::seconds kLongest{10};

/// REMAT_PROBE_ROUNDS: that many instead, for those who look at bytes alone.
int roundsAsked()
{
    const char *text = std::getenv("REMAT_PROBE_ROUNDS");
    return text == nullptr ? 0 : std::clamp(std::atoi(text), 0, kMostRounds);
}

} // namespace

Result<std::unique_ptr<BlockProbe>> BlockProbe::make(core::Sibling sibling, const std::vector<std::string> &options,
                                                     DeviceParts &parts, const std::stop_token &stop)
{
    std::unique_ptr<BlockProbe> probe(new BlockProbe(std::move(sibling)));
    auto made = TorchWorkload::make(probe->m_costs.sibling().model, probe->m_costs.sibling().workload, parts);
    if (!made)
        return made.error();
    probe->m_formConstants = (*made)->model().formConstantBytes();
    // The first list twice: optimizer state and workspaces appear in the first steps.
    bool warm = false;
    const auto run = [&](const core::Schedule &list) {
        auto result = ProbeRun::make(**made, list, stop);
        if (result && !std::exchange(warm, true))
            result = ProbeRun::make(**made, list, stop);
        return result;
    };
    if (auto ran = probe->m_costs.run(options, run); !ran)
        return ran.error();
    if (auto timed = probe->time(**made, stop); !timed)
        return timed.error();
    return probe;
}

Result<void> BlockProbe::time(TorchWorkload &workload, const std::stop_token &stop)
{
    const auto begin = std::chrono::steady_clock::now();
    const int asked = roundsAsked();
    for (int round = 0; round < (asked > 0 ? asked : kMostRounds); ++round) {
        if (round >= kLeastRounds && std::chrono::steady_clock::now() - begin > kLongest)
            break;
        Result<void> failure;
        m_costs.eachRun([&](ProbeRun &run) {
            if (failure)
                failure = run.time(workload, stop);
        });
        if (!failure)
            return failure;
    }
    return {};
}

core::Bytes BlockProbe::otherConstants() const
{
    const auto &baseline = m_costs.keepAll().recording().baseline;
    return baseline[static_cast<std::size_t>(core::Category::constant)] - m_formConstants;
}

} // namespace remat::gpu
