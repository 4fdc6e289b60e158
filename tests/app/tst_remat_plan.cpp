// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/remat_process.h"

#include <QFile>

#include "schedule/schedule.h"
#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

/// Five unlike stages; the optimum at every budget is known from exhaustive search.
constexpr const char *kChain = R"({"boundary":[2,3,1,2,2,1],"saved":[4,3,4,3,2],"forward":[3,2,4,2,1],
    "backward":[6,5,7,4,2],"forward_transient":[1,0,2,0,1],"backward_transient":[2,1,0,1,0],"loss_transient":3})";
const std::vector<std::pair<int, int>> kOptimum{{16, 49}, {17, 48}, {18, 45}, {19, 43}, {20, 42}, {21, 41}, {25, 41},
                                                {26, 40}, {27, 39}, {28, 38}, {30, 37}, {31, 36}, {99, 36}};

Json readJson(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return nullptr;
    const auto json = parseJson(file.readAll().toStdString(), "file");
    return json ? *json : Json(nullptr);
}

/// Bytes of the fastest and of the smallest plan that a command can make.
std::pair<qint64, qint64> peaksOf(RematProcess &remat, const QStringList &source)
{
    const Json front = remat.run(QStringList{"plan"} + source + QStringList{"--front", "50", "--json"}).json();
    return {front.at("front").back().at("peak").get<qint64>(), front.at("front").front().at("peak").get<qint64>()};
}

} // namespace

class tst_remat_plan : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void chain_hasTheKnownOptima()
    {
        RematProcess remat;
        const QString chain = remat.write("chain.json", kChain);
        for (const auto &[budget, time] : kOptimum) {
            const Finished run = remat.run({"plan", "--chain", chain, "--budget", QString::number(budget), "--json"});
            QVERIFY2(run.code == 0 && run.err.isEmpty(), run.err.constData());
            const Json json = run.json();
            for (const char *key : {"feasible", "time", "peak", "extra_forward", "schedule", "min_feasible_budget",
                                    "binding_op", "bound_time", "planner", "budget"})
                QVERIFY2(json.contains(key), key);
            QCOMPARE(json.at("time").get<int>(), time);
            QCOMPARE(json.at("extra_forward").get<int>(), time - 36);
            QVERIFY(json.at("peak").get<int>() <= budget);
            QVERIFY(json.at("bound_time").get<int>() <= time);
            QCOMPARE(json.at("min_feasible_budget").get<int>(), 16);
            QCOMPARE(json.at("source").get<std::string>(), std::string("chain file"));
        }
    }

    void chain_infeasible_isFourAndStillADocument()
    {
        RematProcess remat;
        const QString chain = remat.write("chain.json", kChain);
        const Finished run = remat.run({"plan", "--chain", chain, "--budget", "15", "--json"});
        QCOMPARE(run.code, 4);
        const Json json = run.json();
        QVERIFY(!json.at("feasible").get<bool>());
        for (const char *key : {"time", "peak", "extra_forward", "schedule"})
            QVERIFY2(json.at(key).is_null(), key);
        QCOMPARE(json.at("min_feasible_budget").get<int>(), 16);
        const std::string op = json.at("binding_op").get<std::string>();
        QVERIFY2(parseOp(op), op.c_str());
        QVERIFY2(run.err.contains("16") && run.err.endsWith(".\n") && run.err.count('\n') == 1, run.err.constData());
        const Finished text = remat.run({"plan", "--chain", chain, "--budget", "15"});
        QVERIFY(text.code == 4 && text.out.isEmpty() && text.err == run.err);
    }

    void chain_planIsSimulatedAlike()
    {
        RematProcess remat;
        const QString chain = remat.write("chain.json", kChain);
        const QString plan = remat.path("plan.json");
        const Json answer = remat.run({"plan", "--chain", chain, "--budget", "19", "--json", "-o", plan}).json();
        const Json judged = remat.run({"simulate", "--chain", chain, "--schedule", plan, "--json"}).json();
        for (const char *key : {"peak", "time", "extra_forward"})
            QCOMPARE(judged.at(key).get<int>(), answer.at(key).get<int>());
        QVERIFY(answer.at("schedule") == readJson(plan));
    }

    void planners_eachAnswersTheChain()
    {
        RematProcess remat;
        const QString chain = remat.write("chain.json", kChain);
        const Json planners = remat.run({"plan", "--planners", "--json"}).json().at("planners");
        QVERIFY(planners.size() >= 10);
        const Finished text = remat.run({"plan", "--planners"});
        for (const Json &planner : planners) {
            const auto name = QString::fromStdString(planner.at("planner").get<std::string>());
            QVERIFY(text.out.contains(name.toUtf8()));
            const Finished run = remat.run({"plan", "--chain", chain, "--budget", "31", "--planner", name, "--json"});
            QVERIFY2(run.code == 0, qPrintable(name + ": " + run.err));
            QVERIFY2(run.json().at("time").get<int>() >= 36, qPrintable(name));
            QCOMPARE(run.json().at("planner").get<std::string>(), name.toStdString());
        }
    }

    void front_isAFront()
    {
        RematProcess remat;
        const QString chain = remat.write("chain.json", kChain);
        const Json front = remat.run({"plan", "--chain", chain, "--front", "100", "--json"}).json().at("front");
        QCOMPARE(front.front().at("peak").get<int>(), 16);
        QCOMPARE(front.front().at("time").get<int>(), 49);
        QCOMPARE(front.back().at("peak").get<int>(), 31);
        QCOMPARE(front.back().at("time").get<int>(), 36);
        for (std::size_t i = 1; i < front.size(); ++i) {
            QVERIFY(front[i].at("peak") > front[i - 1].at("peak"));
            QVERIFY(front[i].at("time") < front[i - 1].at("time"));
        }
        const Json few = remat.run({"plan", "--chain", chain, "--front", "3", "--json"}).json().at("front");
        QVERIFY(few.size() <= 3 && few.size() >= 2);
        QVERIFY(remat.run({"plan", "--chain", chain, "--front", "3"}).out.contains("49"));
    }

    /// By formula nothing is run, so no engine is needed; the plan can be measured where there is one.
    void config_byFormula_thenMeasured()
    {
        RematProcess remat;
        remat.set("REMAT_ENGINE", "/nowhere");
        const auto [most, least] = peaksOf(remat, {remat.config(), "--batch", "8"});
        QVERIFY(least < most);
        const QString budget = QString::number((most + least) / 2);
        const QString plan = remat.path("plan.json");
        const Finished run
            = remat.run({"plan", remat.config(), "--batch", "8", "--budget", budget, "-o", plan, "--json"});
        QVERIFY2(run.code == 0, run.err.constData());
        QCOMPARE(run.json().at("source").get<std::string>(), std::string("formula"));
        QVERIFY(run.json().at("peak").get<qint64>() <= budget.toLongLong());
        const Finished text = remat.run({"plan", remat.config(), "--batch", "8", "--budget", budget});
        QVERIFY2(text.out.contains("Times are rough"), text.out.constData());
        const PlanFile file = planFromJson(readJson(plan), "plan").value();
        QVERIFY(!file.workloadHash.empty());
        remat.set("REMAT_ENGINE", REMAT_FAKE_ENGINE);
        const Finished measured = remat.run(
            {"measure", remat.config(), "--batch", "8", "--strategy", "file:" + plan, "--json", "--repeats", "3"});
        QVERIFY2(measured.code == 0, measured.err.constData());
        QCOMPARE(measured.json().at("status").get<std::string>(), std::string("done"));
        for (const char *batch : {"8", "9"}) { // a plan of another workload is run, with a warning
            const Finished other = remat.run(
                {"measure", remat.config(), "--batch", batch, "--strategy", "file:" + plan, "--repeats", "3"});
            QCOMPARE(other.code, 0);
            QCOMPARE(other.err.contains("made for another workload"), *batch == '9');
        }
    }

    void config_probed_isWhatIsMeasured()
    {
        RematProcess remat;
        const QStringList source{remat.config(), "--batch", "8", "--probe"};
        const auto [most, least] = peaksOf(remat, source);
        const QString budget = QString::number((most + 2 * least) / 3);
        const QString plan = remat.path("plan.json");
        const Json answer
            = remat.run(QStringList{"plan"} + source + QStringList{"--budget", budget, "-o", plan, "--json"}).json();
        QCOMPARE(answer.at("source").get<std::string>(), std::string("probe"));
        QVERIFY(!remat.run(QStringList{"plan"} + source + QStringList{"--budget", budget}).out.contains("rough"));
        const Json point = remat
                               .run({"measure", remat.config(), "--batch", "8", "--strategy", "file:" + plan, "--json",
                                     "--repeats", "3"})
                               .json();
        QCOMPARE(point.at("peak_bytes").get<qint64>(), answer.at("peak").get<qint64>());
        const Json planned = remat
                                 .run({"measure", remat.config(), "--batch", "8", "--strategy", "budget:" + budget,
                                       "--json", "--repeats", "3"})
                                 .json();
        QCOMPARE(planned.at("peak_bytes").get<qint64>(), answer.at("peak").get<qint64>());
    }

    void config_infeasible_namesTheSmallestBudgetThatWorks()
    {
        RematProcess remat;
        const Finished run = remat.run({"plan", remat.config(), "--budget", "1kB", "--json"});
        QCOMPARE(run.code, 4);
        const qint64 least = run.json().at("min_feasible_budget").get<qint64>();
        QVERIFY2(run.err.contains(QByteArray::number(least)) && run.err.endsWith(".\n"), run.err.constData());
        QCOMPARE(remat.run({"plan", remat.config(), "--budget", QString::number(least - 1)}).code, 4);
        const Finished fits = remat.run({"plan", remat.config(), "--budget", QString::number(least), "--json"});
        QCOMPARE(fits.code, 0);
        QCOMPARE(fits.json().at("peak").get<qint64>(), least);
    }

    /// Only the optimal planner speaks for every schedule.
    void planners_infeasible_speakForThemselves()
    {
        RematProcess remat;
        const QString chain = remat.write("chain.json", kChain);
        const Json planners = remat.run({"plan", "--planners", "--json"}).json().at("planners");
        QVERIFY(planners.size() >= 10);
        int refusals = 0;
        for (const Json &planner : planners)
            for (int budget = 1; budget <= 40; ++budget) {
                const auto name = QString::fromStdString(planner.at("planner").get<std::string>());
                const QStringList asked{"plan",      "--chain", chain, "--budget", QString::number(budget),
                                        "--planner", name};
                const Finished run = remat.run(asked);
                if (run.code == 0) {
                    QVERIFY((name == "optimal") == run.out.contains("smallest possible budget:"));
                    budget += 5;
                    continue;
                }
                QCOMPARE(run.code, 4);
                QVERIFY2((name == "optimal") == run.err.startsWith("No schedule fits"), run.err.constData());
                QVERIFY2(name == "optimal" || run.err.contains(name.toUtf8()), run.err.constData());
                const auto least = remat.run(asked + QStringList{"--json"}).json().at("min_feasible_budget").get<int>();
                QVERIFY2(!run.err.contains("allow at least") || least > budget, run.err.constData());
                ++refusals;
                budget += 2;
            }
        QVERIFY(refusals > 20);
    }

    void session_givesItsCosts()
    {
        RematProcess remat;
        TempSession file;
        const auto points = file.measure({"none", "every:1"});
        const QString path = QString::fromStdString(file.path());
        const Finished all = remat.run({"plan", path, "--budget", "100%", "--json"});
        QVERIFY2(all.code == 0, all.err.constData());
        QCOMPARE(all.json().at("source").get<std::string>(), std::string("probe"));
        QVERIFY(all.json().at("peak").get<Bytes>() <= points[0].peakBytes);
        const Finished every = remat.run({"plan", path, "--budget", QString::number(points[1].peakBytes), "--json"});
        QVERIFY(every.json().at("time").get<Nanoseconds>() <= points[1].predictedStepNs);
        QCOMPARE(remat.run({"plan", path, "--budget", "100%", "--workload", "7"}).code, 3);
        TempSession empty;
        QCOMPARE(remat.run({"plan", QString::fromStdString(empty.path()), "--budget", "1"}).code, 3);
    }

    void usage_wrong_isTwoAndOneSentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::newRow("nothing") << QStringList{} << 2;
        QTest::newRow("no source") << QStringList{"--budget", "1GiB"} << 2;
        QTest::newRow("two sources") << QStringList{"CONFIG", "--chain", "CHAIN", "--budget", "1GiB"} << 2;
        QTest::newRow("no budget") << QStringList{"CONFIG"} << 2;
        QTest::newRow("both") << QStringList{"CONFIG", "--budget", "1GiB", "--front", "9"} << 2;
        QTest::newRow("one point") << QStringList{"CONFIG", "--front", "1"} << 2;
        QTest::newRow("budget") << QStringList{"CONFIG", "--budget", "lots"} << 2;
        QTest::newRow("share of a chain") << QStringList{"--chain", "CHAIN", "--budget", "30%"} << 2;
        QTest::newRow("planner") << QStringList{"CONFIG", "--budget", "1GiB", "--planner", "best"} << 2;
        QTest::newRow("device") << QStringList{"CONFIG", "--budget", "1GiB", "--on", "abacus"} << 2;
        QTest::newRow("two batches") << QStringList{"CONFIG", "--batch", "1,2", "--budget", "1GiB"} << 2;
        QTest::newRow("chain is none") << QStringList{"--chain", "CONFIG", "--budget", "9"} << 3;
        QTest::newRow("chain missing") << QStringList{"--chain", "nowhere", "--budget", "9"} << 3;
        QTest::newRow("output") << QStringList{"--chain", "CHAIN", "--budget", "20", "-o", "/nowhere/plan.json"} << 1;
    }
    void usage_wrong_isTwoAndOneSentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, code);
        RematProcess remat;
        arguments.replaceInStrings("CONFIG", remat.config());
        arguments.replaceInStrings("CHAIN", remat.write("chain.json", kChain));
        const Finished run = remat.run(QStringList{"plan"} + arguments);
        QVERIFY2(run.code == code, run.err.constData());
        QVERIFY2(run.err.endsWith(".\n") && run.err.count('\n') == 1, run.err.constData());
    }
};

REMAT_TEST(tst_remat_plan);
#include "tst_remat_plan.moc"
