// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "schedule/chain_file.h"

#include "schedule/simulator.h"
#include "support/random_chain.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

constexpr const char *kPlain = R"({"boundary":[1,2,3],"saved":[4,5],"forward":[6,7],"backward":[8,9]})";

Json json(const QByteArray &text)
{
    return parseJson(text.toStdString(), "test").value();
}

/// The plain chain with some keys set.
Json plainWith(const char *more)
{
    Json chain = json(kPlain);
    chain.update(json(more));
    return chain;
}

ChainFile read(const Json &chain)
{
    auto file = chainFromJson(chain, "chain");
    if (!file)
        qFatal("%s", file.error().message.c_str());
    return std::move(*file);
}

Schedule schedule(int stages, std::initializer_list<const char *> ops)
{
    Schedule made;
    made.stages = stages;
    for (const char *op : ops)
        made.ops.push_back(parseOp(op).value());
    return made;
}

Simulation run(const ChainFile &file, std::initializer_list<const char *> ops)
{
    auto simulation = simulate(schedule(static_cast<int>(file.costs.stages.size()), ops), file.costs);
    if (!simulation)
        qFatal("%s", simulation.error().message.c_str());
    return std::move(*simulation);
}

Transient both(Bytes bytes)
{
    return {bytes, bytes};
}

} // namespace

class tst_chain_file : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void plain_meansWhatTheNotationSays()
    {
        const ChainFile file = read(json(kPlain));
        QCOMPARE(file.timeScale, std::int64_t(1));
        QVERIFY(file.costs.source == CostSource::chainFile);
        QCOMPARE(file.costs.input, Bytes(1));
        QCOMPARE(int(file.costs.stages.size()), 2);
        const StageCost &stage = file.costs.stages[1];
        QCOMPARE(stage.output, Bytes(3));
        QVERIFY(stage.forward == both(3));
        QCOMPARE(stage.forwardNs, Nanoseconds(7));
        QCOMPARE(stage.gradientGrowth, Bytes(0));
        const OptionCost &option = stage.options.at("");
        QCOMPARE(option.saved, Bytes(5));
        QVERIFY(option.keepsInput && option.keepsOutput);
        QVERIFY(option.forwardSave == both(5 + 3) && option.forwardSavePhantom == both(5 + 3));
        QVERIFY(option.backwardFirst == both(2) && option.backwardLater == both(2));
        QCOMPARE(option.forwardSaveNs, Nanoseconds(7));
        QCOMPARE(option.phantomNs, Nanoseconds(7));
        QCOMPARE(option.backwardNs, Nanoseconds(9));
        QVERIFY(file.costs.loss.first == both(3) && file.costs.loss.later == both(3));
        QCOMPARE(file.costs.loss.ns, Nanoseconds(0));
    }

    void everyKey_hasItsPlace()
    {
        const ChainFile file
            = read(plainWith(R"({"forward_transient":[10,20],"backward_transient":[30,40],"loss_transient":50,
            "loss_time":60,"run":[3,4],"run_transient":[70,80],"forward_phantom":[5,6],"phantom_transient":[2,1],
            "gradient":[90,100],"keeps_output":[true,false]})"));
        const StageCost &first = file.costs.stages[0];
        const StageCost &second = file.costs.stages[1];
        QVERIFY(first.forward == both(2 + 70) && second.forward == both(3 + 80));
        QCOMPARE(first.forwardNs, Nanoseconds(3));
        QCOMPARE(second.gradientGrowth, Bytes(100));
        const OptionCost &kept = first.options.at("");
        const OptionCost &dropped = second.options.at("");
        QVERIFY(kept.keepsOutput && !dropped.keepsOutput);
        QVERIFY(kept.forwardSave == both(4 + 2 + 10) && dropped.forwardSave == both(5 + 3 + 20));
        // A phantom's transient is on top of what the graph keeps: its output where it keeps one.
        QVERIFY(kept.forwardSavePhantom == both(4 + 2 + 2) && dropped.forwardSavePhantom == both(5 + 1));
        QCOMPARE(dropped.phantomNs, Nanoseconds(6));
        QVERIFY(kept.backwardFirst == both(1 + 30) && dropped.backwardFirst == both(2 + 40));
        QVERIFY(file.costs.loss.first == both(3 + 50));
        QCOMPARE(file.costs.loss.ns, Nanoseconds(60));
    }

    void phantomTransient_absent_isAsIfMadeAndDropped()
    {
        const ChainFile file = read(plainWith(R"({"forward_transient":[10,20],"keeps_output":false})"));
        for (const StageCost &stage : file.costs.stages)
            QVERIFY(stage.options.at("").forwardSavePhantom == stage.options.at("").forwardSave);
    }

    void options_areLists_aNumberHoldsForAll()
    {
        const ChainFile file = read(
            plainWith(R"({"saved":[[4,2,1],5],"backward":[[8,9,11],9],"backward_transient":[0,[7,8]],"run":[6,7]})"));
        const auto &first = file.costs.stages[0].options;
        const auto &second = file.costs.stages[1].options;
        QCOMPARE(int(first.size()), 3);
        QCOMPARE(int(second.size()), 2);
        QCOMPARE(first.at("2").saved, Bytes(1));
        QCOMPARE(first.at("1").backwardNs, Nanoseconds(9));
        QCOMPARE(first.at("2").forwardSaveNs, Nanoseconds(6));
        QCOMPARE(second.at("1").saved, Bytes(5));
        QVERIFY(second.at("1").backwardFirst == both(2 + 8) && second.at("").backwardFirst == both(2 + 7));
        const Simulation plain = run(file, {"E0", "E1", "L", "B1", "B0"});
        const Simulation lean = run(file, {"E0:2", "E1:0", "L", "B1", "B0"});
        QCOMPARE(plain.peak - lean.peak, Bytes(3));
        QCOMPARE(lean.stepNs - plain.stepNs, Nanoseconds(3));
        QVERIFY(!simulate(schedule(2, {"E0:3", "E1", "L", "B1", "B0"}), file.costs).has_value());
    }

    void phantoms_countAsOptions()
    {
        const auto options = read(plainWith(R"({"forward_phantom":[[1,2],3]})")).costs.stages[0].options;
        QCOMPARE(int(options.size()), 2);
        QCOMPARE(options.at("1").phantomNs, Nanoseconds(2));
        QCOMPARE(options.at("1").saved, Bytes(4));
    }

    void run_isOptionNoughtsForwardUnlessGiven()
    {
        const ChainFile file
            = read(plainWith(R"({"forward":[[6,1],7],"forward_transient":[[10,90],0],"saved":[[4,4],5]})"));
        QCOMPARE(file.costs.stages[0].forwardNs, Nanoseconds(6));
        QVERIFY(file.costs.stages[0].forward == both(2 + 10));
    }

    void gradient_staysAfterItsBackward()
    {
        const auto ops = {"E0", "E1", "L", "B1", "B0"};
        const Simulation none = run(read(json(kPlain)), ops);
        const Simulation grown = run(read(plainWith(R"({"gradient":[1000,100]})")), ops);
        QCOMPARE(grown.ops[3].heldAfter - none.ops[3].heldAfter, Bytes(100));
        QCOMPARE(grown.ops[4].peak - none.ops[4].peak, Bytes(100));
        QCOMPARE(grown.peak, Bytes(1 + 1100)); // what the optimizer finds
    }

    void fractions_ofTimesAreScaled()
    {
        const ChainFile file = read(plainWith(R"({"forward":[0.5,7],"backward":[8,0.000001],"loss_time":2})"));
        QCOMPARE(file.timeScale, std::int64_t(1'000'000));
        QCOMPARE(file.costs.stages[0].forwardNs, Nanoseconds(500'000));
        QCOMPARE(file.costs.stages[0].options.at("").phantomNs, Nanoseconds(500'000));
        QCOMPARE(file.costs.stages[1].options.at("").backwardNs, Nanoseconds(1));
        QCOMPARE(file.costs.loss.ns, Nanoseconds(2'000'000));
        QCOMPARE(read(plainWith(R"({"forward":[6.0,7e0]})")).timeScale, std::int64_t(1));
    }

    void keepsOutput_false_isOneBoundaryLower()
    {
        Bytes peaks[2];
        for (const bool keeps : {false, true}) {
            Json chain = json(R"({"boundary":[1,1,1],"saved":[4,4],"forward":[1,1],"backward":[2,2]})");
            chain["keeps_output"] = keeps;
            peaks[keeps] = run(read(chain), {"E0", "E1", "L", "B1", "B0"}).peak;
        }
        QCOMPARE(peaks[1] - peaks[0], Bytes(1));
    }

    void literature_overBudgetSequence_peaksAtEighteen()
    {
        // The published guard of the persistent solver lets this sequence through at a budget of 17.
        const ChainFile file = read(json(
            R"({"boundary":[3,2,1,3,1],"saved":[2,2,0,2],"forward":[1,1,1,1],"backward":[0,0,0,0],
                "forward_transient":[6,7,2,7],"backward_transient":[2,1,0,2],"loss_transient":0})"));
        const Simulation simulation
            = run(file, {"F0", "F1", "F2", "E3", "L", "B3", "F0", "E1", "E2", "B2", "B1", "E0", "B0"});
        QCOMPARE(simulation.peak, Bytes(18));
        QCOMPARE(simulation.ops[static_cast<std::size_t>(simulation.peakIndex)].op, 7);
        QCOMPARE(simulation.recomputedForwards, 4);
    }

    void literature_isTheSameAsMadeByHand()
    {
        const ChainFile file = read(json(
            R"({"boundary":[2,3,1,2,2,1],"saved":[4,3,4,3,2],"forward":[3,2,4,2,1],"backward":[6,5,7,4,2],
                "forward_transient":[1,0,2,0,1],"backward_transient":[2,1,0,1,0],"loss_transient":3})"));
        const ChainCosts byHand = literatureChain({{2, 3, 1, 2, 2, 1},
                                                   {7, 4, 6, 5, 3},
                                                   {3, 2, 4, 2, 1},
                                                   {6, 5, 7, 4, 2},
                                                   {1, 0, 2, 0, 1},
                                                   {2, 1, 0, 1, 0, 3}});
        QVERIFY(file.costs == byHand);
    }

    void ownCosts_areReadAsTheyAre()
    {
        ChainCosts costs = read(json(kPlain)).costs;
        costs.staticBytes = 1000;
        const ChainFile bare = read(toJson(costs));
        QVERIFY(bare.costs == costs);
        QCOMPARE(bare.timeScale, std::int64_t(1));
        QVERIFY(read(Json{{"format", "remat-chain"}, {"version", 1}, {"costs", toJson(costs)}}).costs == costs);
        QVERIFY(read(Json{{"costs", toJson(costs)}}).costs == costs);
        QVERIFY(!chainFromJson(Json{{"costs", 3}}, "chain").has_value());
    }

    void head_mayBeThere()
    {
        QVERIFY(read(plainWith(R"({"format":"remat-chain","version":1})")).costs == read(json(kPlain)).costs);
    }

    void broken_isOneSentence_data()
    {
        QTest::addColumn<QByteArray>("more");
        QTest::newRow("foreign") << QByteArray(R"({"format":"remat-schedule"})");
        QTest::newRow("version") << QByteArray(R"({"format":"remat-chain","version":2})");
        QTest::newRow("no boundary") << QByteArray(R"({"boundary":null})");
        QTest::newRow("one boundary") << QByteArray(R"({"boundary":[1]})");
        QTest::newRow("too short") << QByteArray(R"({"saved":[4]})");
        QTest::newRow("too long") << QByteArray(R"({"forward":[4,5,6]})");
        QTest::newRow("no list") << QByteArray(R"({"backward":4})");
        QTest::newRow("negative size") << QByteArray(R"({"saved":[-1,2]})");
        QTest::newRow("negative time") << QByteArray(R"({"forward":[-1,2]})");
        QTest::newRow("fraction of a size") << QByteArray(R"({"saved":[1.5,2]})");
        QTest::newRow("fraction of a transient") << QByteArray(R"({"forward_transient":[1.5,2]})");
        QTest::newRow("fraction of a phantom's transient") << QByteArray(R"({"phantom_transient":[1.5,2]})");
        QTest::newRow("fraction of a gradient") << QByteArray(R"({"gradient":[0.5,2]})");
        QTest::newRow("text") << QByteArray(R"({"saved":["1",2]})");
        QTest::newRow("huge size") << QByteArray(R"({"saved":[1e300,2]})");
        QTest::newRow("huge time with fractions") << QByteArray(R"({"forward":[2e9,0.5]})");
        QTest::newRow("fewer options") << QByteArray(R"({"saved":[[1,2,3],4],"forward":[[1,2],3]})");
        QTest::newRow("no options") << QByteArray(R"({"saved":[[],4]})");
        QTest::newRow("options in options") << QByteArray(R"({"saved":[[[1]],4]})");
        QTest::newRow("flag") << QByteArray(R"({"keeps_output":1})");
        QTest::newRow("flags") << QByteArray(R"({"keeps_output":[true]})");
        QTest::newRow("flags that are none") << QByteArray(R"({"keeps_output":[true,1]})");
        QTest::newRow("loss") << QByteArray(R"({"loss_transient":"much"})");
        QTest::newRow("loss's time") << QByteArray(R"({"loss_time":[1]})");
    }
    void broken_isOneSentence()
    {
        QFETCH(QByteArray, more);
        const auto file = chainFromJson(plainWith(more.constData()), "The chain");
        QVERIFY(!file.has_value());
        QCOMPARE(file.error().code, ErrorCode::refused);
        QVERIFY2(file.error().message.starts_with("The chain "), file.error().message.c_str());
        QVERIFY2(file.error().message.ends_with('.'), file.error().message.c_str());
        QCOMPARE(std::count(file.error().message.begin(), file.error().message.end(), '\n'), 0);
    }

    void listsPerOption_wherePerStageNumbersBelong_areRefused_data()
    {
        QTest::addColumn<QByteArray>("more");
        for (const char *key : {"boundary", "run", "run_transient", "gradient"})
            QTest::newRow(key) << QByteArray("{\"") + key
                    + (key == QByteArray("boundary") ? "\":[1,[2,9],3]}" : "\":[[1,9],2]}");
    }
    void listsPerOption_wherePerStageNumbersBelong_areRefused()
    {
        QFETCH(QByteArray, more);
        QVERIFY(!chainFromJson(plainWith(more.constData()), "The chain").has_value());
    }

    void notAnObject_isRefused()
    {
        for (const char *text : {"[]", "{}", "3", "null", "\"chain\""}) {
            const auto file = chainFromJson(json(text), "The chain");
            QVERIFY(!file.has_value());
            QVERIFY(file.error().message.ends_with('.'));
        }
    }
};

REMAT_TEST(tst_chain_file);
#include "tst_chain_file.moc"
