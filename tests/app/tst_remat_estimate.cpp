// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/remat_process.h"

#include "base/units.h"
#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

/// Without an engine: by formula nothing is run.
class Estimates
{
public:
    Estimates() { m_remat.set("REMAT_ENGINE", "/nowhere"); }

    RematProcess &remat() { return m_remat; }
    Finished run(const QStringList &more) { return m_remat.run(QStringList{"estimate", m_remat.config()} + more); }
    Json json(const QStringList &more)
    {
        const Finished run = this->run(more + QStringList{"--json"});
        if (run.code != 0 || !run.err.isEmpty())
            qFatal("%s", run.err.constData());
        return run.json();
    }

private:
    RematProcess m_remat;
};

Bytes sumOf(const Json &parts)
{
    Bytes sum = 0;
    for (const auto &part : parts)
        sum += part.get<Bytes>();
    return sum;
}

} // namespace

class tst_remat_estimate : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void json_hasThePromisedKeys_andSumsUp()
    {
        Estimates estimates;
        const Json json = estimates.json({});
        for (const char *key :
             {"peak_bytes", "parts", "peak_op", "peak_where", "activation_peak_bytes", "smallest_peak_bytes",
              "smallest_op", "smallest_where", "max_saving_bytes", "approximate", "above_best"})
            QVERIFY2(json.contains(key), key);
        for (const char *key : {"advice", "reach", "goal", "formulas", "claims"})
            QVERIFY2(!json.contains(key), key);
        QCOMPARE(sumOf(json.at("parts")), json.at("peak_bytes").get<Bytes>());
        QCOMPARE(json.at("peak_bytes").get<Bytes>() - json.at("smallest_peak_bytes").get<Bytes>(),
                 json.at("max_saving_bytes").get<Bytes>());
        QVERIFY(!json.at("approximate").get<bool>());
        const Finished text = estimates.run({});
        QVERIFY2(text.code == 0 && text.out.startsWith("none: peak "), text.out.constData());
        QVERIFY(text.out.contains("optimizer state") && text.out.contains("The most that any schedule can save"));
    }

    void strategy_changesThePeakAlone()
    {
        Estimates estimates;
        const Json none = estimates.json({});
        const Json every = estimates.json({"--strategy", "every:1"});
        QVERIFY(every.at("peak_bytes") < none.at("peak_bytes"));
        QCOMPARE(every.at("smallest_peak_bytes").get<Bytes>(), none.at("smallest_peak_bytes").get<Bytes>());
        QCOMPARE(every.at("max_saving_bytes").get<Bytes>(), none.at("max_saving_bytes").get<Bytes>());
        QVERIFY(none.at("above_best").get<std::string>().starts_with("the best possible"));
        const Bytes budget = every.at("peak_bytes").get<Bytes>();
        const Json plan = estimates.json({"--strategy", QString("budget:%1").arg(budget)});
        QVERIFY(plan.at("peak_bytes").get<Bytes>() <= budget);
        QVERIFY(plan.at("above_best").get<std::string>().starts_with("the best possible"));
        const Finished tight = estimates.run({"--strategy", "budget:1kB"});
        QVERIFY2(tight.code == 4 && tight.err.endsWith(".\n"), tight.err.constData());
        QCOMPARE(estimates.run({"--strategy", "magic"}).code, 2);
        QVERIFY(estimates.run({"--strategy", "every:1"}).out.contains("every:1 is "));
    }

    void advice_namesLevers()
    {
        Estimates estimates;
        const Json advice = estimates.json({"--advice", "--batch", "32"}).at("advice");
        for (const char *key : {"hardly_matters", "max_saving_share", "states_share", "optimizer_share", "logits_share",
                                "floor_is_loss", "rough_times", "levers", "sentences", "measured", "dominated"})
            QVERIFY2(advice.contains(key), key);
        QVERIFY(advice.at("rough_times").get<bool>());
        QVERIFY(!advice.at("levers").empty() && advice.at("measured").empty() && advice.at("dominated").empty());
        const Finished text = estimates.run({"--advice", "--batch", "32"});
        for (const Json &sentence : advice.at("sentences"))
            QVERIFY(text.out.contains(QByteArray::fromStdString(sentence.get<std::string>())));
        // What a lever promises is what the command line gives with its option.
        for (const Json &lever : advice.at("levers")) {
            const auto option = QString::fromStdString(lever.at("option").get<std::string>()).split(' ');
            QStringList arguments{"--batch", "32"};
            if (option.first() == "--batch")
                arguments.clear();
            const Json then = estimates.json(arguments + option);
            QVERIFY2(then.at("peak_bytes") == lever.at("peak_bytes"), qPrintable(option.join(' ')));
            QVERIFY2(then.at("smallest_peak_bytes") == lever.at("smallest_peak_bytes"), qPrintable(option.join(' ')));
        }
    }

    void advice_measured_putsPointsBeside()
    {
        RematProcess remat;
        const Finished run
            = remat.run({"estimate", remat.config(), "--advice", "--measure", "--repeats", "3", "--json"});
        QVERIFY2(run.code == 0, run.err.constData());
        const Json advice = run.json().at("advice");
        QCOMPARE(advice.at("measured").size(), 1 + advice.at("levers").size());
        for (const Json &point : advice.at("measured"))
            QCOMPARE(point.at("strategy").get<std::string>(), std::string("none"));
        QVERIFY(remat.run({"estimate", remat.config(), "--advice", "--measure", "--repeats", "3"})
                    .out.contains("measured peak"));
    }

    /// What did not fit takes nothing from what did, and is compared with nothing that was measured.
    void measured_someDoNotFit()
    {
        RematProcess remat;
        const QStringList asked{"estimate", remat.config(), "--repeats", "3", "--measure"};
        const Json whole = remat.run(asked + QStringList{"--advice", "--json"}).json().at("advice").at("measured");
        remat.set("REMAT_FAKE_BUDGET", QString::number(whole.front().at("peak_bytes").get<Bytes>() - 1));
        const Json points = remat.run(asked + QStringList{"--advice", "--json"}).json().at("advice").at("measured");
        QCOMPARE(points.front().at("status").get<std::string>(), std::string("does_not_fit"));
        const Finished text = remat.run(asked + QStringList{"--advice"});
        for (std::size_t i = 1; i < points.size(); ++i)
            QVERIFY(points[i].at("status") != "done"
                    || text.out.contains(
                        QByteArray::fromStdString(formatBytes(points[i].at("peak_bytes").get<Bytes>()) + "  ")));
        QVERIFY2(text.out.contains("does_not_fit") && !text.out.contains(" done "), text.out.constData());
        const Json compared = remat.run(asked + QStringList{"--compare-formulas", "--json"}).json();
        int times = 0;
        for (const Json &formula : compared.at("formulas"))
            if (formula.at("what") == "step time against none") {
                QVERIFY(!formula.at("measured").get<bool>() && formula.at("ours").get<double>() < 5.0);
                ++times;
            }
        QVERIFY(times > 2);
    }

    void reach_fitsAndTheNextDoesNot()
    {
        Estimates estimates;
        const Json json = estimates.json({"--reach", "--memory-budget", "4MiB"});
        const Json &reach = json.at("reach");
        for (const Json &row : reach.at("batch").at("rows")) {
            const auto strategy = QString::fromStdString(row.at("strategy").get<std::string>());
            const qint64 batch = row.at("batch").get<qint64>();
            QVERIFY(batch > 1 && row.at("peak_bytes").get<Bytes>() <= 4 << 20);
            const Json there = estimates.json({"--strategy", strategy, "--batch", QString::number(batch)});
            QCOMPARE(there.at("peak_bytes").get<Bytes>(), row.at("peak_bytes").get<Bytes>());
            const Finished next
                = estimates.run({"--strategy", strategy, "--batch", QString::number(batch + 1), "--json"});
            QVERIFY(next.code == 4 || next.json().at("peak_bytes").get<Bytes>() > 4 << 20);
        }
        QVERIFY(reach.at("batch").at("crossing").contains("sentence"));
        for (const Json &row : reach.at("sequence").at("rows"))
            QVERIFY(row.at("seq").get<int>() == 64 && row.at("is_limit").get<bool>());
        const Finished text = estimates.run({"--reach", "--memory-budget", "4MiB"});
        QVERIFY2(text.out.contains("largest batch") && text.out.contains("longest sequence"), text.out.constData());
        QVERIFY(text.out.contains("64 (limit)"));
    }
    void reach_whereNothingFits_namesNoNumbers()
    {
        Estimates estimates;
        const Json json = estimates.json({"--reach", "--memory-budget", "1KiB"});
        for (const auto &[table, size] : {std::pair("batch", "batch"), std::pair("sequence", "seq")}) {
            const Json &rows = json.at("reach").at(table).at("rows");
            QVERIFY(!rows.empty());
            for (const Json &row : rows) {
                QCOMPARE(row.at(size).get<int>(), 0);
                for (const char *key : {"peak_bytes", "step_ns", "tokens_per_second"})
                    QVERIFY2(row.at(key).is_null(), key);
            }
        }
    }

    void goals_areReached_andTheCommandIsValid_data()
    {
        QTest::addColumn<QString>("goal");
        for (const char *goal : {"fits", "fastest", "longest-sequence"})
            QTest::newRow(goal) << QString(goal);
    }
    void goals_areReached_andTheCommandIsValid()
    {
        QFETCH(QString, goal);
        Estimates estimates;
        const QStringList asked{"--goal",  goal, "--memory-budget", "3MiB", "--seq", "32",
                                "--batch", "16", "--threads",       "77"};
        const Json answer = estimates.json(asked).at("goal");
        QCOMPARE(answer.at("goal").get<std::string>(), goal.toStdString());
        QVERIFY(answer.at("reachable").get<bool>());
        QVERIFY(answer.at("peak_bytes").get<Bytes>() <= 3 << 20);
        const auto command = answer.at("command").get<std::string>();
        QVERIFY(estimates.run(asked).out.contains("To run it: " + QByteArray::fromStdString(command)));
        QVERIFY2(command.find(" --threads 77") != std::string::npos, command.c_str());
        QStringList words = QString::fromStdString(command).split(' ');
        QCOMPARE(words.takeFirst(), QString("remat"));
        QCOMPARE(words.first(), QString("measure"));
        words.first() = "estimate"; // the same options, the formula's costs
        const Finished again = estimates.remat().run(words + QStringList{"--json"});
        QVERIFY2(again.code == 0, again.err.constData());
        QCOMPARE(again.json().at("peak_bytes").get<Bytes>(), answer.at("peak_bytes").get<Bytes>());
        words.first() = "measure";
        estimates.remat().set("REMAT_ENGINE", REMAT_FAKE_ENGINE);
        const Finished run = estimates.remat().run(words + QStringList{"--repeats", "3", "--json"});
        QVERIFY2(run.code == 0, run.err.constData());
        const Finished none = estimates.run({"--goal", goal, "--memory-budget", "1kB", "--json"});
        QCOMPARE(none.code, 4);
        const Json missed = none.json().at("goal");
        QVERIFY(!missed.at("reachable").get<bool>() && missed.at("strategy").is_null());
        QVERIFY(missed.at("words").get<std::string>().starts_with("Nothing fits"));
        QVERIFY(missed.at("command").is_null()); // it would end with "does not fit"
    }

    void formulas_predictedThenMeasured()
    {
        RematProcess remat;
        const auto compared = [&](const QStringList &more) {
            const Finished run = remat.run(QStringList{"estimate", remat.config(), "--compare-formulas"} + more);
            if (run.code != 0)
                qFatal("%s", run.err.constData());
            return run;
        };
        const Json predicted = compared({"--json"}).json();
        QVERIFY(predicted.at("formulas").size() > 12 && predicted.at("claims").size() >= 5);
        for (const Json &formula : predicted.at("formulas"))
            QVERIFY(!formula.at("measured").get<bool>());
        const Json measured = compared({"--json", "--measure", "--repeats", "3"}).json();
        QCOMPARE(measured.at("formulas").size(), predicted.at("formulas").size());
        for (const Json &formula : measured.at("formulas"))
            QVERIFY(formula.at("measured").get<bool>());
        for (const Json &claim : measured.at("claims"))
            for (const Json &number : claim.at("numbers"))
                QCOMPARE(number.at("measured").get<bool>(), claim.at("id") != "C7");
        const Finished text = compared({});
        QVERIFY(text.out.contains("Korthikanti et al. 2022") && text.out.contains("C7")
                && text.out.contains("claimed"));
    }

    void session_givesItsCostsAndPoints()
    {
        RematProcess remat;
        TempSession file;
        const auto points = file.measure({"none", "every:1", "segments:2", "segments:1"}, 6);
        const QString path = QString::fromStdString(file.path());
        const Finished run = remat.run({"estimate", path, "--advice", "--compare-formulas", "--json"});
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(run.json().at("peak_bytes").get<Bytes>(), points[0].peakBytes);
        QVERIFY(run.json().at("advice").at("rough_times").get<bool>()); // levers: both sides by formula
        const std::string words = run.json().at("advice").at("dominated").dump();
        QVERIFY2(words.find("segments:2 needs ") != std::string::npos, words.c_str());
        int measured = 0;
        const Json formulas = run.json().at("formulas");
        for (const Json &formula : formulas)
            measured += formula.at("measured").get<bool>() ? 1 : 0;
        QVERIFY(measured > 4);
        QVERIFY(!run.json().at("all_options").get<bool>()); // nobody asked for any
        QVERIFY(remat.run({"estimate", path}).out.contains("\nAny schedule here means"));
        QVERIFY(Estimates().json({}).at("all_options").get<bool>());
        const Finished whole = remat.run({"estimate", remat.config(), "--probe"});
        QVERIFY2(whole.code == 0 && !whole.out.contains("Any schedule here"), whole.err.constData());
        const Json every = remat.run({"estimate", path, "--strategy", "every:1", "--json"}).json();
        QCOMPARE(every.at("peak_bytes").get<Bytes>(), points[1].peakBytes);
    }

    /// The budget of the command line counts, though the rest of the workload is the session's.
    void session_budgetIsTheCommandLines()
    {
        RematProcess remat;
        TempSession file;
        const auto points = file.measure({"none"}, 4);
        const QString path = QString::fromStdString(file.path());
        const QString budget = QString::number(points[0].peakBytes);
        const Finished run
            = remat.run({"estimate", path, "--goal", "fits", "--reach", "--memory-budget", budget, "--json"});
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(run.json().at("goal").at("budget").get<Bytes>(), points[0].peakBytes);
        QVERIFY(run.json().at("goal").at("reachable").get<bool>());
        QCOMPARE(run.json().at("reach").at("batch").at("budget").get<Bytes>(), points[0].peakBytes);
    }

    void probe_takesTheDevicesCosts()
    {
        RematProcess remat;
        const Json probed = remat.run({"estimate", remat.config(), "--probe", "--json"}).json();
        const Json point
            = remat.run({"measure", remat.config(), "--strategy", "none", "--repeats", "3", "--json"}).json();
        QCOMPARE(probed.at("peak_bytes").get<Bytes>(), point.at("peak_bytes").get<Bytes>());
        Estimates estimates;
        QVERIFY(estimates.run({"--probe"}).code == 1); // no engine
    }

    void devices_areListed()
    {
        RematProcess remat;
        const Json devices = remat.run({"estimate", "--devices", "--json"}).json().at("devices");
        QVERIFY(devices.size() >= 8);
        const Finished text = remat.run({"estimate", "--devices"});
        for (const Json &device : devices) {
            for (const char *key :
                 {"id", "name", "memory_bytes", "bytes_per_second", "flops_fp32", "flops_16_bit", "source"})
                QVERIFY2(device.contains(key), key);
            const auto id = QByteArray::fromStdString(device.at("id").get<std::string>());
            QVERIFY(text.out.contains(id));
            QCOMPARE(remat.run({"estimate", remat.config(), "--on", id}).code, 0);
        }
    }

    void session_refusesWhatItCannotHear_data()
    {
        QTest::addColumn<QStringList>("option");
        for (const char *option : {"--family x",
                                   "--vocab 9",
                                   "--layers 2",
                                   "--hidden-scale 0.5",
                                   "--batch 8",
                                   "--seq 8",
                                   "--micro-batches 2",
                                   "--dtype bf16",
                                   "--attention math",
                                   "--dropout 0.5",
                                   "--attention-dropout 0.5",
                                   "--optimizer sgd",
                                   "--update-in-backward",
                                   "--loss chunked:2",
                                   "--train last:1",
                                   "--grads kept",
                                   "--clip 1",
                                   "--data random",
                                   "--seed 1",
                                   "--device cpu",
                                   "--threads 1",
                                   "--probe"})
            QTest::newRow(option) << QString(option).split(' ');
    }
    void session_refusesWhatItCannotHear()
    {
        QFETCH(QStringList, option);
        RematProcess remat;
        TempSession file;
        file.measure({"none"}, 2);
        const QString path = QString::fromStdString(file.path());
        for (const QStringList &command : {QStringList{"estimate", path, "--memory-budget", "1GiB", "--goal", "fits"},
                                           QStringList{"plan", path, "--budget", "1GiB"}}) {
            QCOMPARE(remat.run(command).code, 0);
            const Finished run = remat.run(command + option);
            QVERIFY2(run.code == 2 && run.out.isEmpty(), run.err.constData());
            QVERIFY2(run.err.contains(option.first().toUtf8()) && run.err.endsWith(".\n") && run.err.count('\n') == 1,
                     run.err.constData());
        }
    }

    void usage_wrong_isOneSentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("part");
        QTest::newRow("no config") << QStringList{} << 2 << QByteArray("CONFIG");
        QTest::newRow("reach") << QStringList{"CONFIG", "--reach"} << 2 << QByteArray("--memory-budget");
        QTest::newRow("goal, no budget") << QStringList{"CONFIG", "--goal", "fits"} << 2
                                         << QByteArray("--memory-budget");
        QTest::newRow("goal") << QStringList{"CONFIG", "--goal", "cheap", "--memory-budget", "1GiB"} << 2
                              << QByteArray("longest-sequence");
        QTest::newRow("device") << QStringList{"CONFIG", "--on", "abacus"} << 2 << QByteArray("h100");
        QTest::newRow("measure") << QStringList{"CONFIG", "--measure"} << 2 << QByteArray("--advice");
        QTest::newRow("two batches") << QStringList{"CONFIG", "--batch", "1,2"} << 2 << QByteArray("one batch");
        QTest::newRow("missing") << QStringList{"nowhere.json"} << 3 << QByteArray("nowhere.json");
        QTest::newRow("type") << QStringList{"CONFIG", "--dtype", "fp16"} << 3 << QByteArray("fp16");
    }
    void usage_wrong_isOneSentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        QFETCH(QByteArray, part);
        RematProcess remat;
        arguments.replaceInStrings("CONFIG", remat.config());
        const Finished run = remat.run(QStringList{"estimate"} + arguments);
        QVERIFY2(run.code == code, run.err.constData());
        QVERIFY(run.out.isEmpty());
        QVERIFY2(run.err.contains(part), run.err.constData());
        QVERIFY2(run.err.endsWith(".\n") && run.err.count('\n') == 1, run.err.constData());
    }
};

REMAT_TEST(tst_remat_estimate);
#include "tst_remat_estimate.moc"
