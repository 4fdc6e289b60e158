// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/slots.h"

#include <algorithm>
#include <numeric>

namespace remat::core {

namespace {

constexpr int kFewestSlots = 500;
constexpr int kExactSlots = 8192; // up to here every byte (or common divisor) may be a slot
constexpr int kMostSlots = 60'000;
constexpr double kRounding = 0.005;

/// The largest slot that divides every size.
Bytes commonDivisor(const PlanChain &chain)
{
    Bytes divisor = std::gcd(std::gcd(chain.loss, chain.lossGradient), chain.input);
    for (const PlanStage &stage : chain.stages) {
        divisor = std::gcd(std::gcd(divisor, stage.output), std::gcd(stage.forward, stage.gradient));
        for (const PlanOption &option : stage.options) {
            divisor = std::gcd(std::gcd(divisor, option.saved), option.save);
            divisor = std::gcd(std::gcd(divisor, option.savePhantom), option.backward);
        }
    }
    return std::max<Bytes>(divisor, 1);
}

} // namespace

Bytes saveAllPeak(const PlanChain &chain, Bytes slot)
{
    const auto up = [slot](Bytes bytes) { return (bytes + slot - 1) / slot * slot; };
    Bytes held = 0;
    Bytes peak = 0;
    for (const PlanStage &stage : chain.stages) {
        peak = std::max(peak, held + up(stage.options.front().save));
        held += up(stage.options.front().saved + stage.output);
    }
    peak = std::max(peak, held + up(chain.loss));
    Bytes gradients = chain.lossGradient;
    for (auto stage = chain.stages.rbegin(); stage != chain.stages.rend(); ++stage) {
        const PlanOption &option = stage->options.front();
        held -= up(option.saved + stage->output);
        peak = std::max(peak, held + up(stage->backwardNeed(option) + gradients));
        gradients += stage->gradient;
    }
    return peak;
}

Bytes slotFor(const PlanChain &chain, int slots)
{
    const Bytes exact = std::max<Bytes>(saveAllPeak(chain, 1), 1);
    if (slots > 0)
        return (exact + slots - 1) / slots;
    if (const Bytes divisor = commonDivisor(chain); exact / divisor <= kExactSlots)
        return divisor;
    for (double tried = kFewestSlots; tried < kMostSlots; tried *= 1.03) {
        const Bytes slot = std::max<Bytes>(static_cast<Bytes>(static_cast<double>(exact) / tried), 1);
        if (static_cast<double>(saveAllPeak(chain, slot) - exact) <= kRounding * static_cast<double>(exact))
            return slot;
    }
    return (exact + kMostSlots - 1) / kMostSlots;
}

} // namespace remat::core
