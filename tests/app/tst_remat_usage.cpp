// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/remat_process.h"

#include "support/test_registry.h"

using namespace remat::tests;

class tst_remat_usage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void help_everySubcommand_hasAnExample_data()
    {
        QTest::addColumn<QString>("command");
        for (const char *name : {"devices", "inspect", "measure", "sweep", "verify", "simulate", "plan", "estimate",
                                 "show", "check", "export", "selftest", "runner"})
            QTest::newRow(name) << QString(name);
    }
    void help_everySubcommand_hasAnExample()
    {
        QFETCH(QString, command);
        RematProcess remat;
        const Finished run = remat.run({command, "--help"});
        QCOMPARE(run.code, 0);
        QVERIFY(run.out.contains("Example:"));
        QVERIFY(run.out.contains("remat " + command.toUtf8()));
        QVERIFY(command == "runner" || run.out.contains("--json"));
    }

    void usage_wrong_isTwoAndOneSentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("part");
        QTest::newRow("nothing") << QStringList{} << QByteArray("subcommand");
        QTest::newRow("unknown command") << QStringList{"dance"} << QByteArray("dance");
        QTest::newRow("no config") << QStringList{"measure", "--strategy", "none"} << QByteArray("CONFIG");
        QTest::newRow("no strategy") << QStringList{"measure", "CONFIG"} << QByteArray("--strategy");
        QTest::newRow("no session") << QStringList{"sweep", "CONFIG", "--strategies", "none"}
                                    << QByteArray("--session");
        for (const char *option : {"--vocab", "--nonsense"}) {
            QTest::newRow(option) << QStringList{"measure", "CONFIG", "--strategy", "none", option, "x"}
                                  << QByteArray(option);
        }
        const auto measure = [](const QStringList &more) {
            return QStringList{"measure", "CONFIG", "--strategy", "none"} + more;
        };
        QTest::newRow("unknown strategy")
            << QStringList{"measure", "CONFIG", "--strategy", "magic"} << QByteArray("magic");
        QTest::newRow("strategy out of range")
            << QStringList{"measure", "CONFIG", "--strategy", "first:9"} << QByteArray("9");
        QTest::newRow("twice") << QStringList{"sweep", "CONFIG", "--session", "s.remat", "--strategies", "none", "none"}
                               << QByteArray("twice");
        QTest::newRow("batch") << measure({"--batch", "4,x"}) << QByteArray("--batch");
        QTest::newRow("batch zero") << measure({"--batch", "0"}) << QByteArray("--batch");
        QTest::newRow("batch max") << measure({"--batch", "max"}) << QByteArray("--batch");
        QTest::newRow("seq too long") << measure({"--seq", "65"}) << QByteArray("65");
        QTest::newRow("dtype") << measure({"--dtype", "fp8"}) << QByteArray("fp8");
        QTest::newRow("attention") << measure({"--attention", "quick"}) << QByteArray("quick");
        QTest::newRow("optimizer") << measure({"--optimizer", "lion"}) << QByteArray("lion");
        QTest::newRow("train") << measure({"--train", "most"}) << QByteArray("most");
        QTest::newRow("loss") << measure({"--loss", "half"}) << QByteArray("half");
        QTest::newRow("grads") << measure({"--grads", "maybe"}) << QByteArray("maybe");
        QTest::newRow("device") << measure({"--device", "tpu"}) << QByteArray("tpu");
        QTest::newRow("budget") << measure({"--memory-budget", "lots"}) << QByteArray("lots");
        QTest::newRow("scale") << measure({"--hidden-scale", "2"}) << QByteArray("2");
        QTest::newRow("repeats") << measure({"--repeats", "-1"}) << QByteArray("--repeats");
        QTest::newRow("format") << QStringList{"export", "s.remat", "--format", "svg", "-o", "x"}
                                << QByteArray("--format");
    }
    void usage_wrong_isTwoAndOneSentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, part);
        RematProcess remat;
        arguments.replaceInStrings("CONFIG", remat.config());
        const Finished run = remat.run(arguments);
        QVERIFY2(run.code == 2, run.err.constData());
        QVERIFY(run.out.isEmpty());
        QVERIFY2(run.err.contains(part), run.err.constData());
        QVERIFY2(run.err.endsWith(".\n") && run.err.count('\n') == 1, run.err.constData());
    }

    void refused_inputs_areThree_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("config missing") << QStringList{"inspect", "nowhere.json"};
        QTest::newRow("config broken") << QStringList{"measure", "broken.json", "--strategy", "none"};
        QTest::newRow("half precision") << QStringList{"measure", "CONFIG", "--strategy", "none", "--dtype", "fp16"};
        QTest::newRow("mixed half precision")
            << QStringList{"measure", "CONFIG", "--strategy", "none", "--dtype", "mixed-fp16"};
        QTest::newRow("session missing") << QStringList{"show", "nowhere.remat"};
        QTest::newRow("foreign file") << QStringList{"check", "broken.json"};
        QTest::newRow("chain missing") << QStringList{"simulate", "--chain", "nowhere", "--schedule", "nowhere"};
    }
    void refused_inputs_areThree()
    {
        QFETCH(QStringList, arguments);
        RematProcess remat;
        arguments.replaceInStrings("CONFIG", remat.config());
        remat.write("broken.json", "{\"n_layer\": ");
        const Finished run = remat.run(arguments);
        QVERIFY2(run.code == 3, run.err.constData());
        QVERIFY2(run.err.endsWith(".\n") && run.err.count('\n') == 1, run.err.constData());
    }

    void engine_missing_isASentence()
    {
        RematProcess remat;
        remat.set("REMAT_ENGINE", "/nowhere/libremat_engine.so");
        for (const QStringList &arguments :
             {QStringList{"devices"}, {"selftest"}, {"measure", remat.config(), "--strategy", "none"}}) {
            const Finished run = remat.run(arguments);
            QCOMPARE(run.code, 1);
            QVERIFY2(run.err.contains("engine") && run.err.endsWith(".\n"), run.err.constData());
        }
    }

    void devices_json_listsUsableAndNot()
    {
        RematProcess remat;
        const Finished run = remat.run({"devices", "--json"});
        QCOMPARE(run.code, 0);
        const auto devices = run.json().at("devices");
        QCOMPARE(devices[0].at("id").get<std::string>(), std::string("cpu"));
        QVERIFY(devices[0].at("usable").get<bool>());
        QVERIFY(devices[0].at("why").is_null());
        QCOMPARE(devices[1].at("why").get<std::string>(), std::string("there is no driver"));
        QVERIFY(remat.run({"devices"}).out.contains("there is no driver"));
    }

    void inspect_json_hasThePromisedKeys()
    {
        RematProcess remat;
        const Finished run = remat.run({"inspect", remat.config(), "--json"});
        QCOMPARE(run.code, 0);
        const auto json = run.json();
        for (const char *key :
             {"family",    "support",    "reason",     "layers",    "width",      "heads",   "kv_heads",
              "head_size", "ffn_width",  "vocabulary", "positions", "activation", "norm",    "norm_placement",
              "tied_head", "parameters", "derived",    "defaulted", "ignored",    "warnings"})
            QVERIFY2(json.contains(key), key);
        QCOMPARE(json.at("layers").get<int>(), 4);
        QCOMPARE(json.at("parameters").at("total").get<int>(),
                 json.at("parameters").at("embedding").get<int>()
                     + json.at("parameters").at("non_embedding").get<int>());
        const auto smaller = remat.run({"inspect", remat.config(), "--json", "--layers", "2"}).json();
        QCOMPARE(smaller.at("layers").get<int>(), 2);
        QVERIFY(remat.run({"inspect", remat.config()}).out.contains("layers"));
    }

    void inspect_refused_saysSoInJsonToo()
    {
        RematProcess remat;
        const QString path = remat.write("bert.json", R"({"model_type": "bert", "hidden_size": 8})");
        const Finished run = remat.run({"inspect", path, "--json"});
        QCOMPARE(run.code, 3);
        QCOMPARE(run.json().at("support").get<std::string>(), std::string("refused"));
        QVERIFY(!run.json().at("reason").get<std::string>().empty());
        QVERIFY(!run.err.isEmpty());
    }

    void inspect_strategies_listsEveryRule()
    {
        RematProcess remat;
        const auto list = remat.run({"inspect", "--strategies", "--json"}).json().at("strategies");
        QVERIFY(list.size() >= 12);
        QVERIFY(remat.run({"inspect", "--strategies"}).out.contains("input-only"));
    }

    void selftest_onTheFakeEngine_passesAndFails()
    {
        RematProcess remat;
        const Finished good = remat.run({"selftest", "--json"});
        const auto checks = good.json().at("checks");
        QVERIFY(checks.size() >= 11);
        // The fake engine has no budget of its own, so those checks must notice.
        for (const auto &check : checks) {
            const auto name = check.at("name").get<std::string>();
            QVERIFY2(check.at("passed").get<bool>() == (name != "out of memory"),
                     (name + check.at("numbers").get<std::string>()).c_str());
            QVERIFY(!check.at("numbers").get<std::string>().empty());
        }
        remat.set("REMAT_FAKE_WRONG", "1");
        const Finished bad = remat.run({"selftest"});
        QCOMPARE(bad.code, 1);
        QVERIFY(bad.out.contains("FAIL  selftest-gpt: equal gradients"));
        QVERIFY(bad.out.contains("PASS  selftest-gpt: predicted peak"));
    }
};

REMAT_TEST(tst_remat_usage);
#include "tst_remat_usage.moc"
