// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QPushButton>
#include <QSignalSpy>

#include <cmath>

#include "models/text.h"
#include "pages/curve_card.h"
#include "pages/explore_page.h"
#include "pages/point_panel.h"
#include "plots/tradeoff_plot.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"
#include "ui/support/ui_fixture.h"
#include "widgets/layer_strip.h"
#include "widgets/mark_legend.h"

using namespace remat;
using namespace remat::ui;

/// The budget line on the page, by mouse and by keyboard.
class tst_budget : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void line_draggedByMouse_movesEverythingAndPlansNothing();
    void line_draggedTooLow_saysWhatSetsTheFloor();
    void line_heldByItsTag_doesNotJump();
    void line_movedByKeys_isOneUndoStep();
    void line_keysOnTheStrip_moveItToo();
    void line_typed_goesThere();
    void line_inAnotherMode_isNotHeld();
    void escape_whileDragging_goesBack();
    void axis_switched_keepsTheBudget();
    void enter_onAPlan_asksToMeasureIt();
    void panel_showsThePlanThatItOffers();
    void plan_measured_isAFamilyOfItsOwn();
    void mode_withoutCosts_saysWhatToDo();

private:
    [[nodiscard]] TradeoffPlot *plot() { return m_fixture->window().explore()->curveCard()->plot(); }
    [[nodiscard]] Selection &selection() { return m_fixture->workspace().selection; }
    [[nodiscard]] Analysis &analysis() { return m_fixture->workspace().analysis; }
    [[nodiscard]] const PlanFront &front() { return *analysis().plans().front(); }
    [[nodiscard]] QWidget *surface() { return plot()->childAt(plot()->rect().center()); }
    [[nodiscard]] QPoint onLine() { return {plot()->width() / 3, plot()->budgetLinePosition()}; }

    std::unique_ptr<tests::UiFixture> m_fixture;
};

void tst_budget::init()
{
    m_fixture = std::make_unique<tests::UiFixture>();
    m_fixture->openLecture();
    m_fixture->show();
    m_fixture->workspace().drop(QStringLiteral("segments:4"), false);
    m_fixture->workspace().undo.clear();
    QTRY_VERIFY(analysis().plans().front() != nullptr);
    selection().setMode(HandleMode::budget);
    QTest::qWait(80);
}

void tst_budget::cleanup()
{
    m_fixture.reset();
}

void tst_budget::line_draggedByMouse_movesEverythingAndPlansNothing()
{
    QCOMPARE(plot()->budgetLine().budget(), plot()->curve().find(QStringLiteral("segments:4"))->peak);
    QSignalSpy previewed(plot(), &TradeoffPlot::previewed);
    const int planned = analysis().plans().computations();
    const QPoint from = onLine(), to = from - QPoint(0, 70);
    QTest::mousePress(surface(), Qt::LeftButton, {}, from);
    for (int step = 1; step <= 7; ++step)
        QTest::mouseMove(surface(), from + (to - from) * step / 7);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
    QCOMPARE(previewed.size(), 7);
    const QString held = previewed.back().front().toString();
    QTRY_COMPARE(analysis().shown(), held);
    const core::Bytes budget = plot()->budgetLine().budget();
    QCOMPARE(held, QStringLiteral("budget:%1").arg(budget));
    QCOMPARE(analysis().schedule(held).value(), front().fastestWithin(budget)->schedule);
    QCOMPARE(m_fixture->window().explore()->panel()->title(), strategyTitle(held));
    QCOMPARE(m_fixture->window().explore()->panel()->number(),
             bytesText(front().fastestWithin(budget)->activationPeak));
    QTest::mouseRelease(surface(), Qt::LeftButton, {}, to);
    QCOMPARE(selection().strategy(), held);
    QCOMPARE(m_fixture->workspace().undo.count(), 1);
    QCOMPARE(analysis().plans().computations(), planned);
    QVERIFY(!m_fixture->workspace().runs.busy());
    m_fixture->workspace().undo.undo();
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
    QCOMPARE(plot()->budgetLine().budget(), plot()->curve().find(QStringLiteral("segments:4"))->peak);
}

void tst_budget::line_draggedTooLow_saysWhatSetsTheFloor()
{
    const QPoint from = onLine();
    QTest::mousePress(surface(), Qt::LeftButton, {}, from);
    QTest::mouseMove(surface(), QPoint(from.x(), plot()->height() - 45));
    QCOMPARE(plot()->budgetLine().budget(), front().smallest());
    const QString sentence = plot()->budgetSentence();
    QVERIFY(sentence.startsWith(QStringLiteral("No plan with what was probed fits")));
    QVERIFY(sentence.contains(bytesText(front().smallest())));
    QVERIFY(sentence.contains(QString::fromStdString(front().bindingWords())));
    QTest::mouseRelease(surface(), Qt::LeftButton, {}, QPoint(from.x(), plot()->height() - 45));
    QCOMPARE(selection().strategy(), QStringLiteral("budget:%1").arg(front().smallest()));
    QVERIFY(plot()->accessibleDescription().contains(QStringLiteral("No plan with what was probed fits")));
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Up);
    QVERIFY(!plot()->budgetSentence().contains(QStringLiteral("No plan with what was probed fits")));
}

void tst_budget::line_heldByItsTag_doesNotJump()
{
    const core::Bytes before = plot()->budgetLine().budget();
    const QPoint tag(plot()->width() - 60, plot()->budgetLinePosition() - 9);
    QTest::mousePress(surface(), Qt::LeftButton, {}, tag);
    QTest::mouseMove(surface(), tag + QPoint(1, 0));
    const double pixel = static_cast<double>(plot()->curve().find(QStringLiteral("none"))->bytes) / 200.0;
    QVERIFY(std::abs(static_cast<double>(plot()->budgetLine().budget() - before)) < 2 * pixel);
    QTest::mouseMove(surface(), tag - QPoint(0, 30));
    QVERIFY(plot()->budgetLine().budget() > before);
    QTest::mouseRelease(surface(), Qt::LeftButton, {}, tag - QPoint(0, 30));
    QCOMPARE(m_fixture->workspace().undo.count(), 1);
}

void tst_budget::line_movedByKeys_isOneUndoStep()
{
    plot()->setFocus();
    const core::Bytes before = plot()->budgetLine().budget();
    QTest::keyClick(plot(), Qt::Key_Up);
    QVERIFY(plot()->budgetLine().budget() > before);
    QTest::keyClick(plot(), Qt::Key_PageUp);
    QTest::keyClick(plot(), Qt::Key_Down);
    QCOMPARE(m_fixture->workspace().undo.count(), 1);
    QTest::keyClick(plot(), Qt::Key_End);
    QCOMPARE(selection().strategy(), QStringLiteral("budget:%1").arg(front().largest()));
    QTest::keyClick(plot(), Qt::Key_Home);
    QCOMPARE(selection().strategy(), QStringLiteral("budget:%1").arg(front().smallest()));
    QCOMPARE(m_fixture->workspace().undo.count(), 1);
    m_fixture->workspace().undo.undo();
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
}

void tst_budget::line_keysOnTheStrip_moveItToo()
{
    LayerStrip *strip = m_fixture->window().explore()->strip();
    strip->setFocus();
    QTest::keyClick(strip, Qt::Key_End);
    QCOMPARE(selection().strategy(), QStringLiteral("budget:%1").arg(front().largest()));
    QTest::keyClick(strip, Qt::Key_Left);
    QVERIFY(plot()->budgetLine().budget() < front().largest());
    QTest::keyClick(strip, Qt::Key_Down); // layers, as in every mode
    QCOMPARE(selection().layer(), 0);
    const QString chosen = selection().strategy();
    QTest::mouseClick(strip, Qt::LeftButton, {}, QPoint(strip->width() / 2, strip->height() - 12));
    QCOMPARE(selection().strategy(), chosen);
}

void tst_budget::line_typed_goesThere()
{
    plot()->setFocus();
    QTest::keyClicks(plot(), QStringLiteral("170m"));
    QCOMPARE(plot()->budgetLine().typed(), QStringLiteral("170 MiB"));
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
    QTest::keyClick(plot(), Qt::Key_Return);
    QCOMPARE(selection().strategy(), QStringLiteral("budget:%1").arg(170 * 1024 * 1024));
    QTest::keyClicks(plot(), QStringLiteral("9"));
    QTest::keyClick(plot(), Qt::Key_Escape);
    QVERIFY(plot()->budgetLine().typed().isEmpty());
    QCOMPARE(selection().strategy(), QStringLiteral("budget:%1").arg(170 * 1024 * 1024));
}

void tst_budget::line_inAnotherMode_isNotHeld()
{
    selection().setMode(HandleMode::segments);
    QTest::qWait(20);
    QTest::mousePress(surface(), Qt::LeftButton, {}, onLine() + QPoint(60, 0));
    QTest::mouseMove(surface(), onLine() - QPoint(0, 60));
    QTest::mouseRelease(surface(), Qt::LeftButton, {}, onLine() - QPoint(0, 60));
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Right);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:5"));
}

void tst_budget::escape_whileDragging_goesBack()
{
    const core::Bytes before = plot()->budgetLine().budget();
    QTest::mousePress(surface(), Qt::LeftButton, {}, onLine());
    QTest::mouseMove(surface(), onLine() - QPoint(0, 40));
    QVERIFY(plot()->budgetLine().budget() != before);
    QTest::keyClick(plot(), Qt::Key_Escape);
    QCOMPARE(selection().strategy(), QStringLiteral("segments:4"));
    QCOMPARE(plot()->budgetLine().budget(), before);
    QTest::mouseRelease(surface(), Qt::LeftButton, {}, onLine());
    QCOMPARE(m_fixture->workspace().undo.count(), 0);
}

void tst_budget::axis_switched_keepsTheBudget()
{
    m_fixture->workspace().drop(QStringLiteral("budget:%1").arg(200 * 1024 * 1024), false);
    const double height = plot()->budgetLine().height();
    QCOMPARE(height, 200.0 * 1024 * 1024 - static_cast<double>(front().costs.staticBytes));
    selection().setAxis(MemoryAxis::everything);
    QCOMPARE(plot()->budgetLine().budget(), core::Bytes{200 * 1024 * 1024});
    QCOMPARE(plot()->budgetLine().height(), 200.0 * 1024 * 1024);
    QCOMPARE(m_fixture->window().explore()->panel()->number(),
             bytesText(front().fastestWithin(200 * 1024 * 1024)->peak));
}

void tst_budget::enter_onAPlan_asksToMeasureIt()
{
    QSignalSpy asked(m_fixture->window().explore(), &ExplorePage::measureRequested);
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Up);
    QTest::keyClick(plot(), Qt::Key_Return);
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked.front().front().toString(), selection().strategy());
    QVERIFY(selection().strategy().startsWith(QStringLiteral("budget:")));
}

void tst_budget::panel_showsThePlanThatItOffers()
{
    PointPanel *panel = m_fixture->window().explore()->panel();
    m_fixture->workspace().drop(QStringLiteral("segments:12"), false);
    QVERIFY(panel->adviceText().contains(QStringLiteral("needs")));
    QVERIFY(panel->adviceText().contains(QStringLiteral("A plan within the same")));
    auto *button = panel->findChild<QPushButton *>();
    QCOMPARE(button->text(), QStringLiteral("Show that plan"));
    const core::Bytes peak = plot()->curve().find(QStringLiteral("segments:12"))->peak;
    button->click();
    QCOMPARE(selection().strategy(), QStringLiteral("budget:%1").arg(peak));
    QVERIFY(selection().mode() == HandleMode::budget);
    QVERIFY(panel->adviceText().contains(QStringLiteral("predicted")));
    panel->setCanMeasure(true);
    QVERIFY(button->text().startsWith(QStringLiteral("Measure this")));
}

void tst_budget::plan_measured_isAFamilyOfItsOwn()
{
    const core::Bytes budget = 190 * 1024 * 1024;
    core::Point point = tests::samplePoint("every:2", 12, 300);
    point.strategy = "budget:" + std::to_string(budget);
    const FrontPlan *plan = front().fastestWithin(budget);
    point.peakBytes = plan->peak;
    point.activationPeakBytes = plan->activationPeak;
    point.step = {plan->stepNs, plan->stepNs - 1'000'000, plan->stepNs + 1'000'000, 7};
    QVERIFY(!m_fixture->window().explore()->curveCard()->legend()->names().contains(QStringLiteral("plans")));
    m_fixture->workspace().document.applyPoint(point);
    const CurveMark *mark = plot()->curve().find(QString::fromStdString(point.strategy));
    QVERIFY(mark->family == MarkFamily::plan && mark->kind == MarkKind::measured);
    QVERIFY(m_fixture->window().explore()->curveCard()->legend()->names().contains(QStringLiteral("plans")));
    QCOMPARE(analysis().plans().computations(), 1); // a point changes no costs
    // A click on its mark chooses it, though the line may be meant there as well.
    m_fixture->workspace().drop(QStringLiteral("budget:%1").arg(budget + 1), false);
    QTest::qWait(20);
    QTest::mouseClick(surface(), Qt::LeftButton, {}, plot()->markPosition(mark->strategy).toPoint());
    QCOMPARE(selection().strategy(), QString::fromStdString(point.strategy));
}

void tst_budget::mode_withoutCosts_saysWhatToDo()
{
    (void)m_fixture->workspace().document.setReader(nullptr);
    QVERIFY(analysis().plans().front() == nullptr);
    selection().setMode(HandleMode::budget);
    QVERIFY(!plot()->budgetLine().ready());
    QVERIFY(plot()->budgetSentence().contains(QStringLiteral("measure anything")));
    plot()->setFocus();
    QTest::keyClick(plot(), Qt::Key_Up);
    QVERIFY(!m_fixture->workspace().runs.busy());
}

REMAT_TEST(tst_budget);

#include "tst_budget.moc"
