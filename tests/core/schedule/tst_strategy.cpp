// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <set>

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

std::string opsOf(const char *strategy, const ChainShape &shape)
{
    const auto schedule = makeSchedule(*parseStrategy(strategy), shape);
    return schedule ? textOf(*schedule) : schedule.error().message;
}

std::string anyOptions(int layers)
{
    const auto half = [](StageKind kind) {
        const auto &ids = optionIds(kind);
        return std::string(ids[std::size_t(*rc::gen::inRange(0, int(ids.size())))]);
    };
    std::string text;
    for (const StageKind kind : {StageKind::attention, StageKind::feedForward})
        if (const std::string id = half(kind); id != "keep_all" && text != id)
            text += (text.empty() ? "" : "+") + id;
    if (text.empty() || *rc::gen::arbitrary<bool>())
        return text;
    return text + "@" + std::to_string(*rc::gen::inRange(0, layers));
}

ChainShape anyShape(int layers)
{
    ChainShape shape(layers, *rc::gen::inRange(1, 3));
    if (*rc::gen::arbitrary<bool>())
        shape.firstTrainable = *rc::gen::inRange(0, shape.stages());
    return shape;
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

ChainCosts anyCosts(int stages, const std::set<std::string> &ids = {"lean_mlp"})
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
        if (*rc::gen::inRange(0, 3) == 0)
            stage.remembered = *rc::gen::inRange<Bytes>(1, 20);
        for (const std::string &id : ids)
            stage.options[id] = anyOption();
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

    void selective_isCanonical_data()
    {
        QTest::addColumn<QString>("canonical");
        for (const auto &[text, canonical] : std::initializer_list<std::pair<const char *, const char *>>{
                 {"selective:attention", "selective:attention"},
                 {"selective:drop_core", "selective:attention"},
                 {"selective:mlp+attention", "selective:attention+mlp"},
                 {"selective:lean_mlp+drop_qkv@3,0,4-5", "selective:drop_qkv+lean_mlp@0,3-5"},
                 {"selective:mlp+drop_qkv_norm", "selective:drop_qkv_norm+lean_mlp"},
                 {"selective:keep_all_norm", "selective:keep_all_norm"},
                 {"selective:drop_up_norm+keep_all_norm", "selective:keep_all_norm+drop_up_norm"},
                 {"selective:keep_all_norm+attention", "selective:drop_core+keep_all_norm"},
                 {"none+selective:mlp", "selective:mlp"},
                 {"segments:02+selective:lean_mlp", "segments:2+selective:mlp"},
                 {"layers:3,2+selective:drop_up@1", "layers:2-3+selective:drop_up@1"},
                 {"recursive+selective:attention+mlp@0-1", "recursive+selective:attention+mlp@0-1"}})
            QTest::newRow(text) << QString(canonical);
    }
    void selective_isCanonical()
    {
        QFETCH(QString, canonical);
        const auto strategy = parseStrategy(QTest::currentDataTag());
        QVERIFY2(strategy, strategy ? "" : strategy.error().message.c_str());
        QCOMPARE(QString::fromStdString(strategy->text), canonical);
        QCOMPARE(parseStrategy(strategy->text)->text, strategy->text);
    }

    void selective_setsTheHalvesOfItsLayers()
    {
        QCOMPARE(opsOf("selective:attention", 2),
                 std::string("E0 E1:drop_core E2 E3:drop_core E4 E5 L B5 B4 B3 B2 B1 B0"));
        QCOMPARE(opsOf("selective:drop_qkv+mlp@1", 2),
                 std::string("E0 E1 E2 E3:drop_qkv E4:lean_mlp E5 L B5 B4 B3 B2 B1 B0"));
        QCOMPARE(opsOf("every:2+selective:mlp", 2),
                 std::string("E0 F1 F2 E3 E4:lean_mlp E5 L B5 B4 B3 E1 E2:lean_mlp B2 B1 B0"));
        QCOMPARE(opsOf("selective:keep_all_norm", 1),
                 std::string("E0 E1:keep_all_norm E2:keep_all_norm E3 L B3 B2 B1 B0"));
        QVERIFY(opsOf("selective:mlp@2", 2).find("numbered from 0 to 1") != std::string::npos);
    }

    void oneStageBlocks_takeBothOptions()
    {
        QCOMPARE(opsOf("selective:mlp+attention", {2, 1}),
                 std::string("E0 E1:drop_core+lean_mlp E2:drop_core+lean_mlp E3 L B3 B2 B1 B0"));
        QCOMPARE(opsOf("selective:mlp@1", {2, 1}), std::string("E0 E1 E2:lean_mlp E3 L B3 B2 B1 B0"));
        QCOMPARE(opsOf("selective:keep_all_norm", {1, 1}), std::string("E0 E1:keep_all_norm E2 L B2 B1 B0"));
        QCOMPARE(opsOf("halves", {2, 1}), opsOf("every:1", {2, 1}));
        QCOMPARE(opsOf("segments:2", {2, 1}), std::string("E0 F1 F2 E3 L B3 E1 E2 B2 B1 B0"));
        QCOMPARE(recomputedLayers(*makeSchedule(*parseStrategy("every:2"), {5, 1}), {5, 1}),
                 (std::vector<int>{0, 2, 4}));
        QCOMPARE(checkpointedLayers(*makeSchedule(*parseStrategy("segments:2"), {5, 1}), {5, 1}),
                 (std::vector<int>{0, 2, 4}));
    }

    void frozenStages_areOnlyRunForward()
    {
        QCOMPARE(opsOf("none", {2, 2, 1}), std::string("F0 E1 E2 E3 E4 E5 L B5 B4 B3 B2 B1"));
        QCOMPARE(opsOf("every:1", {2, 2, 3}), std::string("F0 F1 F2 F3 F4 E5 L B5 E3 E4 B4 B3"));
        QCOMPARE(opsOf("every:1", {2, 2, 5}), std::string("F0 F1 F2 F3 F4 E5 L B5"));
        QCOMPARE(opsOf("segments:2", {2, 2, 3}), std::string("F0 F1 F2 F3 F4 E5 L B5 F1 F2 E3 E4 B4 B3"));
        QCOMPARE(opsOf("recursive", {3, 2, 5}), std::string("F0 F1 F2 F3 F4 F5 F6 E7 L B7 F1 F2 F3 F4 E5 E6 B6 B5"));
        QCOMPARE(opsOf("input-only", {2, 2, 3}), std::string("F0 F1 F2 F3 F4 E5 L B5 F1 F2 E3 E4 B4 B3"));
        QCOMPARE(opsOf("selective:mlp", {2, 1, 2}), std::string("F0 F1 E2:lean_mlp E3 L B3 B2"));
    }

    void optionIds_joinedAndBack()
    {
        QCOMPARE(optionIds(StageKind::attention).size(), std::size_t(6));
        QCOMPARE(optionIds(StageKind::feedForward).front(), std::string_view("keep_all"));
        const auto both = stageOptionsFrom("drop_core_norm+lean_mlp");
        QVERIFY(both);
        QCOMPARE(both->idFor(StageKind::block), std::string("drop_core_norm+lean_mlp"));
        QCOMPARE(both->idFor(StageKind::attention), std::string("drop_core_norm"));
        QCOMPARE(both->idFor(StageKind::finalNorm), std::string());
        QCOMPARE(stageOptionsFrom("keep_all_norm")->feedForward, std::string("keep_all_norm"));
        QVERIFY(!stageOptionsFrom("drop_core+drop_core") && !stageOptionsFrom("+") && !stageOptionsFrom("x"));
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
        for (const char *bad : {"",
                                "nothing",
                                "every",
                                "every:",
                                "every:x",
                                "every:-1",
                                "none:1",
                                "layers:",
                                "layers:3-1",
                                "file:",
                                "sqrt:2",
                                "segments:1.5",
                                "layers:a",
                                "budget:",
                                "budget:%",
                                "budget:-5%",
                                "budget:50%%",
                                "budget:much",
                                "selective:",
                                "selective:keep_all",
                                "selective:@1",
                                "selective:mlp@",
                                "selective:mlp@a",
                                "selective:mlp+lean_mlp",
                                "selective:drop_core+drop_qkv",
                                "selective:keep_all_norm+drop_core+lean_mlp",
                                "selective:lean",
                                "none+mlp",
                                "budget:1+selective:mlp",
                                "+selective:mlp",
                                "every:1+selective:"})
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
            const ChainShape shape = anyShape(layers);
            const std::string options = anyOptions(layers);
            const auto strategy
                = parseStrategy(*anyStrategy(layers) + (options.empty() ? "" : "+selective:" + options));
            RC_ASSERT(strategy.has_value());
            RC_ASSERT(parseStrategy(strategy->text)->text == strategy->text);
            const auto schedule = makeSchedule(*strategy, shape);
            RC_ASSERT(schedule.has_value());
            RC_ASSERT(analyse(*schedule, shape.firstTrainable).has_value());
            std::set<std::string> ids;
            for (const Op &op : schedule->ops)
                ids.insert(op.option);
            ChainCosts costs = anyCosts(schedule->stages, ids);
            costs.firstTrainable = shape.firstTrainable;
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
        const Schedule schedule = *makeSchedule(*parseStrategy("selective:mlp"), 1);
        QVERIFY(!simulate(schedule, homogeneousChain(3, 2, 1, true)));
        const auto unknownOption = simulate(schedule, homogeneousChain(4, 2, 1, true));
        QVERIFY(!unknownOption);
        QVERIFY(unknownOption.error().message.find("E2:lean_mlp") != std::string::npos);
    }
};

REMAT_TEST(tst_strategy);
#include "tst_strategy.moc"
