// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <rapidcheck.h>

#include "schedule/strategy.h"
#include "support/naive_simulator.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

std::string textOf(const Schedule &schedule)
{
    std::string text;
    for (const Op &op : schedule.ops)
        text += (text.empty() ? "" : " ") + toString(op);
    return text;
}

std::string opsOf(const char *strategy, int layers)
{
    return textOf(*makeSchedule(*parseStrategy(strategy), layers));
}

rc::Gen<std::string> anyStrategy(int layers)
{
    const auto numbered = rc::gen::map(
        rc::gen::pair(rc::gen::element<std::string>("every", "segments", "sequential", "first", "last", "layers"),
                      rc::gen::inRange(0, layers)),
        [](const auto &p) { return p.first + ":" + std::to_string(p.first == "layers" ? p.second : p.second + 1); });
    return rc::gen::oneOf(numbered, rc::gen::element<std::string>("none", "sqrt", "halves", "recursive", "input-only"));
}

Transient anyTransient()
{
    const Bytes activation = *rc::gen::inRange<Bytes>(0, 40);
    return {activation + *rc::gen::inRange<Bytes>(0, 9), activation};
}

OptionCost anyOption()
{
    OptionCost cost;
    cost.saved = *rc::gen::inRange<Bytes>(0, 30);
    cost.keepsInput = *rc::gen::inRange(0, 5) != 0;
    cost.keepsOutput = *rc::gen::inRange(0, 3) == 0;
    cost.forwardSave = anyTransient();
    cost.forwardSavePhantom = cost.keepsOutput ? cost.forwardSave : anyTransient();
    cost.backwardFirst = anyTransient();
    cost.backwardLater = anyTransient();
    cost.forwardSaveNs = *rc::gen::inRange<Bytes>(1, 9);
    cost.phantomNs = *rc::gen::inRange<Bytes>(1, 9);
    cost.backwardNs = *rc::gen::inRange<Bytes>(1, 9);
    cost.rebuildNs = *rc::gen::inRange<Bytes>(0, 3);
    return cost;
}

ChainCosts anyCosts(int stages)
{
    ChainCosts costs;
    costs.input = *rc::gen::inRange<Bytes>(0, 5);
    for (int i = 0; i < stages; ++i) {
        StageCost stage;
        stage.output = *rc::gen::inRange<Bytes>(0, 12);
        stage.forward = anyTransient();
        stage.forwardNs = *rc::gen::inRange<Bytes>(1, 9);
        stage.gradientGrowth = *rc::gen::inRange<Bytes>(0, 20);
        stage.options[""] = anyOption();
        stage.options["lean_mlp"] = anyOption();
        costs.stages.push_back(stage);
    }
    costs.loss = {anyTransient(), anyTransient(), *rc::gen::inRange<Bytes>(0, 20), 3};
    costs.staticBytes = *rc::gen::inRange<Bytes>(0, 1000);
    costs.optimizer = anyTransient();
    costs.microBatches = *rc::gen::inRange(1, 4);
    costs.gradientsKept = *rc::gen::arbitrary<bool>();
    return costs;
}

} // namespace

class tst_strategy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void schedules_smallModels_areAsWritten()
    {
        QCOMPARE(opsOf("none", 1), std::string("E0 E1 E2 E3 L B3 B2 B1 B0"));
        QCOMPARE(opsOf("every:1", 2), std::string("E0 F1 F2 F3 F4 E5 L B5 E3 E4 B4 B3 E1 E2 B2 B1 B0"));
        QCOMPARE(opsOf("every:2", 2), std::string("E0 F1 F2 E3 E4 E5 L B5 B4 B3 E1 E2 B2 B1 B0"));
        QCOMPARE(opsOf("segments:2", 2), std::string("E0 F1 F2 F3 F4 E5 L B5 E1 E2 E3 E4 B4 B3 B2 B1 B0"));
        QCOMPARE(opsOf("sequential:2", 3), std::string("E0 F1 F2 E3 E4 E5 E6 E7 L B7 B6 B5 B4 B3 E1 E2 B2 B1 B0"));
        QCOMPARE(opsOf("last:1", 2), std::string("E0 E1 E2 F3 F4 E5 L B5 E3 E4 B4 B3 B2 B1 B0"));
        QCOMPARE(opsOf("halves", 1), std::string("E0 F1 F2 E3 L B3 E2 B2 E1 B1 B0"));
        QCOMPARE(opsOf("recursive", 2), std::string("E0 F1 F2 F3 F4 E5 L B5 F1 F2 E3 E4 B4 B3 E1 E2 B2 B1 B0"));
        QCOMPARE(opsOf("input-only", 2), std::string("E0 F1 F2 F3 F4 E5 L B5 F1 F2 E3 E4 B4 B3 E1 E2 B2 B1 B0"));
        QCOMPARE(opsOf("recursive", 3),
                 std::string("E0 F1 F2 F3 F4 F5 F6 E7 L B7 F1 F2 F3 F4 E5 E6 B6 B5 E3 E4 B4 B3 E1 E2 B2 B1 B0"));
    }

    void segments_uneven_shortenTheLast()
    {
        const Schedule schedule = *makeSchedule(*parseStrategy("segments:2"), 5);
        QCOMPARE(checkpointedLayers(schedule, 5), (std::vector<int>{0, 2, 4}));
        QCOMPARE(recomputedLayers(schedule, 5), (std::vector<int>{0, 1, 2, 3, 4}));
    }

    void layers_ofStrategies_areNamed()
    {
        const auto recomputed
            = [](const char *text) { return recomputedLayers(*makeSchedule(*parseStrategy(text), 8), 8); };
        QCOMPARE(recomputed("none"), std::vector<int>{});
        QCOMPARE(recomputed("every:3"), (std::vector<int>{0, 3, 6}));
        QCOMPARE(recomputed("layers:0,3,5-7"), (std::vector<int>{0, 3, 5, 6, 7}));
        QCOMPARE(recomputed("sequential:3"), (std::vector<int>{0, 1, 2, 3}));
        QCOMPARE(checkpointedLayers(*makeSchedule(*parseStrategy("input-only"), 8), 8), std::vector<int>{0});
    }

    void parse_spellings_areCanonicalOrRefused()
    {
        QCOMPARE(parseStrategy("layers:5,3,4,0")->text, std::string("layers:0,3-5"));
        QCOMPARE(parseStrategy("every:02")->text, std::string("every:2"));
        QCOMPARE(parseStrategy("file:a:b.json")->path, std::string("a:b.json"));
        for (const char *bad :
             {"", "nothing", "every", "every:", "every:x", "every:-1", "none:1", "layers:", "layers:3-1",
              "file:", "sqrt:2", "segments:1.5", "layers:a", "budget:50%", "selective:mlp"})
            QVERIFY2(!parseStrategy(bad), bad);
    }

    void numbers_outOfRange_areRefusedWithTheRange()
    {
        for (const char *text : {"every:0", "every:5", "segments:5", "sequential:5", "first:5", "last:0", "layers:4"}) {
            const auto result = makeSchedule(*parseStrategy(text), 4);
            QVERIFY2(!result, text);
            QVERIFY(result.error().message.find(text) != std::string::npos);
        }
    }

    void strategies_anyModel_areValidAndAgreeWithTheNaiveSimulator()
    {
        const bool held = rc::check("every strategy is valid; peak and forwards agree with the oracle", [] {
            const int layers = *rc::gen::inRange(1, 9);
            const std::string text = *anyStrategy(layers);
            const bool lean = *rc::gen::arbitrary<bool>();
            const auto schedule = makeSchedule(*parseStrategy(text), layers, lean ? "lean_mlp" : "");
            RC_ASSERT(schedule.has_value());
            RC_ASSERT(analyse(*schedule).has_value());
            const ChainCosts costs = anyCosts(schedule->stages);
            const auto simulated = simulate(*schedule, costs);
            RC_ASSERT(simulated.has_value());
            const NaiveResult naive = naiveSimulation(*schedule, costs);
            RC_ASSERT(simulated->peak == naive.peak);
            RC_ASSERT(simulated->activationPeak == naive.activationPeak);
            RC_ASSERT(simulated->recomputedForwards == naive.forwards - schedule->stages);
        });
        QVERIFY(held);
    }

    void costs_json_roundTrips()
    {
        const bool held = rc::check("costs survive JSON", [] {
            const ChainCosts costs = anyCosts(*rc::gen::inRange(1, 6));
            const auto back = costsFromJson(toJson(costs), "costs");
            RC_ASSERT(back.has_value());
            RC_ASSERT(*back == costs);
        });
        QVERIFY(held);
    }

    void simulate_misfits_areRefused()
    {
        const Schedule schedule = *makeSchedule(*parseStrategy("none"), 1, "lean_mlp");
        QVERIFY(!simulate(schedule, homogeneousChain(3, 2, 1, true)));
        const auto unknownOption = simulate(schedule, homogeneousChain(4, 2, 1, true));
        QVERIFY(!unknownOption);
        QVERIFY(unknownOption.error().message.find("E2:lean_mlp") != std::string::npos);
    }
};

REMAT_TEST(tst_strategy);
#include "tst_strategy.moc"
