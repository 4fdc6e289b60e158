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
        QTest::newRow("post-norm encoder, class head") << "bert_base_classifier" << 0.17;
        QTest::newRow("ALiBi, embedding norm") << "bloom_560m" << 0.13;
        QTest::newRow("clamped products, experts") << "dbrx_132b" << 0.021;
        QTest::newRow("norms on the branches, alternating windows") << "exaone4_32b" << 0.025;
        QTest::newRow("parallel halves, one key head") << "falcon_7b" << 0.03;
        QTest::newRow("sandwich norms, caps") << "gemma2_9b" << 0.04;
        QTest::newRow("local and global layers") << "gpt_neo_125m" << 0.17;
        QTest::newRow("experts") << "mixtral_8x7b" << 0.032;
        QTest::newRow("position table with an offset, relu") << "opt_6.7b" << 0.032;
        QTest::newRow("parallel halves behind one norm") << "phi_2" << 0.05;
        QTest::newRow("parallel halves, two norms") << "pythia_70m" << 0.25;
    }
    void sibling_isExactAndEqual()
    {
        QFETCH(QString, config);
        QFETCH(double, scale);
        RematProcess remat;
        remat.set("REMAT_ENGINE", {}); // the real one
        for (const char *dtype : {"fp32", "bf16"}) {
            const Finished run = remat.run({"sweep",          QString(REMAT_TEST_DATA "/configs/%1.json").arg(config),
                                            "--layers",       "2",
                                            "--hidden-scale", QString::number(scale),
                                            "--batch",        "1",
                                            "--seq",          "16",
                                            "--threads",      "1",
                                            "--repeats",      "1",
                                            "--dtype",        dtype,
                                            "--session",      remat.path(QString("%1.remat").arg(dtype)),
                                            "--json",         "--strategies",
                                            "none",           "every:1",
                                            "segments:2",     "selective:attention"});
            QVERIFY2(run.code == 0, run.err.constData());
            const Json document = run.json();
            QCOMPARE(document.at("points").size(), std::size_t(4));
            for (const Json &point : document.at("points")) {
                const std::string name = point.at("strategy").get<std::string>() + " " + dtype;
                QVERIFY2(point.at("status") == "done", name.c_str());
                QVERIFY2(point.at("equality").at("checked") == true, name.c_str());
                QVERIFY2(point.at("equality").at("differing_elements") == 0, name.c_str());
                QVERIFY2(point.at("peak_bytes").get<Bytes>() > 0, name.c_str());
                QVERIFY2(point.at("predicted_peak_bytes") == point.at("peak_bytes"), name.c_str());
            }
        }
    }
};

REMAT_TEST(tst_remat_configs);
#include "tst_remat_configs.moc"
