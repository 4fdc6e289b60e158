// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QFile>

#include "models/text.h"
#include "pages/curve_card.h"
#include "pages/explore_page.h"
#include "pages/point_panel.h"
#include "pages/timeline_card.h"
#include "plots/tradeoff_plot.h"
#include "schedule/strategy.h"
#include "support/test_registry.h"
#include "ui/support/ui_fixture.h"
#include "widgets/layer_strip.h"
#include "widgets/strips.h"

using namespace remat;
using namespace remat::ui;

/// One whole run: the window starts the real runner, real steps are measured, and the user drags through what came out.
class tst_whole_run : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void smallModel_measuredAndDragged();

private:
    void measure(tests::UiFixture &fixture);
    void checkPoints(tests::UiFixture &fixture);
    void drag(tests::UiFixture &fixture);
};

void tst_whole_run::measure(tests::UiFixture &fixture)
{
    const QString path = fixture.folder() + QStringLiteral("/tiny.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"block_size": 32, "vocab_size": 64, "n_layer": 4, "n_head": 2, "n_embd": 32, "dropout": 0.1, "bias": true})");
    file.close();
    Workspace &workspace = fixture.workspace();
    workspace.open(path);
    QVERIFY2(workspace.setup.hasModel(), qPrintable(fixture.window().messages()->message()));
    core::Workload workload = workspace.setup.workload();
    workload.batch = 2;
    workload.threads = 1;
    workload.attentionDropout = 0.0;
    workspace.setup.setWorkload(workload);
    fixture.show();
    std::vector<core::Strategy> strategies;
    for (const char *text : {"none", "every:1", "every:2", "segments:1", "segments:2", "segments:4"})
        strategies.push_back(*core::parseStrategy(text));
    workspace.measure(strategies);
    QVERIFY2(workspace.runs.busy(), qPrintable(fixture.window().messages()->message()));
    QTRY_VERIFY_WITH_TIMEOUT(!workspace.runs.busy(), 240000);
    QCOMPARE(fixture.window().messages()->message(), QString());
}

void tst_whole_run::checkPoints(tests::UiFixture &fixture)
{
    const SessionDocument &document = fixture.workspace().document;
    QCOMPARE(document.points().size(), std::size_t{6});
    for (const core::Point &point : document.points()) {
        QVERIFY2(point.status == core::RunStatus::done, point.reason.c_str());
        QVERIFY(point.equality.checked);
        QCOMPARE(point.equality.differingElements, std::int64_t{0});
        QCOMPARE(point.predictedPeakBytes, point.peakBytes);
        const auto recording = document.recording(QString::fromStdString(point.strategy));
        QVERIFY(recording != nullptr);
        const StackData stack(*recording, {false, true, 4});
        QCOMPARE(stack.total(stack.peak()), point.peakBytes);
    }
    QVERIFY(document.point(QStringLiteral("none"))->activationPeakBytes
            > document.point(QStringLiteral("every:1"))->activationPeakBytes);
}

void tst_whole_run::drag(tests::UiFixture &fixture)
{
    ExplorePage *explore = fixture.window().explore();
    TradeoffPlot *plot = explore->curveCard()->plot();
    fixture.workspace().drop(QStringLiteral("segments:4"), false);
    QTest::qWait(80);
    QWidget *surface = plot->childAt(plot->rect().center());
    const QPoint from = plot->markPosition(QStringLiteral("segments:4")).toPoint();
    const QPoint to = plot->markPosition(QStringLiteral("segments:2")).toPoint();
    QTest::mousePress(surface, Qt::LeftButton, {}, from);
    for (int step = 1; step <= 4; ++step)
        QTest::mouseMove(surface, from + (to - from) * step / 4);
    QTest::mouseRelease(surface, Qt::LeftButton, {}, to);
    QCOMPARE(fixture.workspace().selection.strategy(), QStringLiteral("segments:2"));
    const core::Point *point = fixture.workspace().document.point(QStringLiteral("segments:2"));
    QCOMPARE(explore->panel()->number(), bytesText(point->activationPeakBytes));
    QVERIFY(explore->panel()->trustText().contains(QStringLiteral("✓ gradients equal")));
    QVERIFY(explore->timelineCard()->showsStep());
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Right);
    QCOMPARE(fixture.workspace().selection.strategy(), QStringLiteral("segments:3"));
    QVERIFY(!explore->timelineCard()->showsStep());
    QTest::keyClick(plot, Qt::Key_Return);
    QVERIFY(fixture.workspace().runs.busy());
    QTRY_VERIFY_WITH_TIMEOUT(!fixture.workspace().runs.busy(), 240000);
    QCOMPARE(plot->curve().find(QStringLiteral("segments:3"))->kind, MarkKind::measured);
    QVERIFY(explore->timelineCard()->showsStep());
}

void tst_whole_run::smallModel_measuredAndDragged()
{
    tests::UiFixture fixture({QStringLiteral(REMAT_PROGRAM), {QStringLiteral("runner")}});
    measure(fixture);
    if (QTest::currentTestFailed())
        return;
    checkPoints(fixture);
    if (!QTest::currentTestFailed())
        drag(fixture);
}

REMAT_TEST(tst_whole_run);

#include "tst_whole_run.moc"
