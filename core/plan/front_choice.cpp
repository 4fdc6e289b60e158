// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/front_choice.h"

#include <algorithm>

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

/// The area below the front of some offers, as a staircase from the smallest peak to `end`.
double areaBelow(std::vector<Offer> offers, Bytes end)
{
    std::sort(offers.begin(), offers.end(), [](const Offer &a, const Offer &b) { return a.peak < b.peak; });
    double area = 0.0;
    Nanoseconds best = offers.front().time;
    for (std::size_t i = 0; i < offers.size(); ++i) {
        best = std::min(best, offers[i].time);
        const Bytes next = i + 1 < offers.size() ? offers[i + 1].peak : std::max(end, offers[i].peak);
        area += static_cast<double>(best) * static_cast<double>(next - offers[i].peak);
    }
    return area;
}

/// How much faster than the chosen ones an offer is at its memory, as a share.
double gainOf(const Offer &offer, const std::vector<Offer> &chosen)
{
    Nanoseconds best = -1;
    for (const Offer &other : chosen)
        if (other.peak <= offer.peak && (best < 0 || other.time < best))
            best = other.time;
    return best <= 0 ? 0.0 : static_cast<double>(best - offer.time) / static_cast<double>(best);
}

/// What choosing needs of a family: what it offers, what is chosen already, and how much is left to choose.
struct Family
{
    std::vector<Offer> offers;
    std::vector<Offer> chosen;
    int share = 0;
};

/// Of the offers that lower the front by more than `spread` somewhere takes the one that lowers the area below it most,
/// until there is none: points spread over the front instead of crowding at its steepest end.
void chooseFrom(Family family, double spread, std::vector<std::string> &texts)
{
    const auto peakOrder = [](const Offer &a, const Offer &b) { return a.peak < b.peak; };
    const auto take = [&](const Offer &offer) {
        family.chosen.push_back(offer);
        texts.push_back(offer.strategy);
    };
    const auto smallest = std::min_element(family.offers.begin(), family.offers.end(), peakOrder);
    if (smallest == family.offers.end() || family.share < 1)
        return;
    // A smaller peak than any chosen one is worth a point whatever its time.
    int taken = 0;
    if (smallest->peak < std::min_element(family.chosen.begin(), family.chosen.end(), peakOrder)->peak) {
        take(*smallest);
        ++taken;
    }
    const Bytes end = std::max_element(family.chosen.begin(), family.chosen.end(), peakOrder)->peak;
    for (; taken < family.share; ++taken) {
        const double before = areaBelow(family.chosen, end);
        const Offer *best = nullptr;
        double most = 0.0;
        for (const Offer &offer : family.offers) {
            if (gainOf(offer, family.chosen) <= spread)
                continue;
            std::vector<Offer> with = family.chosen;
            with.push_back(offer);
            if (const double gain = before - areaBelow(std::move(with), end); gain > most) {
                most = gain;
                best = &offer;
            }
        }
        if (best == nullptr)
            return;
        take(*best);
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
    chooseFrom({*plans, ends, left / 2}, spread, chosen);
    chooseFrom({*every, ends, left / 4}, spread, chosen);
    // A segment is measured against none alone: that segments of 2 rarely beat every block is what people come to see.
    chooseFrom({*segments, {ends.front()}, left - left / 2 - left / 4}, spread, chosen);
    return chosen;
}

} // namespace remat::core
