// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/remat_process.h"

#include "measure/point.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

class tst_remat_workload : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void options_reachThePoint()
    {
        RematProcess remat;
        const Finished run
            = remat.run({"measure", remat.config(), "--strategy", "selective:lean_mlp+drop_core@0", "--json",
                         "--repeats", "3", "--dtype", "mixed-bf16", "--attention", "flash", "--attention-dropout", "0",
                         "--optimizer", "adamw-per-tensor", "--loss", "chunked:4", "--train", "last:1"});
        QVERIFY2(run.code == 0, run.err.constData());
        const auto point = pointFromJson(run.json());
        QVERIFY(point.has_value());
        QCOMPARE(point->strategy, std::string("selective:attention+mlp@0"));
        QCOMPARE(point->dtype, std::string("mixed-bf16"));
        QCOMPARE(point->attention, std::string("flash"));
        QCOMPARE(point->optimizer, std::string("adamw-per-tensor"));
        QCOMPARE(point->lossMode, std::string("chunked:4"));
        QCOMPARE(point->train, std::string("last:1"));
        QCOMPARE(point->lossDtype, std::string("fp32"));
        QCOMPARE(point->recomputedOptions, 0); // block 0 is frozen
    }

    void refusals_areOneSentence_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("code");
        QTest::newRow("fp16") << QStringList{"--dtype", "fp16"} << 3;
        QTest::newRow("efficient") << QStringList{"--attention", "efficient"} << 3;
        QTest::newRow("flash dropout") << QStringList{"--attention", "flash", "--attention-dropout", "0.1"} << 3;
        QTest::newRow("in backward") << QStringList{"--update-in-backward", "--clip", "1"} << 3;
        QTest::newRow("last") << QStringList{"--train", "last:99"} << 2;
        QTest::newRow("train") << QStringList{"--train", "most"} << 2;
        QTest::newRow("loss") << QStringList{"--loss", "chunked:0"} << 2;
        QTest::newRow("max") << QStringList{"--batch", "max"} << 2;
        QTest::newRow("max, lengths") << QStringList{"--batch", "max", "--memory-budget", "1GiB", "--seq", "8,16"} << 2;
        QTest::newRow("too small") << QStringList{"--memory-budget", "1kB"} << 4;
    }
    void refusals_areOneSentence()
    {
        QFETCH(QStringList, options);
        QFETCH(int, code);
        RematProcess remat;
        const Finished run = remat.run(QStringList{"measure", remat.config(), "--strategy", "none"} + options);
        QCOMPARE(run.code, code);
        QVERIFY(run.out.isEmpty());
        QCOMPARE(run.err.count('\n'), 1);
    }

    void tooLargeAModel_isRefusedWithTheSiblingThatFits()
    {
        RematProcess remat;
        const auto needs = [&](const QStringList &more) {
            return remat.run(QStringList{"verify", remat.config(), "--strategy", "none", "--memory-budget", "1MiB"}
                             + more);
        };
        const Finished run = needs({"--layers", "4096"});
        QCOMPARE(run.code, 4);
        QVERIFY2(run.err.contains("is available; the largest sibling that fits is --layers "), run.err.constData());
        const QByteArray layers = run.err.split(' ').last().trimmed().chopped(1);
        QVERIFY(needs({"--layers", layers}).code != 4 || !needs({"--layers", layers}).err.contains("sibling"));
        QVERIFY(needs({"--layers", QByteArray::number(layers.toInt() + 1)}).err.contains("--layers " + layers + "."));
    }

    void verify_showsBothCurves()
    {
        RematProcess remat;
        const Finished run = remat.run({"verify", remat.config(), "--strategy", "every:1", "--steps", "3"});
        QVERIFY2(run.code == 0, run.err.constData());
        QVERIFY2(run.out.contains("bit-identical"), run.out.constData());
        QCOMPARE(run.out.count("\n"), 5);
    }

    void batchMax_eachStrategyHasItsOwn_fastestFirst()
    {
        RematProcess remat;
        const Finished run
            = remat.run({"sweep", remat.config(), "--strategies", "none", "every:1", "--batch", "max",
                         "--memory-budget", "3MiB", "--session", remat.path("s.remat"), "--json", "--repeats", "3"});
        QVERIFY2(run.code == 0, run.err.constData());
        const Json points = run.json().at("points");
        QCOMPARE(int(points.size()), 2);
        double before = 1e300;
        std::map<std::string, std::int64_t> batches;
        for (const Json &point : points) {
            QVERIFY(point.at("status") == "done");
            QVERIFY(point.at("within_budget") == true);
            QVERIFY(point.at("peak_bytes").get<std::int64_t>() <= 3 << 20);
            QVERIFY(point.at("next_batch_predicted_peak_bytes").get<std::int64_t>() > 3 << 20);
            QVERIFY(point.at("tokens_per_second").get<double>() <= before);
            before = point.at("tokens_per_second").get<double>();
            batches[point.at("strategy").get<std::string>()] = point.at("batch").get<std::int64_t>();
        }
        QVERIFY2(batches["every:1"] > batches["none"], run.out.constData());
        QVERIFY(batches["none"] > 1);
    }

    void show_kept_listsTheBlocks()
    {
        RematProcess remat;
        const QString session = remat.path("s.remat");
        QCOMPARE(remat.run({"measure", remat.config(), "--strategy", "none", "--session", session}).code, 0);
        const Finished run = remat.run({"show", session, "--run", "1", "--kept", "--json"});
        QVERIFY2(run.code == 0, run.err.constData());
        const Json kept = run.json().at("kept");
        QVERIFY(!kept.empty());
        for (const char *key :
             {"layer", "stage", "op", "operator", "category", "bytes", "count", "made_ns", "dropped_ns"})
            QVERIFY2(kept.front().contains(key), key);
        const Finished text = remat.run({"show", session, "--run", "1", "--kept"});
        QVERIFY(text.out.contains("kept for the backward of one micro-batch"));
        QCOMPARE(remat.run({"show", session, "--kept"}).code, 2);
    }
};

REMAT_TEST(tst_remat_workload);
#include "tst_remat_workload.moc"
