// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QApplication>
#include <QDropEvent>
#include <QFile>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>

#include "pages/explore_page.h"
#include "pages/setup_page.h"
#include "pages/workload_form.h"
#include "support/test_registry.h"
#include "theme/theme.h"
#include "ui/support/sample_session.h"
#include "ui/support/ui_fixture.h"
#include "widgets/strips.h"

using namespace remat;
using namespace remat::ui;

class tst_window : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void start_isTheWelcomePage();
    void example_opened_leadsToSetup_data();
    void example_opened_leadsToSetup();
    void broken_file_isOneSentence();
    void field_thatCannotWork_saysWhy();
    void sweep_ofTheFakeRunner_growsIntoASession();
    void stop_worksFromTheWindow();
    void closing_whileRunning_asksOnce();
    void diedRunner_isAStripAbove();
    void recentFiles_areRemembered();
    void dropped_file_isOpened();
    void theme_isRemembered();
};

namespace {

RunnerCommand fake(const char *mode)
{
    return {QStringLiteral(REMAT_FAKE_RUNNER), {QString::fromLatin1(mode)}};
}

} // namespace

void tst_window::start_isTheWelcomePage()
{
    tests::UiFixture fixture;
    fixture.show();
    QCOMPARE(fixture.window().page(), Page::welcome);
    fixture.window().showPage(Page::setup);
    QCOMPARE(fixture.window().page(), Page::welcome);
}

void tst_window::example_opened_leadsToSetup_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("layers");
    QTest::addRow("nanogpt") << QStringLiteral(":/configs/nanogpt-mini.json") << 6;
    QTest::addRow("llama") << QStringLiteral(":/configs/llama-mini.json") << 8;
    QTest::addRow("gpt") << QStringLiteral(":/configs/gpt-12x256.json") << 12;
}

void tst_window::example_opened_leadsToSetup()
{
    QFETCH(QString, path);
    QFETCH(int, layers);
    tests::UiFixture fixture(fake("normal"));
    fixture.workspace().open(path);
    QCOMPARE(fixture.window().messages()->message(), QString());
    QCOMPARE(fixture.window().page(), Page::setup);
    QCOMPARE(fixture.workspace().setup.model().layers, layers);
    QVERIFY(fixture.workspace().setup.resolved().has_value());
    QVERIFY(fixture.window().setupPage()->strategies()->rowCount() > 4);
    fixture.workspace().setup.setLayers(3);
    QCOMPARE(fixture.workspace().setup.model().layers, 3);
}

void tst_window::broken_file_isOneSentence()
{
    tests::UiFixture fixture;
    const QString path = fixture.folder() + QStringLiteral("/broken.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\"n_layer\": ");
    file.close();
    fixture.workspace().open(path);
    QCOMPARE(fixture.window().page(), Page::welcome);
    QVERIFY(fixture.window().messages()->message().contains(QStringLiteral("broken.json")));
    QFile foreign(fixture.folder() + QStringLiteral("/foreign.remat"));
    QVERIFY(foreign.open(QIODevice::WriteOnly));
    foreign.write("no session at all");
    foreign.close();
    fixture.workspace().open(foreign.fileName());
    QVERIFY(fixture.window().messages()->message().contains(QStringLiteral("foreign.remat")));
    QVERIFY(!fixture.workspace().document.isOpen());
}

void tst_window::field_thatCannotWork_saysWhy()
{
    tests::UiFixture fixture(fake("normal"));
    fixture.workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    SetupModel &setup = fixture.workspace().setup;
    core::Workload workload = setup.workload();
    workload.seq = 4096;
    setup.setWorkload(workload);
    QVERIFY(!setup.problem(SetupModel::Field::seq).isEmpty());
    QVERIFY(setup.problem(SetupModel::Field::batch).isEmpty());
    QVERIFY(!setup.resolved().has_value());
    workload.seq = 64;
    workload.device = "cuda:0";
    setup.setDevices({{"cuda:0", "A card", 0, 0, false, "Its driver is not installed."}});
    setup.setWorkload(workload);
    QCOMPARE(setup.problem(SetupModel::Field::device), QStringLiteral("Its driver is not installed."));
    QVERIFY(!setup.resolved().has_value());
}

void tst_window::sweep_ofTheFakeRunner_growsIntoASession()
{
    tests::UiFixture fixture(fake("slow"));
    fixture.workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    fixture.show();
    QTest::keyClick(&fixture.window(), Qt::Key_F5);
    QVERIFY(fixture.workspace().runs.busy());
    QCOMPARE(fixture.window().page(), Page::explore);
    QTRY_VERIFY_WITH_TIMEOUT(fixture.workspace().document.points().size() >= 2, 10000);
    QVERIFY(fixture.window().status()->left().contains(QStringLiteral("left")));
    QVERIFY(!fixture.workspace().selection.strategy().isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.workspace().runs.busy(), 20000);
    const auto strategies = StrategyListModel::automatic(6);
    QCOMPARE(fixture.workspace().document.points().size(), static_cast<std::size_t>(strategies.size()));
    QVERIFY(fixture.workspace().document.path().startsWith(fixture.folder()));
    QVERIFY(fixture.workspace().trustText().contains(QStringLiteral("gradients equal")));
    QCOMPARE(fixture.window().messages()->message(), QString());
}

void tst_window::stop_worksFromTheWindow()
{
    tests::UiFixture fixture(fake("slow"));
    fixture.workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    fixture.show();
    QTest::keyClick(&fixture.window(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.workspace().document.points().empty(), 10000);
    QTest::keyClick(&fixture.window(), Qt::Key_F5, Qt::ShiftModifier);
    QVERIFY(fixture.window().status()->left().startsWith(QStringLiteral("Stopping")));
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.workspace().runs.busy(), 10000);
    QVERIFY(fixture.window().status()->left().startsWith(QStringLiteral("Stopped")));
}

void tst_window::closing_whileRunning_asksOnce()
{
    tests::UiFixture fixture(fake("slow"));
    fixture.workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    fixture.show();
    int asked = 0;
    bool answer = false;
    fixture.window().setCloseQuestion([&] {
        ++asked;
        return answer;
    });
    QTest::keyClick(&fixture.window(), Qt::Key_F5);
    QVERIFY(!fixture.window().close());
    QCOMPARE(asked, 1);
    QVERIFY(fixture.window().isVisible());
    answer = true;
    QVERIFY(fixture.window().close());
    QCOMPARE(asked, 2);
}

void tst_window::diedRunner_isAStripAbove()
{
    tests::UiFixture fixture(fake("die"));
    fixture.workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    fixture.show();
    QTest::keyClick(&fixture.window(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(fixture.window().messages()->message().contains(QStringLiteral("signal 9")), 10000);
    QVERIFY(!fixture.workspace().runs.busy());
    QCOMPARE(fixture.workspace().document.points().size(), std::size_t{2});
    QVERIFY(fixture.workspace().document.points()[1].status == core::RunStatus::interrupted);
}

void tst_window::recentFiles_areRemembered()
{
    tests::UiFixture fixture;
    for (int i = 0; i < 12; ++i) {
        const QString path = fixture.folder() + QStringLiteral("/model%1.json").arg(i);
        QVERIFY(QFile::copy(QStringLiteral(":/configs/nanogpt-mini.json"), path));
        fixture.workspace().open(path);
    }
    QCOMPARE(fixture.workspace().recent().size(), 10);
    QVERIFY(fixture.workspace().recent().front().endsWith(QStringLiteral("model11.json")));
    fixture.workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    QCOMPARE(fixture.workspace().recent().size(), 10);
}

void tst_window::dropped_file_isOpened()
{
    tests::UiFixture fixture;
    fixture.show();
    const QString path = fixture.folder() + QStringLiteral("/model.json");
    QVERIFY(QFile::copy(QStringLiteral(":/configs/llama-mini.json"), path));
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&fixture.window(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&fixture.window(), &drop);
    QCOMPARE(fixture.window().page(), Page::setup);
    QCOMPARE(fixture.workspace().setup.model().layers, 8);
}

void tst_window::theme_isRemembered()
{
    tests::UiFixture fixture;
    fixture.theme().setMode(ThemeMode::dark);
    QVERIFY(Theme::of(QApplication::palette()).dark);
    ThemeController next;
    QCOMPARE(next.mode(), ThemeMode::dark);
    fixture.theme().setMode(ThemeMode::light);
    QVERIFY(!Theme::of(QApplication::palette()).dark);
}

REMAT_TEST(tst_window);

#include "tst_window.moc"
