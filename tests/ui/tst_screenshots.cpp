// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QApplication>
#include <QDir>

#include "pages/explore_page.h"
#include "pages/limits_dialog.h"
#include "pages/setup_page.h"
#include "plots/tradeoff_plot.h"
#include "support/test_registry.h"
#include "ui/support/ui_fixture.h"

using namespace remat;

/// Writes a picture of each page into the build folder, in both themes; the scale comes from QT_SCALE_FACTOR. Fails when
/// a page is empty or does not fit its smallest window.
class tst_screenshots : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void page_inBothThemes_isDrawn_data();
    void page_inBothThemes_isDrawn();
    void limits_inBothThemes_areDrawn_data();
    void limits_inBothThemes_areDrawn();

private:
    void keep(QWidget &widget);
};

/// Writes the picture under the name of the row that is tested.
void tst_screenshots::keep(QWidget &widget)
{
    const QImage image = widget.grab().toImage();
    const QString scale = QString::number(qRound(image.devicePixelRatio() * 100));
    QDir folder(QStringLiteral(REMAT_SCREENSHOT_DIR));
    QVERIFY(folder.mkpath(QStringLiteral(".")));
    QVERIFY(
        image.save(folder.filePath(QStringLiteral("%1-%2.png").arg(QLatin1String(QTest::currentDataTag()), scale))));

    QHash<QRgb, int> colours;
    for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3)
            ++colours[image.pixel(x, y)];
    }
    QVERIFY2(colours.size() > 40, "it is all but empty");
}

void tst_screenshots::page_inBothThemes_isDrawn_data()
{
    QTest::addColumn<int>("page");
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("strategy");
    const char *const names[] = {"welcome", "setup", "explore", "timeline", "layers", "history"};
    for (int page = 0; page < 6; ++page) {
        for (const bool dark : {false, true})
            QTest::addRow("%s%s", names[page], dark ? "-dark" : "")
                << page << dark << QSize(1440, 900) << QStringLiteral("segments:2");
        QTest::addRow("%s-small", names[page]) << page << false << QSize(1024, 700) << QStringLiteral("segments:2");
    }
    for (const bool dark : {false, true}) {
        for (const int page : {1, 2, 4})
            QTest::addRow("%s-selective%s", names[page], dark ? "-dark" : "")
                << page << dark << QSize(1440, 900) << QStringLiteral("selective:attention");
        QTest::addRow("explore-budget%s", dark ? "-dark" : "")
            << 2 << dark << QSize(1440, 900) << QStringLiteral("budget:200MiB");
    }
    QTest::addRow("explore-budget-small") << 2 << false << QSize(1024, 700) << QStringLiteral("budget:160MiB");
}

void tst_screenshots::page_inBothThemes_isDrawn()
{
    QFETCH(int, page);
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    QFETCH(QString, strategy);
    tests::UiFixture fixture;
    fixture.theme().setMode(dark ? ui::ThemeMode::dark : ui::ThemeMode::light);
    fixture.openLecture();
    QTRY_VERIFY(fixture.workspace().analysis.plans().front() != nullptr);
    fixture.workspace().drop(strategy, false);
    if (strategy != QLatin1String("segments:2")) {
        // A layer is chosen, and the workload has what the form hides as long as nobody sets it.
        fixture.workspace().selection.setLayer(3);
        core::Workload workload = fixture.workspace().setup.workload();
        workload.train = {core::TrainKind::lora, 8};
        workload.attention = core::AttentionKernel::efficient;
        workload.optimizer = core::OptimizerKind::sgd;
        workload.updateInBackward = true;
        workload.clip = 1.0;
        fixture.workspace().setup.adopt(core::ModelConfig(fixture.workspace().setup.model()), workload);
    }
    fixture.window().showPage(static_cast<ui::Page>(page));
    fixture.show(size.width(), size.height());
    QTest::qWait(120);
    QCOMPARE(fixture.window().size(), size);
    keep(fixture.window());
    fixture.theme().setMode(ui::ThemeMode::light);
}

void tst_screenshots::limits_inBothThemes_areDrawn_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    QTest::addRow("limits") << false << QSize(1120, 620);
    QTest::addRow("limits-dark") << true << QSize(1120, 620);
    QTest::addRow("limits-small") << false << QSize(972, 620);
}

void tst_screenshots::limits_inBothThemes_areDrawn()
{
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    tests::UiFixture fixture;
    fixture.theme().setMode(dark ? ui::ThemeMode::dark : ui::ThemeMode::light);
    fixture.openLecture();
    fixture.window().showPage(ui::Page::setup);
    fixture.show(1024, 700);
    core::Workload workload = fixture.workspace().setup.workload();
    workload.attention = core::AttentionKernel::math;
    workload.memoryBudget = core::Bytes{1} << 30;
    fixture.workspace().setup.replaceWorkload(workload);
    ui::LimitsDialog *dialog = fixture.window().setupPage()->showLimits();
    dialog->resize(size);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->model()->busyLimits() && !dialog->model()->busyReach(), 60'000);
    QCOMPARE(dialog->size(), size);
    keep(*dialog);
    fixture.theme().setMode(ui::ThemeMode::light);
}

REMAT_TEST(tst_screenshots);

#include "tst_screenshots.moc"
