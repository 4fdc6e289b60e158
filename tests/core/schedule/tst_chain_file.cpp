// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "schedule/chain_file.h"

#include "schedule/simulator.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

Json json(const char *text)
{
    return parseJson(text, "test").value();
}

Schedule schedule(int stages, std::initializer_list<const char *> ops)
{
    Schedule made;
    made.stages = stages;
    for (const char *op : ops)
        made.ops.push_back(parseOp(op).value());
    return made;
}

} // namespace

class tst_chain_file : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void literature_overBudgetSequence_peaksAtEighteen()
    {
        // The published guard of the persistent solver lets this sequence through at a budget of 17.
        const auto costs = chainFromJson(
            json(R"({"w":[3,2,1,3,1],"W":[4,3,3,3],"f":[1,1,1,1],"g":[0,0,0,0],"of":[6,7,2,7],"ob":[2,1,0,2,0]})"),
            "chain");
        QVERIFY(costs.has_value());
        const auto simulation = simulate(
            schedule(4, {"F0", "F1", "F2", "E3", "L", "B3", "F0", "E1", "E2", "B2", "B1", "E0", "B0"}), *costs);
        QVERIFY2(simulation.has_value(), simulation ? "" : simulation.error().message.c_str());
        QCOMPARE(simulation->peak, Bytes(18));
        QCOMPARE(simulation->ops[static_cast<std::size_t>(simulation->peakIndex)].op, 7);
        QCOMPARE(simulation->recomputedForwards, 4);
    }

    void literature_counterexampleOfPersistence_fitsEight()
    {
        const auto costs
            = chainFromJson(json(R"({"w":[1,1,2,1,2],"W":[1,2,2,2],"f":[1,2,1,1],"g":[0,0,0,0]})"), "chain");
        QVERIFY(costs.has_value());
        const auto all = simulate(schedule(4, {"E0", "E1", "E2", "E3", "L", "B3", "B2", "B1", "B0"}), *costs);
        QCOMPARE(all->stepNs, Nanoseconds(5));
        QVERIFY(all->peak > 8);
    }

    void keepsOutput_false_isOneBoundaryLower()
    {
        const char *ops = R"({"w":[1,1,1],"W":[5,5],"f":[1,1],"g":[2,2],"keeps_output":%1})";
        Bytes peaks[2];
        for (const bool keeps : {false, true}) {
            const QByteArray text = QString(ops).arg(keeps ? "true" : "false").toUtf8();
            const auto costs = chainFromJson(json(text.constData()), "chain");
            peaks[keeps] = simulate(schedule(2, {"E0", "E1", "L", "B1", "B0"}), *costs)->peak;
        }
        QCOMPARE(peaks[1] - peaks[0], Bytes(1));
    }

    void options_haveTheirOwnCosts()
    {
        const auto costs = chainFromJson(
            json(R"({"w":[1,1],"W":[9],"f":[4],"g":[8],"options":[{"id":"1","W":[3],"g":[11]}]})"), "chain");
        QVERIFY(costs.has_value());
        const auto plain = simulate(schedule(1, {"E0", "L", "B0"}), *costs);
        const auto lean = simulate(schedule(1, {"E0:1", "L", "B0"}), *costs);
        QCOMPARE(plain->peak - lean->peak, Bytes(6));
        QCOMPARE(lean->stepNs - plain->stepNs, Nanoseconds(3));
        QVERIFY(!simulate(schedule(1, {"E0:2", "L", "B0"}), *costs).has_value());
    }

    void ownCosts_areReadAsTheyAre()
    {
        auto costs = chainFromJson(json(R"({"w":[1,1],"W":[9],"f":[4],"g":[8]})"), "chain").value();
        costs.staticBytes = 1000;
        QVERIFY(chainFromJson(toJson(costs), "chain").value() == costs);
        QVERIFY(
            chainFromJson(Json{{"format", "remat-chain"}, {"version", 1}, {"costs", toJson(costs)}}, "chain").value()
            == costs);
    }

    void broken_isOneSentence_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("array") << QByteArray("[]");
        QTest::newRow("empty") << QByteArray("{}");
        QTest::newRow("foreign") << QByteArray(R"({"format":"remat-schedule","w":[1,1],"W":[1],"f":[1],"g":[1]})");
        QTest::newRow("version") << QByteArray(
            R"({"format":"remat-chain","version":2,"w":[1,1],"W":[1],"f":[1],"g":[1]})");
        QTest::newRow("short") << QByteArray(R"({"w":[1,1,1],"W":[1],"f":[1,1],"g":[1,1]})");
        QTest::newRow("negative") << QByteArray(R"({"w":[1,1],"W":[-1],"f":[1],"g":[1]})");
        QTest::newRow("fraction") << QByteArray(R"({"w":[1,1],"W":[1],"f":[1.5],"g":[1]})");
        QTest::newRow("text") << QByteArray(R"({"w":[1,1],"W":["1"],"f":[1],"g":[1]})");
        QTest::newRow("huge") << QByteArray(R"({"w":[1,1],"W":[1e300],"f":[1],"g":[1]})");
        QTest::newRow("W below w") << QByteArray(R"({"w":[1,5],"W":[4],"f":[1],"g":[1]})");
        QTest::newRow("option") << QByteArray(R"({"w":[1,1],"W":[1],"f":[1],"g":[1],"options":[3]})");
        QTest::newRow("flag") << QByteArray(R"({"w":[1,1],"W":[1],"f":[1],"g":[1],"keeps_output":1})");
    }
    void broken_isOneSentence()
    {
        QFETCH(QByteArray, text);
        const auto costs = chainFromJson(json(text.constData()), "chain");
        QVERIFY(!costs.has_value());
        QCOMPARE(costs.error().code, ErrorCode::refused);
        QVERIFY(costs.error().message.ends_with('.'));
    }
};

REMAT_TEST(tst_chain_file);
#include "tst_chain_file.moc"
