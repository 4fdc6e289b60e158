// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>

#include "support/test_registry.h"

namespace {

struct Outcome
{
    int code = -1;
    QString out;
    QString error;
};

Outcome bash(const QStringList &arguments, const QMap<QString, QString> &variables = {})
{
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    for (auto entry = variables.begin(); entry != variables.end(); ++entry)
        environment.insert(entry.key(), entry.value());
    process.setProcessEnvironment(environment);
    process.start("bash", arguments);
    if (!process.waitForFinished(30'000))
        return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

const QString kScript = REMAT_SOURCE_DIR "/packaging/bootstrap.sh";

} // namespace

/// What can be said of the installer without installing: syntax, usage, and the systems it refuses.
class tst_bootstrap : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void scripts_parse_data()
    {
        QTest::addColumn<QString>("script");
        QTest::newRow("bootstrap") << kScript;
        QTest::newRow("ci") << QString(REMAT_SOURCE_DIR "/.ci/run");
    }
    void scripts_parse()
    {
        QFETCH(QString, script);
        const Outcome outcome = bash({"-n", script});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.error));
    }

    void usage_isExitCode2_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("nothing") << QStringList();
        QTest::newRow("unknown command") << QStringList("instal");
        QTest::newRow("test takes no argument") << QStringList({"test", "fast"});
        QTest::newRow("sdk takes no argument") << QStringList({"sdk", "--cuda"});
        QTest::newRow("bench takes one name") << QStringList({"bench", "peer", "store"});
        QTest::newRow("bench knows --json alone") << QStringList({"bench", "--xml"});
    }
    void usage_isExitCode2()
    {
        QFETCH(QStringList, arguments);
        const Outcome outcome = bash(QStringList(kScript) + arguments);
        QCOMPARE(outcome.code, 2);
        QVERIFY(outcome.error.startsWith("usage: bash packaging/bootstrap.sh run"));
        QVERIFY(outcome.out.isEmpty());
    }

    void unknownSystems_areRefusedWithAList_data()
    {
        QTest::addColumn<QByteArray>("release");
        QTest::addColumn<QString>("found");
        QTest::newRow("Fedora") << QByteArray("ID=fedora\nVERSION_ID=41\n") << "fedora 41";
        QTest::newRow("Debian 11") << QByteArray("ID=debian\nVERSION_ID=\"11\"\n") << "debian 11";
        QTest::newRow("Debian unstable") << QByteArray("ID=debian\n") << "debian without a version";
        QTest::newRow("old Ubuntu") << QByteArray("ID=ubuntu\nVERSION_ID=\"22.04\"\n") << "ubuntu 22.04";
    }
    void unknownSystems_areRefusedWithAList()
    {
        QFETCH(QByteArray, release);
        QFETCH(QString, found);
        QTemporaryDir folder;
        QFile file(folder.filePath("os-release"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(release);
        file.close();
        const Outcome outcome = bash({kScript, "sdk"}, {{"REMAT_OS_RELEASE", file.fileName()}});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.error.contains("found:     " + found), qPrintable(outcome.error));
        QVERIFY(outcome.error.contains("supported: Debian 12, Debian 13, Ubuntu 24.04"));
    }

    void unknownPreset_isRefused()
    {
        const Outcome outcome = bash({kScript, "sdk"}, {{"REMAT_PRESET", "fast"}});
        QCOMPARE(outcome.code, 1);
        QVERIFY(outcome.error.contains("REMAT_PRESET is 'fast'; allowed are release, ci, dev and dev-asan."));
    }
};

REMAT_TEST(tst_bootstrap);
#include "tst_bootstrap.moc"
