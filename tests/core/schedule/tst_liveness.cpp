// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "schedule/liveness.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

Schedule scheduleOf(int stages, const char *text)
{
    Schedule schedule;
    schedule.stages = stages;
    for (const QString &word : QString(text).split(' ', Qt::SkipEmptyParts)) {
        auto op = parseOp(word.toStdString());
        if (!op)
            qFatal("%s", op.error().message.c_str());
        schedule.ops.push_back(*op);
    }
    return schedule;
}

} // namespace

class tst_liveness : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void validity_eachRule_hasItsSentence_data()
    {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<QString>("part");
        QTest::newRow("no loss") << "E0 E1"
                                 << "no loss";
        QTest::newRow("two losses") << "E0 E1 L L B1 B0"
                                    << "already computed at operation 2";
        QTest::newRow("no input") << "E1 L B1 B0"
                                  << "output of stage 0, does not exist";
        QTest::newRow("loss without input") << "E0 L B1 B0"
                                            << "output of stage 1, does not exist";
        QTest::newRow("stage out of range") << "E0 E1 E2 L B1 B0"
                                            << "stages 0 to 1";
        QTest::newRow("backward out of order") << "E0 E1 L B0 B1"
                                               << "the next one is B1";
        QTest::newRow("backward twice") << "E0 E1 L B1 B0 B0"
                                        << "every backward was already done";
        QTest::newRow("backward before loss") << "E0 E1 B1 L B0"
                                              << "no gradient before the loss";
        QTest::newRow("missing backward") << "E0 E1 L B1"
                                          << "stage 0 has no backward";
        QTest::newRow("not saved") << "F0 E1 L B1 B0"
                                   << "has no saved graph";
        QTest::newRow("saved twice") << "E0 E1 L B1 E0 B0"
                                     << "already saved at operation 0";
        QTest::newRow("useless forward") << "F0 E0 E1 L B1 B0"
                                         << "nobody reads its output";
        QTest::newRow("pinned") << "F0 E1 F0 L E0 B1 B0"
                                << "a live graph still holds";
    }
    void validity_eachRule_hasItsSentence()
    {
        QFETCH(QString, ops);
        QFETCH(QString, part);
        const auto result = analyse(scheduleOf(2, qPrintable(ops)));
        QVERIFY(!result);
        QVERIFY2(QString::fromStdString(result.error().message).contains(part), result.error().message.c_str());
    }

    void facts_checkpointedBlock_areRight()
    {
        //                                   0  1  2  3  4 5  6  7  8  9  10
        const auto result = analyse(scheduleOf(4, "E0 F1 F2 E3 L B3 E1 E2 B2 B1 B0"));
        QVERIFY2(result, result ? "" : result.error().message.c_str());
        const auto &facts = result->facts;
        QVERIFY(facts[0].outputKept); // the block's input is the checkpoint
        QVERIFY(facts[0].outputSurvivesNext);
        QVERIFY(!facts[1].outputKept);
        QVERIFY(!facts[1].outputSurvivesNext); // read by the next forward only
        QVERIFY(facts[2].outputSurvivesNext);  // pinned by E3
        QVERIFY(facts[6].recomputation && facts[7].recomputation);
        QVERIFY(!facts[1].recomputation && !facts[0].recomputation);
        QVERIFY(facts[7].phantomOutput); // nobody reads the block's rebuilt output
        QVERIFY(!facts[6].phantomOutput);
        QVERIFY(!facts[1].lastReadOfInput && facts[6].lastReadOfInput);
        QVERIFY(facts[4].lastReadOfInput);
    }

    void facts_boundaryMadeTwice_hasTwoLives()
    {
        //                                   0  1  2  3  4 5  6  7  8  9  10 11 12
        const auto result = analyse(scheduleOf(4, "E0 F1 F2 E3 L B3 F1 E2 B2 E1 B1 B0"));
        QVERIFY2(result, result ? "" : result.error().message.c_str());
        QVERIFY(!result->facts[1].outputKept);
        QVERIFY(result->facts[2].lastReadOfInput); // first life of boundary 2
        QVERIFY(result->facts[7].lastReadOfInput); // second life
        QVERIFY(result->facts[9].phantomOutput);
    }

    void firstTrainable_stagesBelow_areOnlyRun()
    {
        QVERIFY(analyse(scheduleOf(3, "F0 E1 E2 L B2 B1"), 1));
        QVERIFY(!analyse(scheduleOf(3, "E0 E1 E2 L B2 B1 B0"), 1));
        QVERIFY(!analyse(scheduleOf(3, "F0 E1 E2 L B2 B1"), 3));
    }

    void ops_text_roundTripsAndRefuses()
    {
        for (const char *text : {"F0", "E12", "E3:lean_mlp", "L", "B7"})
            QCOMPARE(toString(*parseOp(text)), std::string(text));
        QCOMPARE(toString(*parseOp("E3:keep_all")), std::string("E3"));
        for (const char *text :
             {"", "X1", "F", "F-1", "E3:", "F3:lean_mlp", "B1x", "L1", "E99999999999", "E3:a b", "E1:LEAN"})
            QVERIFY2(!parseOp(text), text);
    }

    void planFile_roundTripsAndRefuses()
    {
        const PlanFile plan{scheduleOf(2, "E0 E1:lean_mlp L B1 B0"), "0123456789abcdef"};
        auto back = planFromJson(toJson(plan), "plan");
        QVERIFY(back);
        QCOMPARE(back->schedule, plan.schedule);
        QCOMPARE(back->workloadHash, plan.workloadHash);
        QVERIFY(planFromJson(Json{{"feasible", true}, {"schedule", toJson(plan)}}, "plan output"));
        for (const char *bad :
             {"[]", "{}", R"({"format":"x"})", R"({"format":"remat-schedule","version":2,"stages":1,"ops":[]})",
              R"({"format":"remat-schedule","version":1,"stages":0,"ops":[]})",
              R"({"format":"remat-schedule","version":1,"stages":2,"ops":[1]})",
              R"({"format":"remat-schedule","version":1,"stages":2,"ops":["Q"]})", R"({"schedule":5})"}) {
            const auto refused = planFromJson(Json::parse(bad), "p.json");
            QVERIFY2(!refused, bad);
            QVERIFY(refused.error().message.find("p.json") != std::string::npos);
        }
    }
};

REMAT_TEST(tst_liveness);
#include "tst_liveness.moc"
