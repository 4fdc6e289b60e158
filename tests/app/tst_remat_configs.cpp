// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/remat_process.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

/// Small siblings of configs of every block kind through the whole program: equal gradients, exact peaks. The same for
/// any folder of configs: tests/bench/config_sweep.py.
class tst_remat_configs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sibling_isExactAndEqual_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<double>("scale");
        QTest::addColumn<QString>("dtype");
        // Vocabularies of the others take too long here; tests/bench/config_sweep.py runs them.
        QTest::newRow("post-norm encoder, class head") << "bert_base_classifier" << 0.17 << "fp32";
        QTest::newRow("experts") << "mixtral_8x7b" << 0.032 << "bf16";
        QTest::newRow("parallel halves behind one norm") << "phi_2" << 0.05 << "fp32";
        QTest::newRow("local and global layers") << "gpt_neo_125m" << 0.17 << "bf16";
    }
    void sibling_isExactAndEqual()
    {
        QFETCH(QString, config);
        QFETCH(double, scale);
        QFETCH(QString, dtype);
        RematProcess remat;
        remat.set("REMAT_ENGINE", {}); // the real one
        const Finished run = remat.run({"sweep",          QString(REMAT_TEST_DATA "/configs/%1.json").arg(config),
                                        "--layers",       "2",
                                        "--hidden-scale", QString::number(scale),
                                        "--batch",        "1",
                                        "--seq",          "16",
                                        "--threads",      "1",
                                        "--repeats",      "1",
                                        "--dtype",        dtype,
                                        "--session",      remat.path("s.remat"),
                                        "--json",         "--strategies",
                                        "none",           "every:1",
                                        "segments:2",     "selective:attention"});
        QVERIFY2(run.code == 0, run.err.constData());
        const Json document = run.json();
        QCOMPARE(document.at("points").size(), std::size_t(4));
        for (const Json &point : document.at("points")) {
            const std::string name = point.at("strategy").get<std::string>();
            QVERIFY2(point.at("status") == "done", name.c_str());
            QVERIFY2(point.at("equality").at("checked") == true, name.c_str());
            QVERIFY2(point.at("equality").at("differing_elements") == 0, name.c_str());
            QVERIFY2(point.at("peak_bytes").get<std::int64_t>() > 0, name.c_str());
            QVERIFY2(point.at("predicted_peak_bytes") == point.at("peak_bytes"), name.c_str());
        }
    }
};

REMAT_TEST(tst_remat_configs);
#include "tst_remat_configs.moc"
