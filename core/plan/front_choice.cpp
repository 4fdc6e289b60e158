// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/front_choice.h"

#include <algorithm>
#include <limits>

#include "plan/planner.h"
#include "schedule/strategy.h"

namespace remat::core {

namespace {

constexpr int kPlansOffered = 128;

struct Offer
{
    std::string strategy;
    Bytes peak = 0;
    Nanoseconds time = 0;
};

Result<Offer> offerOf(const std::string &text, const ChainCosts &costs, const ChainShape &shape)
{
    const auto strategy = parseStrategy(text);
    if (!strategy)
        return strategy.error();
    const auto schedule = makeSchedule(*strategy, shape);
    if (!schedule)
        return schedule.error();
    const auto simulation = simulate(*schedule, costs);
    if (!simulation)
        return simulation.error();
    return Offer{text, simulation->peak, simulation->stepNs};
}

Result<std::vector<Offer>> familyOf(const std::string &name, const ChainCosts &costs, const ChainShape &shape)
{
    std::vector<Offer> offers;
    for (int n = 2; n <= shape.layers; ++n) {
        auto offer = offerOf(name + std::to_string(n), costs, shape);
        if (!offer)
            return offer.error();
        offers.push_back(std::move(*offer));
    }
    return offers;
}

Result<std::vector<Offer>> plansOf(const ChainCosts &costs, const ChainShape &shape)
{
    auto planner = Planner::make(PlannerKind::optimal, planProblem(costs, shape));
    if (!planner)
        return planner.error();
    std::vector<Offer> offers;
    for (const Plan &plan : planner->front(kPlansOffered))
        offers.push_back(
            {"budget:" + std::to_string(plan.simulation.peak), plan.simulation.peak, plan.simulation.stepNs});
    return offers;
}

/// How much an offer shortens the step at its memory, against the fastest chosen one that needs no more; 1 where nothing
/// chosen is as small.
double gainOf(const Offer &offer, const std::vector<Offer> &chosen)
{
    Nanoseconds best = std::numeric_limits<Nanoseconds>::max();
    for (const Offer &other : chosen)
        if (other.peak <= offer.peak)
            best = std::min(best, other.time);
    if (best == std::numeric_limits<Nanoseconds>::max())
        return 1.0;
    return best <= 0 ? 0.0 : static_cast<double>(best - offer.time) / static_cast<double>(best);
}

void chooseFrom(const std::vector<Offer> &offers, std::vector<Offer> family, double spread, int share,
                std::vector<std::string> &chosen)
{
    for (int taken = 0; taken < share; ++taken) {
        const Offer *best = nullptr;
        double most = spread;
        for (const Offer &offer : offers) {
            // Of several that are smaller than all chosen ones the smallest says most.
            const double gain = gainOf(offer, family);
            if (gain > most || (gain == 1.0 && best != nullptr && offer.peak < best->peak)) {
                most = gain;
                best = &offer;
            }
        }
        if (best == nullptr)
            return;
        family.push_back(*best);
        chosen.push_back(best->strategy);
    }
}

} // namespace

Result<std::vector<std::string>> strategiesThatMatter(const ChainCosts &costs, const ChainShape &shape, double spread,
                                                      int most)
{
    std::vector<std::string> chosen{"none", "every:1"};
    std::vector<Offer> ends;
    for (const std::string &text : chosen) {
        auto offer = offerOf(text, costs, shape);
        if (!offer)
            return offer.error();
        ends.push_back(std::move(*offer));
    }
    const int left = std::max(0, most - 2);
    const auto plans = plansOf(costs, shape);
    const auto every = familyOf("every:", costs, shape);
    const auto segments = familyOf("segments:", costs, shape);
    for (const auto *family : {&plans, &every, &segments})
        if (!*family)
            return family->error();
    chooseFrom(*plans, ends, spread, left / 2, chosen);
    chooseFrom(*every, ends, spread, left / 4, chosen);
    // A segment is measured against none alone: that segments of 2 rarely beat every block is what people come to see.
    chooseFrom(*segments, {ends.front()}, spread, left - left / 2 - left / 4, chosen);
    return chosen;
}

} // namespace remat::core
