// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "advice/reach.h"

#include <random>

#include "core/advice/advice_models.h"
#include "plan/planned_strategy.h"
#include "support/fake_backend.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

Workload sized(Workload workload, Dimension dimension, std::int64_t size)
{
    (dimension == Dimension::batch ? workload.batch : workload.seq) = size;
    return workload;
}

/// Every size one by one, and every schedule planned anew.
class BruteForce
{
public:
    BruteForce(Dimension dimension, const ModelConfig &model, const Workload &workload, Bytes budget, CostsAt costsAt)
        : m_dimension(dimension), m_model(model), m_workload(workload), m_budget(budget), m_costsAt(std::move(costsAt))
    {
    }

    /// Empty where the strategy's schedule needs more than the budget.
    std::optional<Expected> at(const std::string &strategy, std::int64_t size) const
    {
        const Workload workload = sized(m_workload, m_dimension, size);
        const auto forecast = m_costsAt(m_model, workload);
        if (!forecast)
            return std::nullopt;
        const auto schedule
            = scheduleFor(parseStrategy(strategy).value(), chainShape(m_model, workload), forecast->costs);
        if (!schedule)
            return std::nullopt;
        const Simulation simulation = simulate(*schedule, forecast->costs).value();
        if (simulation.peak > m_budget)
            return std::nullopt;
        const double tokens = double(workload.batch) * double(workload.seq) * workload.microBatches;
        return Expected{strategy, simulation.peak, simulation.activationPeak, simulation.stepNs,
                        tokens / (double(simulation.stepNs) / 1e9)};
    }

    std::int64_t largest(const std::string &strategy, std::int64_t most) const
    {
        std::int64_t size = 0;
        while (size < most && at(strategy, size + 1))
            ++size;
        return size;
    }

private:
    Dimension m_dimension;
    const ModelConfig &m_model;
    Workload m_workload;
    Bytes m_budget;
    CostsAt m_costsAt;
};

/// Empty where a table says what trying every size says.
std::string problemOf(const ReachTable &table, const BruteForce &brute, int layers, std::int64_t most)
{
    const std::string plan = table.reaches.back().strategy;
    const Strategy planned = parseStrategy(plan).value();
    if (planned.kind != StrategyKind::budget || planned.budget.bytes != table.budget)
        return "another plan: " + plan;
    std::vector<std::string> strategies{"none", "every:2", "every:1", plan};
    if (layers < 2)
        strategies.erase(strategies.begin() + 1);
    if (table.reaches.size() != strategies.size())
        return "another number of strategies";
    for (std::size_t i = 0; i < strategies.size(); ++i) {
        const Reach &reach = table.reaches[i];
        const std::string name = strategies[i] + " reaches " + std::to_string(reach.size) + ": ";
        const std::int64_t size = brute.largest(strategies[i], most);
        if (reach.strategy != strategies[i] || reach.size != size)
            return name + "tried, it is " + std::to_string(size);
        if (reach.isLimit != (size == most))
            return name + "no limit, or one untold";
        if (size == 0)
            continue;
        const auto expected = brute.at(strategies[i], size);
        if (!expected || expected->peak != reach.expected.peak || expected->step != reach.expected.step
            || std::abs(expected->tokensPerSecond / reach.expected.tokensPerSecond - 1) > 1e-9)
            return name + "another expectation";
    }
    return {};
}

/// The fastest batch of a strategy that fits: of all for a rule; for a plan, whose speed may rise and fall, of those at
/// distances from the largest of none that are powers of two.
double bestRate(const BruteForce &brute, const Reach &reach, std::int64_t base)
{
    double best = 0.0;
    for (std::int64_t size = 1; size <= reach.size; ++size) {
        const std::int64_t distance = size - base;
        const bool looked = distance > 0 && (distance & (distance - 1)) == 0;
        if (reach.strategy.starts_with("budget") && !looked && size != reach.size)
            continue;
        if (const auto expected = brute.at(reach.strategy, size))
            best = std::max(best, expected->tokensPerSecond);
    }
    return best;
}

/// Empty where the crossing is what trying every batch says.
std::string problemOf(const Crossing &crossing, const ReachTable &table, const BruteForce &brute)
{
    const Reach &none = table.reaches.front();
    const double base = none.size > 0 ? brute.at("none", none.size)->tokensPerSecond : 0.0;
    if (crossing.baseBatch != none.size || std::abs(crossing.baseTokensPerSecond - base) > 1e-6 * base)
        return "another base";
    double best = 0.0;
    for (std::size_t i = 1; i < table.reaches.size(); ++i)
        best = std::max(best, bestRate(brute, table.reaches[i], none.size));
    if (best == 0.0)
        return crossing.strategy.empty() && !crossing.wins ? "" : "nothing fits";
    if (crossing.wins != (none.size == 0 || best > 1.01 * base))
        return crossing.wins ? "no batch wins" : "some batch wins by " + std::to_string(best / base);
    const auto there = brute.at(crossing.strategy, crossing.batch);
    const auto fastest = brute.at(crossing.strategy, crossing.bestBatch);
    if (!there || !fastest)
        return "its batch does not fit";
    if (std::abs(crossing.tokensPerSecond / best - 1) > 1e-9 || std::abs(fastest->tokensPerSecond / best - 1) > 1e-9)
        return "another best batch";
    if (!crossing.wins || none.size == 0)
        return {};
    if (!(there->tokensPerSecond > 1.01 * base))
        return "its batch does not win";
    const auto before = brute.at(crossing.strategy, crossing.batch - 1);
    if (crossing.batch - 1 > none.size && before && before->tokensPerSecond > 1.01 * base)
        return "a smaller batch wins already";
    const auto reach = std::find_if(table.reaches.begin(), table.reaches.end(),
                                    [&](const Reach &other) { return other.strategy == crossing.strategy; });
    const std::int64_t last = crossing.lastBatch == 0 ? reach->size : crossing.lastBatch;
    const auto end = brute.at(crossing.strategy, last);
    const auto after = brute.at(crossing.strategy, last + 1);
    if (last < crossing.bestBatch || last > reach->size || !end || !(end->tokensPerSecond > 1.01 * base))
        return "its last batch does not win";
    if (last < reach->size && after && after->tokensPerSecond > 1.01 * base)
        return "a larger batch wins as well";
    return {};
}

std::string hereWith(int layers, Bytes budget)
{
    return std::to_string(layers) + " layers within " + std::to_string(budget);
}

} // namespace

class tst_reach : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void largestFitting_isThatOfALinearSearch()
    {
        for (std::int64_t most = 0; most <= 70; ++most)
            for (std::int64_t last = 0; last <= most + 1; ++last) {
                int asked = 0;
                bool outside = false;
                const auto found = largestFitting(most, [&](std::int64_t size) -> Result<bool> {
                    ++asked;
                    outside = outside || size < 1 || size > most;
                    return size <= last;
                });
                std::int64_t linear = 0;
                while (linear < most && linear + 1 <= last)
                    ++linear;
                QVERIFY(found);
                QCOMPARE(*found, linear);
                QVERIFY(!outside);
                QVERIFY(asked <= 14);
            }
    }

    void largestFitting_largeNumbers_andErrors()
    {
        std::mt19937_64 random(43);
        for (int i = 0; i < 500; ++i) {
            const std::int64_t most = 1 + std::int64_t(random() % (std::uint64_t(1) << 30));
            const std::int64_t last = std::int64_t(random() % std::uint64_t(most + 2));
            int asked = 0;
            const auto count = [&](std::int64_t size) -> Result<bool> {
                ++asked;
                return size <= last;
            };
            QCOMPARE(largestFitting(most, count).value(), std::min(most, last));
            QVERIFY(asked <= 62);
            const int breaks = asked > 1 ? int(random() % std::uint64_t(asked)) : 0;
            int at = 0;
            const auto failed = largestFitting(most, [&](std::int64_t size) -> Result<bool> {
                if (at++ == breaks)
                    return Error{ErrorCode::failed, "It broke."};
                return size <= last;
            });
            QVERIFY(!failed && failed.error().message == "It broke.");
            QCOMPARE(at, breaks + 1);
        }
    }

    void sequences_areThoseOfTryingEach()
    {
        std::mt19937_64 random(44);
        for (int round = 0; round < 60; ++round) {
            const int layers = 1 + int(random() % 4);
            const ModelConfig model = tinyModel(layers); // 64 positions
            const Workload workload = workloadOf(model, 1 + int(random() % 3), 8);
            const CostsAt costsAt = byFake();
            const Bytes none = simulationOf("none", model, workload, costsAt(model, workload)->costs).peak;
            const Bytes budget = Bytes(double(none) * double(random() % 1000) / 250.0);
            const BruteForce brute(Dimension::sequence, model, workload, budget, costsAt);
            const auto table = reachOf(Dimension::sequence, model, workload, budget, costsAt);
            QVERIFY(table && !table->crossing);
            const std::string wrong = problemOf(*table, brute, layers, 64);
            QVERIFY2(wrong.empty(), (hereWith(layers, budget) + ": " + wrong).c_str());
        }
    }

    void batches_andTheCrossing_areThoseOfTryingEach()
    {
        std::mt19937_64 random(45);
        int wins = 0;
        int losses = 0;
        int ends = 0;
        for (int round = 0; round < 60; ++round) {
            const int layers = 1 + int(random() % 4);
            const ModelConfig model = tinyModel(layers);
            const Workload workload = workloadOf(model, 4, 16);
            const CostsAt costsAt = byFake(Nanoseconds(random() % 3) * Nanoseconds(random() % 400'000));
            const Bytes none
                = simulationOf("none", model, workloadOf(model, 6, 16), costsAt(model, workloadOf(model, 6, 16))->costs)
                      .peak;
            const Bytes budget = Bytes(double(none) * (0.3 + double(random() % 1000) / 1000.0));
            const BruteForce brute(Dimension::batch, model, workload, budget, costsAt);
            const auto table = reachOf(Dimension::batch, model, workload, budget, costsAt);
            QVERIFY(table && table->crossing);
            std::string wrong = problemOf(*table, brute, layers, 65536);
            if (wrong.empty())
                wrong = problemOf(*table->crossing, *table, brute);
            QVERIFY2(wrong.empty(), (hereWith(layers, budget) + ": " + wrong).c_str());
            const bool fits = table->reaches.front().size > 0;
            wins += fits && table->crossing->wins ? 1 : 0;
            losses += fits && !table->crossing->wins ? 1 : 0;
            ends += table->crossing->lastBatch > 0 ? 1 : 0;
        }
        QVERIFY2(wins > 5 && losses > 5 && ends > 0, qPrintable(QString("%1 %2 %3").arg(wins).arg(losses).arg(ends)));
    }

    void realModels_byFormula_areThoseOfTryingEach()
    {
        for (const char *name : {"gpt2_small", "llama_8b", "phi_2", "mixtral_8x7b"}) {
            const ModelConfig model = modelNamed(name, 2);
            const Workload workload = workloadOf(model, 4, 48);
            const CostsAt costsAt = byFormula();
            const Workload several = workloadOf(model, 6, 48);
            const Bytes budget = simulationOf("none", model, several, costsAt(model, several)->costs).peak;
            const BruteForce brute(Dimension::batch, model, workload, budget, costsAt);
            const auto table = reachOf(Dimension::batch, model, workload, budget, costsAt);
            QVERIFY(table);
            QVERIFY(table->roughTimes && !table->approximate);
            QVERIFY(table->reaches.front().size >= 6);
            std::string wrong = problemOf(*table, brute, 2, 65536);
            if (wrong.empty())
                wrong = problemOf(*table->crossing, *table, brute);
            QVERIFY2(wrong.empty(), (name + (": " + wrong)).c_str());
        }
    }

    void limits_areThoseOfTheModelAndOfTheProgram()
    {
        const ModelConfig model = tinyModel(2);
        const Bytes plenty = Bytes(1) << 60;
        const auto lengths = reachOf(Dimension::sequence, model, workloadOf(model, 2, 8), plenty, byFake()).value();
        for (const Reach &reach : lengths.reaches)
            QVERIFY(reach.size == model.positions && reach.isLimit);
        const auto batches = reachOf(Dimension::batch, model, workloadOf(model, 2, 8), plenty, byFake()).value();
        for (const Reach &reach : batches.reaches)
            QVERIFY(reach.size == 65536 && reach.isLimit);
        ModelConfig far = model;
        far.positions = std::int64_t(1) << 24;
        const auto tokens = reachOf(Dimension::batch, far, workloadOf(far, 2, std::int64_t(1) << 20), plenty, byFake());
        for (const Reach &reach : tokens->reaches) {
            QVERIFY(reach.size == 1024 && reach.isLimit); // 2^30 tokens
            QVERIFY(resolveWorkload(workloadOf(far, reach.size, std::int64_t(1) << 20), far, 1));
        }
    }

    /// The sequence of an image is as long as the image; nothing else may be proposed.
    void images_haveOneLength()
    {
        const ModelConfig image = modelNamed("vit_base", 2);
        const Workload workload = workloadOf(image, 2, 0);
        const auto table = reachOf(Dimension::sequence, image, workload, Bytes(1) << 40, byFormula());
        QVERIFY(table);
        for (const Reach &reach : table->reaches)
            QVERIFY(reach.size == image.positions && reach.isLimit);
        const auto tight = reachOf(Dimension::sequence, image, workload, 1000, byFormula());
        QVERIFY(tight);
        for (const Reach &reach : tight->reaches)
            QVERIFY(reach.size == 0 && !reach.isLimit);
    }

    void costs_thatDoNotFit_endNoSearch_andOthersDo()
    {
        const ModelConfig model = tinyModel(2);
        const auto upTo = [](std::int64_t most, ErrorCode code) -> CostsAt {
            return [most, code](const ModelConfig &of, const Workload &workload) -> Result<Forecast> {
                if (workload.batch > most)
                    return Error{code, "Not even one block fits."};
                return byFake()(of, workload);
            };
        };
        const Workload workload = workloadOf(model, 1, 8);
        const auto table = reachOf(Dimension::batch, model, workload, Bytes(1) << 60, upTo(37, ErrorCode::doesNotFit));
        QVERIFY(table);
        for (const Reach &reach : table->reaches)
            QVERIFY(reach.size == 37 && !reach.isLimit);
        QVERIFY(!reachOf(Dimension::batch, model, workload, Bytes(1) << 60, upTo(37, ErrorCode::failed)));
        const auto nothing = reachOf(Dimension::batch, model, workload, Bytes(1) << 60, upTo(0, ErrorCode::doesNotFit));
        QVERIFY(nothing && nothing->crossing->strategy.empty());
        QVERIFY(sentence(*nothing->crossing, false).starts_with("Nothing fits"));
    }

    void sentence_saysWhoWins()
    {
        Crossing crossing{true, "every:1", 12, 24, 1100.0, 8, 1000.0};
        std::string text = sentence(crossing, false);
        for (const char *part : {"From batch 12 on every:1", "none at batch 8", "10.0 % more", "at batch 24."})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
        QVERIFY(text.find("rough") == std::string::npos);
        QVERIFY(sentence(crossing, true).find("(rough times)") != std::string::npos);
        crossing.lastBatch = 30;
        QVERIFY(sentence(crossing, false).starts_with("From batch 12 to 30 every:1 is faster"));
        crossing.batch = crossing.bestBatch = crossing.lastBatch = 24;
        QVERIFY(sentence(crossing, false).starts_with("At batch 24 alone every:1 is faster"));
        crossing.batch = 12;
        crossing.wins = false;
        crossing.tokensPerSecond = 900.0;
        text = sentence(crossing, false);
        QVERIFY2(text.find("does not pay") != std::string::npos && text.find("10.0 % fewer") != std::string::npos,
                 text.c_str());
        crossing.baseBatch = 0;
        text = sentence(crossing, false);
        QVERIFY2(text.find("not even one sequence") != std::string::npos, text.c_str());
    }

    void json_hasARowAStrategy()
    {
        const ModelConfig model = tinyModel(3);
        const Workload workload = workloadOf(model, 1, 8);
        const auto table = reachOf(Dimension::batch, model, workload, 100'000, byFake()).value();
        const Json json = toJson(table);
        QCOMPARE(json.at("rows").size(), table.reaches.size());
        QCOMPARE(json.at("rows")[2].at("batch").get<std::int64_t>(), table.reaches[2].size);
        QCOMPARE(json.at("crossing").at("sentence").get<std::string>(), sentence(*table.crossing, false));
        const Json other = toJson(reachOf(Dimension::sequence, model, workload, 100'000, byFake()).value());
        QVERIFY(other.at("rows")[0].contains("seq") && !other.contains("crossing"));
    }
};

REMAT_TEST(tst_reach);
#include "tst_reach.moc"
