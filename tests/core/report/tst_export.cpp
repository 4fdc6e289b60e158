// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "report/csv_writer.h"
#include "report/json_writer.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

class tst_export : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void csv_columns_areThoseOfTheView()
    {
        TempSession file;
        file.measure({"none"});
        SQLite::Database db(file.path());
        SQLite::Statement view(db, "SELECT * FROM points");
        std::vector<std::string> expected;
        for (int i = 0; i < view.getColumnCount(); ++i)
            expected.emplace_back(view.getColumnName(i));
        std::vector<std::string> names;
        for (const auto &[name, value] : flatColumns({})) {
            if (!name.starts_with("environment_"))
                names.push_back(name);
        }
        QCOMPARE(names, expected);
    }

    void csv_values_matchTheSession()
    {
        TempSession file;
        const auto points = file.measure({"none", "every:1"});
        const auto runs = Session::open(file.path())->runs().value();
        const QString csv = QString::fromStdString(pointsAsCsv(runs));
        const QStringList lines = csv.split("\r\n");
        QCOMPARE(lines.size(), 4); // names, two runs, the end
        const QStringList names = lines[0].split(',');
        const QStringList fields = lines[2].split(',');
        QCOMPARE(fields.size(), names.size());
        QCOMPARE(fields[names.indexOf("strategy")], QString("every:1"));
        QCOMPARE(fields[names.indexOf("peak_bytes")].toLongLong(), points[1].peakBytes);
        QCOMPARE(fields[names.indexOf("step_median_ns")].toLongLong(), points[1].step.median);
        QCOMPARE(fields[names.indexOf("allocated_peak_bytes")], QString());
        QCOMPARE(fields[names.indexOf("equality_checked")], QString("true"));
        QCOMPARE(fields[names.indexOf("environment_cpu")], QString("fake processor"));
    }

    void csv_textWithQuotesAndCommas_isQuoted()
    {
        StoredRun run;
        run.point.reason = "E3, said \"no\"\nreally";
        const std::string csv = pointsAsCsv({run});
        QVERIFY(csv.find(",\"E3, said \"\"no\"\"\nreally\",") != std::string::npos);
    }

    void json_export_hasEveryRunAndWorkload()
    {
        TempSession file;
        file.measure({"none", "every:1"});
        auto session = Session::open(file.path()).value();
        QVERIFY(session.setNote(2, "best").has_value());
        const Json json = exportJson(session.workloads().value(), session.runs().value());
        QCOMPARE(json.at("format").get<std::string>(), std::string("remat-export"));
        QCOMPARE(int(json.at("points").size()), 2);
        QCOMPARE(json.at("points")[1].at("note").get<std::string>(), std::string("best"));
        QCOMPARE(json.at("points")[1].at("workload").get<int>(), 1);
        QCOMPARE(json.at("workloads")[0].at("model").at("layers").get<int>(), 3);
    }
};

REMAT_TEST(tst_export);
#include "tst_export.moc"
