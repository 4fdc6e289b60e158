// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>

#include <cmath>

#include "pages/curve_card.h"
#include "pages/explore_page.h"
#include "pages/kept_card.h"
#include "pages/layers_page.h"
#include "pages/point_panel.h"
#include "pages/timeline_card.h"
#include "plots/memory_timeline_plot.h"
#include "plots/tradeoff_plot.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"
#include "ui/support/ui_fixture.h"
#include "widgets/layer_strip.h"
#include "widgets/mark_legend.h"

using namespace remat;
using namespace remat::ui;

class tst_explore : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void handle_draggedByMouse_snapsAndMovesEverything();
    void handle_movedByKeys_isOneUndoStep();
    void handle_onTheStrip_dragsAndSnaps();
    void handle_dropped_neverStartsARun();
    void enter_onAnUnmeasuredValue_asksToMeasure();
    void escape_whileDragging_goesBack();
    void mode_switched_keepsTheModesApart();
    void axis_switched_changesEveryNumber();
    void panel_ofAMeasuredPoint_tellsTheTruth();
    void panel_ofAFailedPoint_givesTheReason();
    void timeline_keys_zoomPanAndFindThePeak();
    void timeline_ofAnUnmeasuredStrategy_saysWhatToDo();
    void curve_growsLive();
    void copy_givesPictureAndTable();
    void legend_namesTheFamiliesOfTheCurve();
    void layers_kept_followTheLayerAndTheStrategy();
    void widgets_thatAct_haveNames();

private:
    [[nodiscard]] TradeoffPlot *plot() { return m_fixture->window().explore()->curveCard()->plot(); }
    [[nodiscard]] Selection &selection() { return m_fixture->workspace().selection; }
    [[nodiscard]] QPoint at(const char *strategy)
    {
        return plot()->markPosition(QString::fromLatin1(strategy)).toPoint();
    }
    [[nodiscard]] QWidget *surface() { return plot()->childAt(plot()->rect().center()); }

    std::unique_ptr<tests::UiFixture> m_fixture;
};

void tst_explore::init()
{
    m_fixture = std::make_unique<tests::UiFixture>();
    m_fixture->openLecture();
    m_fixture->show();
    m_fixture->workspace().drop(QStringLiteral("segments:4"), false);
    m_fixture->workspace().undo.clear();
    QTest::qWait(80);
}

void tst_explore::cleanup()
{
    m_fixture.reset();
}

void tst_explore::handle_draggedByMouse_snapsAndMovesEverything()
{
    QSignalSpy previewed(plot(), &TradeoffPlot::previewed);
    const QPoint from = at("segments:4"), to = at("segments:1");
    QVERIFY(!from.isNull() && from != to);
    QTest::mousePress(surface(), Qt::LeftButton, {}, from);
    for (int step = 1; step <= 5; ++step)
        QTest::mouseMove(surface(), from + (to - from) * step / 5 + QPoint(2, 1));
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
    QVERIFY(previewed.size() >= 2);
    QTest::qWait(90);
    QCOMPARE(m_fixture->workspace().analysis.shown(), QStringLiteral("segments:1"));
    QTest::mouseRelease(surface(), Qt::LeftButton, {}, to);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:1"));
    QCOMPARE(m_fixture->workspace().undo.count(), 1);
    QCOMPARE(m_fixture->window().explore()->panel()->title(), QStringLiteral("Segments of 1"));
    m_fixture->workspace().undo.undo();
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
    QCOMPARE(plot()->chosen(), QStringLiteral("segments:4"));
}

void tst_explore::handle_movedByKeys_isOneUndoStep()
{
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Left);
    QTest::keyClick(plot(), Qt::Key_Left);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:2"));
    QCOMPARE(m_fixture->workspace().undo.count(), 1);
    QTest::keyClick(plot(), Qt::Key_End);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:12"));
    QTest::keyClick(plot(), Qt::Key_Home);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:1"));
    QTest::keyClick(plot(), Qt::Key_1);
    QTest::keyClick(plot(), Qt::Key_1);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:11"));
    m_fixture->workspace().undo.undo();
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
}

void tst_explore::handle_onTheStrip_dragsAndSnaps()
{
    LayerStrip *strip = m_fixture->window().explore()->strip();
    const QPoint from = strip->handlePosition().toPoint();
    const QPoint to(qRound(strip->cellOfLayer(1).right()) + 3, from.y());
    QTest::mousePress(strip, Qt::LeftButton, {}, from);
    QTest::mouseMove(strip, (from + to) / 2);
    QTest::mouseMove(strip, to);
    QTest::mouseRelease(strip, Qt::LeftButton, {}, to);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:2"));
    QCOMPARE(plot()->chosen(), QStringLiteral("segments:2"));
    QVERIFY(std::abs(strip->handlePosition().x() - strip->cellOfLayer(1).right()) < 0.6);
    QTest::mouseClick(strip, Qt::LeftButton, {}, strip->cellOfLayer(5).center().toPoint());
    QCOMPARE(selection().layer(), 5);
}

void tst_explore::handle_dropped_neverStartsARun()
{
    m_fixture->workspace().drop(QStringLiteral("segments:7"), false);
    QVERIFY(!m_fixture->workspace().runs.busy());
}

void tst_explore::enter_onAnUnmeasuredValue_asksToMeasure()
{
    QSignalSpy asked(m_fixture->window().explore(), &ExplorePage::measureRequested);
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Right);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:5"));
    QTest::keyClick(plot(), Qt::Key_Return);
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.front().front().toString(), QStringLiteral("segments:5"));
}

void tst_explore::escape_whileDragging_goesBack()
{
    QTest::mousePress(surface(), Qt::LeftButton, {}, at("segments:4"));
    QTest::mouseMove(surface(), at("segments:2"));
    QTest::keyClick(plot(), Qt::Key_Escape);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
    QCOMPARE(plot()->chosen(), QStringLiteral("segments:4"));
    QTest::mouseRelease(surface(), Qt::LeftButton, {}, at("segments:2"));
    QCOMPARE(m_fixture->workspace().undo.count(), 0);
}

void tst_explore::mode_switched_keepsTheModesApart()
{
    selection().setMode(HandleMode::every);
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Home);
    QCOMPARE(selection().strategy(), QStringLiteral("every:1"));
    QTest::keyClick(plot(), Qt::Key_End);
    QCOMPARE(selection().strategy(), QStringLiteral("none"));
    m_fixture->workspace().undo.undo();
    QCOMPARE(selection().mode(), HandleMode::segments);
}

void tst_explore::axis_switched_changesEveryNumber()
{
    const QString before = m_fixture->window().explore()->panel()->number();
    selection().setAxis(MemoryAxis::everything);
    const QString after = m_fixture->window().explore()->panel()->number();
    QVERIFY(before != after);
    const core::Point *point = m_fixture->workspace().analysis.point();
    QCOMPARE(after, QString::fromStdString(core::formatBytes(point->peakBytes)));
    QCOMPARE(m_fixture->workspace().analysis.stack(false)->total(m_fixture->workspace().analysis.stack(false)->peak()),
             point->peakBytes);
}

void tst_explore::panel_ofAMeasuredPoint_tellsTheTruth()
{
    const PointPanel *panel = m_fixture->window().explore()->panel();
    QVERIFY(panel->trustText().contains(QStringLiteral("12 steps")));
    QVERIFY(panel->trustText().contains(QStringLiteral("✓ gradients equal")));
    core::Point wrong = tests::samplePoint("segments:4", 12, 200);
    wrong.equality.differingElements = 3;
    m_fixture->workspace().document.applyPoint(wrong);
    QVERIFY(!panel->trustText().contains(QStringLiteral("✓")));
    QVERIFY(panel->trustText().contains(QStringLiteral("3 gradient elements differ")));
}

void tst_explore::panel_ofAFailedPoint_givesTheReason()
{
    m_fixture->workspace().drop(QStringLiteral("sequential:2"), false);
    const PointPanel *panel = m_fixture->window().explore()->panel();
    QCOMPARE(panel->trustText(), QStringLiteral("does not fit"));
    QVERIFY(panel->adviceText().contains(QStringLiteral("short by 12.0 MiB")));
    QCOMPARE(panel->number(), QStringLiteral("–"));
}

void tst_explore::timeline_keys_zoomPanAndFindThePeak()
{
    MemoryTimelinePlot *timeline = m_fixture->window().explore()->timelineCard()->plot();
    timeline->setFocus();
    const double full = timeline->upper() - timeline->lower();
    QTest::keyClick(timeline, Qt::Key_W);
    QVERIFY(timeline->upper() - timeline->lower() < 0.75 * full);
    QTest::keyClick(timeline, Qt::Key_D);
    QVERIFY(timeline->upper() <= timeline->end());
    QTest::keyClick(timeline, Qt::Key_0);
    QCOMPARE(timeline->upper() - timeline->lower(), full);
    QTest::keyClick(timeline, Qt::Key_P);
    const auto &stack = timeline->stack();
    QCOMPARE(selection().cursor(), stack->nsOf(stack->peak()));
    QTest::keyClick(timeline, Qt::Key_Period);
    QCOMPARE(selection().cursor(), stack->nsOf(stack->peak() + 1));
    const QString text = timeline->hoverText(stack->peak());
    QVERIFY(text.contains(QString::fromStdString(core::formatBytes(stack->total(stack->peak())))));
    QVERIFY(text.contains(QStringLiteral("layer 11")));
    for (int i = 0; i < 60; ++i)
        QTest::keyClick(timeline, Qt::Key_S);
    QCOMPARE(timeline->lower(), 0.0);
    QCOMPARE(timeline->upper(), timeline->end());
}

void tst_explore::timeline_ofAnUnmeasuredStrategy_saysWhatToDo()
{
    m_fixture->workspace().drop(QStringLiteral("segments:7"), false);
    const TimelineCard *card = m_fixture->window().explore()->timelineCard();
    QVERIFY(!card->showsStep());
    m_fixture->workspace().drop(QStringLiteral("segments:2"), false);
    QVERIFY(card->showsStep());
}

void tst_explore::curve_growsLive()
{
    const std::size_t before = m_fixture->workspace().document.points().size();
    QCOMPARE(plot()->curve().find(QStringLiteral("segments:7"))->kind, MarkKind::predicted);
    core::Point point = tests::samplePoint("segments:7", 12, 300);
    point.status = core::RunStatus::running;
    m_fixture->workspace().document.applyPoint(point);
    QCOMPARE(plot()->curve().find(QStringLiteral("segments:7"))->kind, MarkKind::predicted);
    point.status = core::RunStatus::done;
    m_fixture->workspace().document.applyPoint(point);
    QCOMPARE(plot()->curve().find(QStringLiteral("segments:7"))->kind, MarkKind::measured);
    QCOMPARE(m_fixture->workspace().document.points().size(), before + 1);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
}

void tst_explore::copy_givesPictureAndTable()
{
    plot()->setFocus();
    QTest::keyClick(&m_fixture->window(), Qt::Key_C, Qt::ControlModifier);
    const QMimeData *copied = QApplication::clipboard()->mimeData();
    QVERIFY(copied->hasImage());
    QVERIFY(copied->text().startsWith(QStringLiteral("strategy\tkind\tbytes")));
    QCOMPARE(copied->text().count(QLatin1Char('\n')), static_cast<qsizetype>(plot()->curve().marks.size()) + 1);
}

void tst_explore::legend_namesTheFamiliesOfTheCurve()
{
    const QStringList names = m_fixture->window().explore()->curveCard()->legend()->names();
    QVERIFY(names.contains(QStringLiteral("selective")));
    QVERIFY(names.contains(QStringLiteral("other rules")));
    m_fixture->workspace().drop(QStringLiteral("selective:mlp"), false);
    const PointPanel *panel = m_fixture->window().explore()->panel();
    QCOMPARE(panel->title(), QStringLiteral("Selective: MLP"));
    QVERIFY(panel->adviceText().startsWith(QStringLiteral("Dropped and rebuilt in the backward")));
}

void tst_explore::layers_kept_followTheLayerAndTheStrategy()
{
    m_fixture->window().showPage(Page::layers);
    auto *page = m_fixture->window().findChild<LayersPage *>();
    KeptCard *kept = page->kept();
    m_fixture->workspace().drop(QStringLiteral("selective:mlp"), false);
    const int all = kept->table()->model()->rowCount();
    selection().setLayer(4);
    QCOMPARE(kept->title(), QStringLiteral("Kept for the backward · layer 4"));
    QVERIFY(kept->table()->isVisible() && kept->table()->model()->rowCount() < all);
    QVERIFY(page->tableText().startsWith(QStringLiteral("Layer\t")));
    kept->table()->setFocus();
    QTest::keyClick(&m_fixture->window(), Qt::Key_C, Qt::ControlModifier);
    const QString copied = QApplication::clipboard()->text();
    QVERIFY(copied.startsWith(QStringLiteral("Operator\tMade by\t")));
    QCOMPARE(copied.count(QLatin1Char('\n')), kept->table()->model()->rowCount() + 1);
    m_fixture->workspace().drop(QStringLiteral("segments:12"), false);
    QVERIFY(!kept->table()->isVisible());
    QVERIFY(kept->emptyText().contains(QStringLiteral("Layer 4 makes nothing that is kept")));
    m_fixture->workspace().drop(QStringLiteral("segments:7"), false);
    QVERIFY(kept->emptyText().contains(QStringLiteral("measure it")));
}

void tst_explore::widgets_thatAct_haveNames()
{
    int checked = 0;
    for (const QWidget *widget : m_fixture->window().findChildren<QWidget *>()) {
        const QString type = QString::fromLatin1(widget->metaObject()->className());
        if (widget->focusPolicy() == Qt::NoFocus || type.startsWith(QStringLiteral("QCustomPlot")))
            continue;
        const bool ours = type.startsWith(QStringLiteral("remat::")) || type == QStringLiteral("QToolButton")
            || type == QStringLiteral("QPushButton") || type == QStringLiteral("QSpinBox")
            || type == QStringLiteral("QComboBox") || type == QStringLiteral("QTableView");
        if (!ours || widget->inherits("QScrollArea"))
            continue;
        const QVariant text = widget->property("text");
        QVERIFY2(!widget->accessibleName().isEmpty() || !text.toString().isEmpty(), qPrintable(type));
        ++checked;
    }
    QVERIFY(checked > 25);
}

REMAT_TEST(tst_explore);

#include "tst_explore.moc"
