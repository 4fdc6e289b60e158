// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QLabel>
#include <QPushButton>
#include <QTableView>

#include "runner/lever_probe.h"
#include "models/text.h"
#include "models/time_source.h"
#include "pages/goal_card.h"
#include "pages/limits_dialog.h"
#include "pages/setup_page.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"
#include "ui/support/ui_fixture.h"

using namespace remat;
using namespace remat::ui;

/// What levers cost on the machine itself, through a runner that answers at once.
class tst_lever_probe : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_fixture.reset(); }
    void prices_areProbed_data();
    void prices_areProbed();
    void prices_withoutARunner_areNotOffered();
    void prices_thatCannotBeProbed_sayWhy_data();
    void prices_thatCannotBeProbed_sayWhy();
    void probing_endsWithItsSetup_orForASweep_data();
    void probing_endsWithItsSetup_orForASweep();

private:
    void withRunner(const RunnerCommand &runner);
    void withRunner(const char *mode) { withRunner({QStringLiteral(REMAT_FAKE_RUNNER), {QString::fromLatin1(mode)}}); }
    [[nodiscard]] LimitsDialog &openDialog();
    [[nodiscard]] QPushButton *button(const char *text);
    [[nodiscard]] SetupModel &setup() { return m_fixture->workspace().setup; }
    [[nodiscard]] SetupPage &page() { return *m_fixture->window().setupPage(); }

    std::unique_ptr<tests::UiFixture> m_fixture;
};

void tst_lever_probe::init()
{
    m_fixture.reset();
}

LimitsDialog &tst_lever_probe::openDialog()
{
    LimitsDialog *dialog = page().showLimits();
    while (dialog->model()->busyLimits() || dialog->model()->busyReach())
        QTest::qWait(5);
    return *dialog;
}

void tst_lever_probe::withRunner(const RunnerCommand &runner)
{
    m_fixture = std::make_unique<tests::UiFixture>(runner);
    m_fixture->workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    m_fixture->show();
}

QPushButton *tst_lever_probe::button(const char *text)
{
    for (QPushButton *found : openDialog().findChildren<QPushButton *>())
        if (found->text() == QLatin1String(text))
            return found;
    return nullptr;
}

void tst_lever_probe::prices_areProbed_data()
{
    QTest::addColumn<QString>("mode");
    QTest::newRow("all") << QStringLiteral("normal");
    QTest::newRow("one does not fit") << QStringLiteral("tight");
}

void tst_lever_probe::prices_areProbed()
{
    QFETCH(QString, mode);
    withRunner(qPrintable(mode));
    LimitsDialog &dialog = openDialog();
    const core::Bytes peak = dialog.model()->limits()->estimate.peak;
    QVERIFY(dialog.model()->limits()->roughTimes);
    auto *levers = dialog.findChild<QTableView *>();
    levers->selectRow(2);
    button("Probe the prices")->click();
    QVERIFY(dialog.probe()->busy() && button("Stop"));
    QTRY_VERIFY(!dialog.probe()->busy());
    QCOMPARE(levers->currentIndex().row(), 2); // what "Use this" would take
    const core::Limits &limits = *dialog.model()->limits();
    QVERIFY2(!limits.roughTimes, qPrintable(dialog.probe()->words()));
    QCOMPARE(limits.estimate.peak, peak); // bytes are the formula's still
    const auto stepOf = [this](const core::Workload &workload) {
        core::ChainCosts costs = tests::sampleCosts(setup().model().layers);
        costs.loss.ns *= 1 + workload.lossChunks;
        return core::expect({}, setup().model(), workload, costs)->step;
    };
    QCOMPARE(limits.step, stepOf(*setup().resolved()));
    int impossible = 0;
    for (std::size_t row = 0; row < limits.levers.size(); ++row) {
        const core::Workload &workload = limits.levers[row].workload;
        const bool runs = mode == QStringLiteral("normal") || workload.microBatches == 1;
        impossible += runs ? 0 : 1;
        QCOMPARE(limits.levers[row].step > 0, runs);
        const double factor = static_cast<double>(stepOf(workload)) / static_cast<double>(stepOf(*setup().resolved()));
        QCOMPARE(dialog.model()->levers()->index(int(row), LimitsModel::Step).data().toString(),
                 runs ? factorText(factor) : QStringLiteral("–"));
    }
    QCOMPARE(impossible, mode == QStringLiteral("tight") ? 1 : 0);
    QVERIFY(dialog.model()->trust().contains(QStringLiteral("probed on this CPU")));
    const QString device = deviceName(page().forecast()->device());
    QVERIFY(!dialog.model()->trust().contains(device));
    QVERIFY(dialog.tableText().contains(device)); // the reach is rough still
    dialog.close();
    QVERIFY(!openDialog().model()->limits()->roughTimes); // the same question has the same answer
    Q_EMIT page().goalCard()->deviceChosen(QStringLiteral("t4"));
    static_cast<void>(openDialog());
    QVERIFY(dialog.model()->limits()->roughTimes);
}

void tst_lever_probe::prices_withoutARunner_areNotOffered()
{
    withRunner(RunnerCommand{});
    QVERIFY(!button("Probe the prices")->isEnabled());
    QVERIFY(button("Probe the prices")->toolTip().contains(QStringLiteral("REMAT_RUNNER")));
}

void tst_lever_probe::prices_thatCannotBeProbed_sayWhy_data()
{
    QTest::addColumn<QString>("mode");
    QTest::addColumn<QString>("words");
    QTest::newRow("refused") << QStringLiteral("error") << QStringLiteral("on holiday");
    QTest::newRow("dead") << QStringLiteral("die") << QStringLiteral("signal");
}

void tst_lever_probe::prices_thatCannotBeProbed_sayWhy()
{
    QFETCH(QString, mode);
    QFETCH(QString, words);
    withRunner(qPrintable(mode));
    LimitsDialog &dialog = openDialog();
    button("Probe the prices")->click();
    QTRY_VERIFY(!dialog.probe()->busy());
    QVERIFY2(dialog.probe()->words().contains(words), qPrintable(dialog.probe()->words()));
    QVERIFY(dialog.model()->limits()->roughTimes);
    QVERIFY(button("Probe the prices")->isEnabled());
    bool both = false; // the problem, and how far what stands above is to be trusted
    for (const QLabel *label : dialog.findChildren<QLabel *>())
        both = both || (label->text().contains(words) && label->text().contains(dialog.model()->trust()));
    QVERIFY(both);
    QTRY_VERIFY(dialog.probe()->findChildren<RunnerLink *>().isEmpty());
}

void tst_lever_probe::probing_endsWithItsSetup_orForASweep_data()
{
    QTest::addColumn<QString>("how");
    for (const char *how : {"setup", "sweep", "stop", "close"})
        QTest::newRow(how) << QString::fromLatin1(how);
}

void tst_lever_probe::probing_endsWithItsSetup_orForASweep()
{
    QFETCH(QString, how);
    withRunner("slow");
    LimitsDialog &dialog = openDialog();
    button("Probe the prices")->click();
    QTRY_VERIFY(dialog.probe()->words().contains(QStringLiteral("Probing 2 of")));
    if (how == QStringLiteral("setup")) {
        core::Workload w = setup().workload();
        w.batch *= 2;
        setup().setWorkload(w);
    } else if (how == QStringLiteral("sweep")) {
        m_fixture->workspace().measureOne(QStringLiteral("none"));
        QVERIFY(!dialog.probe()->obstacle().isEmpty());
    } else if (how == QStringLiteral("stop")) {
        button("Stop")->click();
    } else {
        dialog.close();
    }
    QVERIFY(!dialog.probe()->busy());
    QVERIFY(dialog.probe()->words().isEmpty());
    static_cast<void>(openDialog());
    QVERIFY(dialog.model()->limits()->roughTimes);
    QTRY_VERIFY(dialog.probe()->findChildren<RunnerLink *>().isEmpty()); // its process has ended
    QTRY_VERIFY(!m_fixture->workspace().runs.busy());
}

REMAT_TEST(tst_lever_probe);

#include "tst_lever_probe.moc"
