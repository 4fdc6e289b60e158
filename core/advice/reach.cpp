// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/reach.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "advice/command_line.h"
#include "advice/estimate.h"
#include "model/workload_limits.h"
#include "plan/plan_problem.h"
#include "plan/working_set.h"
#include "schedule/strategy.h"

namespace remat::core {

namespace {

/// A gain in tokens per second that is worth the word "faster".
constexpr double kFaster = 1.01;

/// Costs at every size that was asked for, each made once.
class Sizes
{
public:
    Sizes(Dimension dimension, const ModelConfig &model, const Workload &workload, const CostsAt &costsAt)
        : m_dimension(dimension), m_model(model), m_workload(workload), m_costsAt(costsAt)
    {
    }

    /// True where the model has one length only, most().
    [[nodiscard]] bool isFixed() const { return m_dimension == Dimension::sequence && m_model.head == HeadKind::image; }

    [[nodiscard]] std::int64_t most() const
    {
        if (m_dimension == Dimension::sequence)
            return std::min(m_model.positions, kMostTokens / m_workload.batch);
        return mostSequences(m_workload.seq);
    }

    [[nodiscard]] Workload workloadAt(std::int64_t size) const
    {
        Workload workload = m_workload;
        (m_dimension == Dimension::batch ? workload.batch : workload.seq) = size;
        return workload;
    }

    /// Null where not even one block fits.
    Result<const Forecast *> at(std::int64_t size)
    {
        if (const auto known = m_known.find(size); known != m_known.end())
            return known->second ? &*known->second : nullptr;
        auto forecast = m_costsAt(m_model, workloadAt(size));
        if (!forecast && forecast.error().code != ErrorCode::doesNotFit)
            return forecast.error();
        auto &kept = m_known[size];
        if (forecast)
            kept = std::move(*forecast);
        return kept ? &*kept : nullptr;
    }

    /// The smallest peak of any schedule where `strategy` is a budget, else that of the strategy.
    Result<bool> fits(const Strategy &strategy, std::int64_t size, Bytes budget)
    {
        const auto forecast = at(size);
        if (!forecast)
            return forecast.error();
        if (*forecast == nullptr)
            return false;
        const ChainCosts &costs = (*forecast)->costs;
        if (strategy.kind != StrategyKind::budget) {
            const auto expected = expect(strategy, m_model, workloadAt(size), costs);
            return expected ? Result<bool>(expected->peak <= budget) : Result<bool>(expected.error());
        }
        const auto smallest = simulate(smallestPlan(planChain(costs)).schedule, costs);
        return smallest ? Result<bool>(smallest->peak <= budget) : Result<bool>(smallest.error());
    }

    Result<Expected> expectedAt(const Strategy &strategy, std::int64_t size)
    {
        const auto forecast = at(size);
        if (!forecast)
            return forecast.error();
        if (*forecast == nullptr)
            return Error{ErrorCode::doesNotFit, "Not even one block fits."};
        return expect(strategy, m_model, workloadAt(size), (*forecast)->costs);
    }

private:
    Dimension m_dimension;
    const ModelConfig &m_model;
    const Workload &m_workload;
    const CostsAt &m_costsAt;
    std::map<std::int64_t, std::optional<Forecast>> m_known;
};

Result<std::int64_t> largestOf(const Strategy &strategy, Sizes &sizes, Bytes budget)
{
    const std::int64_t unit = sizes.isFixed() ? sizes.most() : 1;
    const auto count
        = largestFitting(sizes.most() / unit, [&](std::int64_t at) { return sizes.fits(strategy, at * unit, budget); });
    return count ? Result<std::int64_t>(*count * unit) : count;
}

Result<Reach> reachOfOne(const Strategy &strategy, Sizes &sizes, Bytes budget)
{
    const auto size = largestOf(strategy, sizes, budget);
    if (!size)
        return size.error();
    Reach reach{strategy.text, *size, *size == sizes.most(), {}};
    if (*size == 0)
        return reach;
    auto expected = sizes.expectedAt(strategy, *size);
    if (!expected)
        return expected.error();
    reach.expected = std::move(*expected);
    return reach;
}

/// Batches that are looked at, ascending. A rule does the same work for every sequence, and what is paid once a step is
/// shared, so its largest batch is its fastest. A plan recomputes more the less room is left: its best may lie anywhere.
std::vector<std::int64_t> batchesOf(const Strategy &strategy, std::int64_t base, std::int64_t largest)
{
    std::vector<std::int64_t> batches;
    if (strategy.kind == StrategyKind::budget)
        for (std::int64_t distance = 1; base + distance < largest; distance *= 2)
            batches.push_back(base + distance);
    batches.push_back(largest);
    return batches;
}

/// What the batches of one strategy came to against a wanted number of tokens per second.
struct Tried
{
    std::int64_t best = 0;
    double rate = 0.0;
    std::int64_t winner = 0; // the first that is faster than wanted; 0: none
    std::int64_t loser = 0;  // the last before it
};

Result<Tried> tryBatches(const Strategy &strategy, Sizes &sizes, std::int64_t base, std::int64_t largest, double wanted)
{
    Tried tried;
    tried.loser = base;
    for (const std::int64_t batch : batchesOf(strategy, base, largest)) {
        const auto expected = sizes.expectedAt(strategy, batch);
        if (!expected)
            return expected.error();
        if (expected->tokensPerSecond > tried.rate)
            tried = {batch, expected->tokensPerSecond, tried.winner, tried.loser};
        if (tried.winner == 0)
            (expected->tokensPerSecond > wanted ? tried.winner : tried.loser) = batch;
    }
    return tried;
}

/// The first batch that wins lies between the last that lost and the first that was seen to win.
Result<std::int64_t> firstWinner(const Strategy &strategy, Sizes &sizes, Tried tried, double wanted)
{
    while (tried.winner - tried.loser > 1) {
        const std::int64_t middle = tried.loser + (tried.winner - tried.loser) / 2;
        const auto expected = sizes.expectedAt(strategy, middle);
        if (!expected)
            return expected.error();
        (expected->tokensPerSecond > wanted ? tried.winner : tried.loser) = middle;
    }
    return tried.winner;
}

/// The last batch that wins lies between the best and the largest; 0: the largest wins too.
Result<std::int64_t> lastWinner(const Strategy &strategy, Sizes &sizes, std::int64_t best, const Reach &largest,
                                double wanted)
{
    if (largest.expected.tokensPerSecond > wanted)
        return std::int64_t(0);
    std::int64_t loser = largest.size;
    while (loser - best > 1) {
        const std::int64_t middle = best + (loser - best) / 2;
        const auto expected = sizes.expectedAt(strategy, middle);
        if (!expected)
            return expected.error();
        (expected->tokensPerSecond > wanted ? best : loser) = middle;
    }
    return best;
}

Result<Crossing> crossingOf(const std::vector<Reach> &reaches, const std::vector<Strategy> &strategies, Sizes &sizes)
{
    const Reach &base = reaches.front();
    const double wanted = base.expected.tokensPerSecond * kFaster;
    Crossing crossing;
    crossing.baseBatch = base.size;
    crossing.baseTokensPerSecond = base.expected.tokensPerSecond;
    std::size_t chosen = 0;
    Tried best;
    for (std::size_t i = 1; i < reaches.size(); ++i) {
        if (reaches[i].size == 0)
            continue;
        const auto tried = tryBatches(strategies[i], sizes, base.size, reaches[i].size, wanted);
        if (!tried)
            return tried.error();
        if (tried->rate > best.rate) {
            best = *tried;
            chosen = i;
        }
    }
    if (chosen == 0)
        return crossing;
    crossing.strategy = reaches[chosen].strategy;
    crossing.wins = best.winner > 0;
    crossing.batch = crossing.bestBatch = best.best;
    crossing.tokensPerSecond = best.rate;
    if (crossing.wins && base.size > 0) {
        const auto first = firstWinner(strategies[chosen], sizes, best, wanted);
        const auto last = lastWinner(strategies[chosen], sizes, best.best, reaches[chosen], wanted);
        if (!first || !last)
            return !first ? first.error() : last.error();
        crossing.batch = *first;
        crossing.lastBatch = *last;
    }
    return crossing;
}

/// "9.0 % more tokens per second", "3.1 % fewer tokens per second".
std::string compared(double rate, double base)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.1f %% %s tokens per second", 100.0 * std::abs(rate / base - 1.0),
                  rate >= base ? "more" : "fewer");
    return text;
}

Result<std::vector<Strategy>> strategiesFor(const ModelConfig &model, Bytes budget)
{
    std::vector<Strategy> strategies;
    for (const std::string &text :
         {std::string("none"), std::string("every:2"), std::string("every:1"), "budget:" + sizeWord(budget)}) {
        if (text == "every:2" && model.layers < 2)
            continue;
        auto strategy = parseStrategy(text);
        if (!strategy)
            return strategy.error();
        strategies.push_back(std::move(*strategy));
    }
    return strategies;
}

} // namespace

Result<std::int64_t> largestFitting(std::int64_t most, const std::function<Result<bool>(std::int64_t)> &fits)
{
    std::int64_t good = 0;
    std::int64_t bad = most + 1;
    for (std::int64_t size = std::min<std::int64_t>(1, most); size <= most && size > good;
         size = std::min(2 * size, most)) {
        const auto known = fits(size);
        if (!known)
            return known.error();
        (*known ? good : bad) = size;
        if (!*known)
            break;
    }
    while (bad - good > 1) {
        const std::int64_t middle = good + (bad - good) / 2;
        const auto known = fits(middle);
        if (!known)
            return known.error();
        (*known ? good : bad) = middle;
    }
    return good;
}

Result<std::int64_t> largestSize(Dimension dimension, const Strategy &strategy, const ModelConfig &model,
                                 const Workload &workload, const CostsAt &costsAt)
{
    Sizes sizes(dimension, model, workload, costsAt);
    return largestOf(strategy, sizes, workload.memoryBudget);
}

Result<ReachTable> reachOf(Dimension dimension, const ModelConfig &model, const Workload &workload, Bytes budget,
                           const CostsAt &costsAt)
{
    const auto strategies = strategiesFor(model, budget);
    if (!strategies)
        return strategies.error();
    Sizes sizes(dimension, model, workload, costsAt);
    ReachTable table{dimension, budget, {}, {}, false, false};
    for (const Strategy &strategy : *strategies) {
        auto reach = reachOfOne(strategy, sizes, budget);
        if (!reach)
            return reach.error();
        table.reaches.push_back(std::move(*reach));
    }
    if (const auto first = sizes.at(sizes.isFixed() ? sizes.most() : 1); first && *first != nullptr) {
        table.approximate = (*first)->approximate;
        table.roughTimes = (*first)->roughTimes;
    }
    if (dimension == Dimension::batch) {
        auto crossing = crossingOf(table.reaches, *strategies, sizes);
        if (!crossing)
            return crossing.error();
        table.crossing = std::move(*crossing);
    }
    return table;
}

std::string sentence(const Crossing &crossing, bool roughTimes)
{
    const std::string rough = roughTimes ? " (rough times)" : "";
    if (crossing.strategy.empty())
        return "Nothing fits this budget, not even one sequence with the smallest schedule.";
    const std::string there = crossing.strategy + " at batch " + std::to_string(crossing.batch);
    if (crossing.baseBatch == 0)
        return "Without recomputation not even one sequence fits; " + there + " does.";
    const std::string base = "none at batch " + std::to_string(crossing.baseBatch) + ", the largest that fits";
    const std::string gain = compared(crossing.tokensPerSecond, crossing.baseTokensPerSecond);
    const std::string range = crossing.lastBatch == 0 ? "From batch " + std::to_string(crossing.batch) + " on "
        : crossing.lastBatch == crossing.batch
        ? "At batch " + std::to_string(crossing.batch) + " alone "
        : "From batch " + std::to_string(crossing.batch) + " to " + std::to_string(crossing.lastBatch) + " ";
    if (crossing.wins)
        return range + crossing.strategy + " is faster than " + base + ": " + gain + " at batch "
            + std::to_string(crossing.bestBatch) + rough + ".";
    return "Recomputation with a larger batch does not pay here: " + there + " does " + gain + " than " + base + rough
        + ".";
}

Json toJson(const ReachTable &table)
{
    Json rows = Json::array();
    for (const Reach &reach : table.reaches) {
        const auto known = [&reach](auto value) { return reach.size > 0 ? Json(value) : Json(nullptr); };
        rows.push_back({{"strategy", reach.strategy},
                        {table.dimension == Dimension::batch ? "batch" : "seq", reach.size},
                        {"is_limit", reach.isLimit},
                        {"peak_bytes", known(reach.expected.peak)},
                        {"step_ns", known(reach.expected.step)},
                        {"tokens_per_second", known(reach.expected.tokensPerSecond)}});
    }
    Json json{{"budget", table.budget},
              {"rows", std::move(rows)},
              {"approximate", table.approximate},
              {"rough_times", table.roughTimes}};
    if (table.crossing)
        json["crossing"]
            = {{"wins", table.crossing->wins},
               {"strategy", table.crossing->strategy},
               {"batch", table.crossing->batch},
               {"last_batch", table.crossing->lastBatch == 0 ? Json(nullptr) : Json(table.crossing->lastBatch)},
               {"best_batch", table.crossing->bestBatch},
               {"tokens_per_second", table.crossing->tokensPerSecond},
               {"base_batch", table.crossing->baseBatch},
               {"sentence", sentence(*table.crossing, table.roughTimes)}};
    return json;
}

} // namespace remat::core
