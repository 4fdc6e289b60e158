// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/remat_process.h"

#include "store/session.h"
#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

constexpr const char *kOverBudget
    = R"({"format":"remat-chain","version":1,"boundary":[3,2,1,3,1],"saved":[2,2,0,2],"forward":[1,1,1,1],
    "backward":[2,2,2,2],"forward_transient":[6,7,2,7],"backward_transient":[2,1,0,2],"keeps_output":true})";
constexpr const char *kPlan = R"({"format":"remat-schedule","version":1,"stages":4,
    "ops":["F0","F1","F2","E3","L","B3","F0","E1","E2","B2","B1","E0","B0"]})";

} // namespace

class tst_remat_files : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void simulate_literatureChain_peaksWhereTheNotesSay()
    {
        RematProcess remat;
        const QString chain = remat.write("chain.json", kOverBudget);
        const QString plan = remat.write("plan.json", kPlan);
        const Finished run = remat.run({"simulate", "--chain", chain, "--schedule", plan, "--json"});
        QVERIFY2(run.code == 0, run.err.constData());
        const Json json = run.json();
        QVERIFY(json.at("valid").get<bool>());
        QVERIFY(json.at("problem").is_null());
        QCOMPARE(json.at("peak").get<int>(), 18);
        QCOMPARE(json.at("peak_op").get<std::string>(), std::string("E1"));
        QCOMPARE(json.at("time").get<int>(), 8 + 8);
        QCOMPARE(json.at("extra_forward").get<int>(), 4);
        QVERIFY(remat.run({"simulate", "--chain", chain, "--schedule", plan}).out.contains("peak 18 at E1"));
    }

    void simulate_invalidSchedule_isFailedWithTheRule()
    {
        RematProcess remat;
        const QString chain = remat.write("chain.json", kOverBudget);
        const QString plan = remat.write(
            "plan.json", R"({"format":"remat-schedule","version":1,"stages":4,"ops":["E0","E1","L","B1","B0"]})");
        const Finished run = remat.run({"simulate", "--chain", chain, "--schedule", plan, "--json"});
        QCOMPARE(run.code, 1);
        QVERIFY(!run.json().at("valid").get<bool>());
        QVERIFY(!run.json().at("problem").get<std::string>().empty());
        QVERIFY(run.json().at("peak").is_null());
        QVERIFY(!run.err.isEmpty());
    }

    void show_oneRunAndAll()
    {
        RematProcess remat;
        TempSession file;
        const auto points = file.measure({"none", "every:1"});
        const QString path = QString::fromStdString(file.path());
        const Json all = remat.run({"show", path, "--json"}).json();
        QCOMPARE(int(all.at("points").size()), 2);
        QCOMPARE(all.at("points")[1].at("peak_bytes").get<Bytes>(), points[1].peakBytes);
        const Json one = remat.run({"show", path, "--run", "2", "--json"}).json();
        QCOMPARE(int(one.at("points").size()), 1);
        QVERIFY(remat.run({"show", path, "--run", "2"}).out.contains("equality.reference"));
        const Finished none = remat.run({"show", path, "--run", "9"});
        QCOMPARE(none.code, 2);
        QVERIFY(Session::open(file.path())->setHidden(1, true).has_value());
        QCOMPARE(int(remat.run({"show", path, "--json"}).json().at("points").size()), 1);
    }

    void show_needsNoEngine()
    {
        RematProcess remat;
        remat.set("REMAT_ENGINE", "/nowhere");
        TempSession file;
        file.measure({"none"});
        QCOMPARE(remat.run({"show", QString::fromStdString(file.path())}).code, 0);
    }

    void check_wholeAndDamaged()
    {
        RematProcess remat;
        TempSession file;
        file.measure({"none"});
        const QString path = QString::fromStdString(file.path());
        const Finished good = remat.run({"check", path, "--json"});
        QCOMPARE(good.code, 0);
        QVERIFY(good.json().at("ok").get<bool>());
        QCOMPARE(good.json().at("schema").get<int>(), 3);
        QCOMPARE(good.json().at("runs").get<int>(), 1);
        file.sql("DELETE FROM event_chunk");
        const Finished bad = remat.run({"check", path, "--json"});
        QCOMPARE(bad.code, 1);
        QVERIFY(!bad.json().at("ok").get<bool>());
        QVERIFY(!bad.json().at("problems").empty());
    }

    void export_csvAndJson()
    {
        RematProcess remat;
        TempSession file;
        file.measure({"none", "every:1"});
        const QString path = QString::fromStdString(file.path());
        const Finished csv = remat.run({"export", path, "--format", "csv", "-o", "-"});
        QCOMPARE(csv.code, 0);
        QCOMPARE(csv.out.count("\r\n"), 3);
        QVERIFY(csv.out.startsWith("run,strategy,status,"));
        QCOMPARE(remat.run({"export", path, "--format", "json", "-o", remat.path("out.json")}).code, 0);
        QFile out(remat.path("out.json"));
        QVERIFY(out.open(QIODevice::ReadOnly));
        const auto document = parseJson(out.readAll().toStdString(), "export");
        QCOMPARE(int(document->at("points").size()), 2);
        const Finished full = remat.run({"export", path, "--format", "csv", "-o", "/dev/full"});
        QCOMPARE(full.code, 1);
        QVERIFY2(full.err.endsWith(".\n"), full.err.constData());
    }
};

REMAT_TEST(tst_remat_files);
#include "tst_remat_files.moc"
