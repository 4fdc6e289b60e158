// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>

#include "advice/remarks.h"
#include "models/goal_model.h"
#include "models/text.h"
#include "pages/goal_card.h"
#include "pages/published_dialog.h"
#include "pages/setup_page.h"
#include "pages/workload_form.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"
#include "ui/support/ui_fixture.h"

using namespace remat;
using namespace remat::ui;

/// What to run for a goal, and what published formulas say of the same setup.
class tst_goal : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void answers_areTheCores_data();
    void answers_areTheCores();
    void answer_isTakenOver();
    void answers_areForgottenWithTheirSetup();
    void goals_outOfReach_sayWhy();
    void budgets_thatAreNone_areRefused();
    void probes_answerWhatFitsAlone();
    void form_isUsedByKeyboardAlone();
    void page_fitsTheSmallestWindow();
    void device_isTheForecastsToo();
    void formulas_areTheCores();
    void formulas_takeMeasuredPoints();
    void formulas_followTheSetup();

private:
    void ask(core::GoalKind kind, const char *budget, const char *device = "a100-80gb");
    void settle();
    [[nodiscard]] SetupModel &setup() { return m_fixture->workspace().setup; }
    [[nodiscard]] SetupPage &page() { return *m_fixture->window().setupPage(); }
    [[nodiscard]] GoalModel &goal() { return *page().goal(); }
    [[nodiscard]] GoalCard &card() { return *page().goalCard(); }
    [[nodiscard]] QPushButton *button(const char *text)
    {
        for (QPushButton *found : card().findChildren<QPushButton *>()) {
            if (found->text() == QLatin1String(text))
                return found;
        }
        return nullptr;
    }

    std::unique_ptr<tests::UiFixture> m_fixture;
};

void tst_goal::init()
{
    m_fixture = std::make_unique<tests::UiFixture>();
    m_fixture->workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    m_fixture->show();
    card().setOpen(true);
}

void tst_goal::cleanup()
{
    m_fixture.reset();
}

void tst_goal::settle()
{
    QSignalSpy spy(&goal(), &GoalModel::changed);
    while (goal().busy())
        QVERIFY(spy.wait(60'000));
}

void tst_goal::ask(core::GoalKind kind, const char *budget, const char *device)
{
    goal().ask(kind, QString::fromLatin1(budget), {QString::fromLatin1(device)});
    settle();
}

void tst_goal::answers_areTheCores_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("budget");
    QTest::addRow("fits") << static_cast<int>(core::GoalKind::fits) << QByteArray("64 MiB");
    QTest::addRow("fastest") << static_cast<int>(core::GoalKind::fastest) << QByteArray("128 MiB");
    QTest::addRow("longest") << static_cast<int>(core::GoalKind::longestSequence) << QByteArray("80 MiB");
}

void tst_goal::answers_areTheCores()
{
    QFETCH(int, kind);
    QFETCH(QByteArray, budget);
    ask(static_cast<core::GoalKind>(kind), budget.constData(), "h100");
    QVERIFY2(goal().answer(), qPrintable(goal().problem()));
    const auto expected
        = core::answerGoal(static_cast<core::GoalKind>(kind), setup().model(), setup().resolved().value(),
                           core::parseBytes(budget.constData()).value(),
                           [](const core::ModelConfig &model, const core::Workload &workload) {
                               return core::formulaForecast(model, workload, core::deviceNamed("h100").value());
                           })
              .value();
    QVERIFY(expected.reachable);
    QCOMPARE(core::toJson(*goal().answer()).dump(), core::toJson(expected).dump());
    QVERIFY(goal().trust().contains(QStringLiteral("NVIDIA H100")));
    QVERIFY(goal().trust().contains(QStringLiteral("exact to the byte")));
    QVERIFY(goal().command().startsWith(QStringLiteral("remat measure CONFIG --batch")));
}

void tst_goal::answer_isTakenOver()
{
    core::Workload w = setup().workload();
    w.batch = 2;
    w.attentionDropout = -1.0;
    setup().replaceWorkload(w);
    ask(core::GoalKind::fastest, "96 MiB");
    QVERIFY2(goal().answer() && goal().answer()->reachable, qPrintable(goal().problem()));
    const core::GoalAnswer answer = *goal().answer();
    QVERIFY(answer.workload.batch != 2);
    button("Use this")->click();
    QCOMPARE(setup().workload().batch, answer.workload.batch);
    QCOMPARE(setup().workload().attentionDropout, -1.0);
    QSpinBox *batch = nullptr;
    for (QSpinBox *box : page().form()->findChildren<QSpinBox *>())
        batch = box->accessibleName() == QStringLiteral("Batch") ? box : batch;
    QCOMPARE(batch->value(), static_cast<int>(answer.workload.batch));
    const QString strategy = QString::fromStdString(answer.expected.strategy);
    const int row = page().strategies()->rowOf(strategy);
    QVERIFY(row >= 0);
    QCOMPARE(page().strategies()->index(row).data(Qt::CheckStateRole).value<Qt::CheckState>(), Qt::Checked);
    QCOMPARE(page().forecast()->shown(), strategy);
    QVERIFY(goal().answer()); // it is the answer to what is set up now
    // What was promised is what the forecast of the new setup says.
    QSignalSpy forecast(page().forecast(), &ForecastModel::settled);
    while (page().forecast()->busy())
        QVERIFY(forecast.wait(30'000));
    QCOMPARE(page().forecast()->answer().estimate->peak, answer.expected.peak);
}

void tst_goal::answers_areForgottenWithTheirSetup()
{
    ask(core::GoalKind::fits, "96 MiB");
    QVERIFY(goal().answer());
    core::Workload w = setup().workload();
    setup().setDevices({});
    QVERIFY(goal().answer()); // nothing else was asked
    w.dropout = 0.25;
    setup().setWorkload(w);
    QVERIFY(!goal().answer());
    QVERIFY(goal().command().isEmpty());
}

void tst_goal::goals_outOfReach_sayWhy()
{
    ask(core::GoalKind::fits, "1 MiB");
    QVERIFY(goal().answer());
    QVERIFY(!goal().answer()->reachable);
    QVERIFY(!button("Use this")->isVisible());
    const QString sentence = QString::fromStdString(goal().answer()->words);
    bool shown = false;
    for (const QLabel *label : card().findChildren<QLabel *>())
        shown = shown || (label->isVisible() && label->text() == sentence);
    QVERIFY(shown);
    goal().takeOver(); // changes nothing
    QCOMPARE(setup().workload().batch, core::Workload().batch);
}

void tst_goal::budgets_thatAreNone_areRefused()
{
    ask(core::GoalKind::fits, "much");
    QVERIFY(!goal().answer());
    QVERIFY(goal().problem().contains(QStringLiteral("much")));
    ask(core::GoalKind::fits, "96 MiB", "no such device");
    QVERIFY(goal().problem().contains(QStringLiteral("no such device")));
}

void tst_goal::probes_answerWhatFitsAlone()
{
    QVERIFY(!goal().hasProbe());
    ask(core::GoalKind::fits, "96 MiB", "");
    QVERIFY(!goal().problem().isEmpty());
    m_fixture->openLecture();
    m_fixture->window().showPage(Page::setup);
    QVERIFY(goal().hasProbe());
    const auto *times = card().findChild<QComboBox *>();
    QVERIFY(times->findData(QString()) >= 0);
    ask(core::GoalKind::fastest, "2 GiB", "");
    QVERIFY(!goal().answer());
    QVERIFY(goal().problem().contains(QStringLiteral("what fits")));
    ask(core::GoalKind::fits, "2 GiB", "");
    QVERIFY2(goal().answer(), qPrintable(goal().problem()));
    QVERIFY(!goal().answer()->roughTimes);
    const auto errors = core::timeErrors(m_fixture->workspace().document.points());
    QCOMPARE(errors.has_value(), goal().trust().contains(QStringLiteral("off by")));
    QVERIFY(!goal().trust().contains(QStringLiteral("rough")));
    core::Workload w = setup().workload();
    w.batch += 1;
    setup().setWorkload(w);
    QVERIFY(!goal().hasProbe());
    QVERIFY(times->findData(QString()) < 0);
}

void tst_goal::form_isUsedByKeyboardAlone()
{
    card().setOpen(false);
    auto *fold = card().findChild<QToolButton *>();
    fold->setFocus();
    QTest::keyClick(fold, Qt::Key_Space);
    QVERIFY(card().isOpen());
    QLineEdit *budget = nullptr;
    for (QLineEdit *edit : card().findChildren<QLineEdit *>())
        budget = edit->accessibleName() == QStringLiteral("Memory that may be used") ? edit : budget;
    budget->setFocus();
    budget->selectAll();
    QTest::keyClicks(budget, QStringLiteral("96 MiB"));
    QTest::keyClick(budget, Qt::Key_Return);
    settle();
    QVERIFY2(goal().answer(), qPrintable(goal().problem()));
    QCOMPARE(goal().answer()->budget, core::Bytes{96} << 20);
    QPushButton *copy = button("Copy");
    QVERIFY(copy->isVisible());
    copy->setFocus();
    QTest::keyClick(copy, Qt::Key_Space);
    QCOMPARE(QApplication::clipboard()->text(), goal().command());
}

void tst_goal::page_fitsTheSmallestWindow()
{
    ask(core::GoalKind::fits, "96 MiB");
    QVERIFY(goal().answer());
    QVERIFY(page().strategies()->add(QStringLiteral("budget:1MiB")).has_value());
    m_fixture->window().resize(1024, 700);
    QCoreApplication::processEvents();
    QCOMPARE(m_fixture->window().size(), QSize(1024, 700));
    QVERIFY(setup().loadConfig(QStringLiteral(":/configs/llama-mini.json")).has_value()); // says more of itself
    QTRY_VERIFY(!page().forecast()->busy());
    QCoreApplication::processEvents();
    int areas = 0;
    for (const QScrollArea *area : page().findChildren<QScrollArea *>()) {
        ++areas;
        QVERIFY2(area->widget()->width() <= area->viewport()->width(),
                 qPrintable(QStringLiteral("%1 in %2").arg(area->widget()->width()).arg(area->viewport()->width())));
    }
    QCOMPARE(areas, 2); // the form, and the cards beside it
}

/// A plan is weighed by the same device in the list and in the answer.
void tst_goal::device_isTheForecastsToo()
{
    auto *times = card().findChild<QComboBox *>();
    QCOMPARE(times->currentData().toString(), page().forecast()->device());
    times->setCurrentIndex(times->findData(QStringLiteral("t4")));
    QCOMPARE(page().forecast()->device(), QStringLiteral("t4"));
    QVERIFY(page().forecast()->busy());
}

void tst_goal::formulas_areTheCores()
{
    PublishedQuestion question{
        setup().model(), setup().resolved().value(), {}, {}, core::deviceNamed("a100-80gb").value()};
    const PublishedAnswer answer = publishedAnswer(question);
    QVERIFY(answer.roughTimes);
    const auto forecast = core::formulaForecast(question.model, question.workload, question.device).value();
    const auto reference = core::referenceOf(question.model, question.workload, forecast.costs, {}).value();
    QCOMPARE(core::toJson(answer.values).dump(),
             core::toJson(core::publishedValues(question.model, question.workload, reference)).dump());
    QCOMPARE(core::toJson(answer.claims).dump(),
             core::toJson(core::testedClaims(question.model, question.workload, reference)).dump());
    PublishedDialog *dialog = page().showFormulas();
    QSignalSpy answered(dialog->model(), &PublishedModel::answered);
    QVERIFY(answered.wait(30'000));
    std::size_t rows = answer.values.size();
    for (const core::Claim &claim : answer.claims)
        rows += claim.numbers.size();
    QCOMPARE(dialog->model()->rowCount(), static_cast<int>(rows));
    const QStringList lines = dialog->tableText().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), static_cast<qsizetype>(rows) + 1);
    for (const QString &line : lines)
        QCOMPARE(line.count(QLatin1Char('\t')), PublishedModel::ColumnCount - 1);
    QVERIFY(dialog->tableText().contains(QStringLiteral("predicted, rough")));
    QVERIFY(!dialog->tableText().contains(QStringLiteral("measured")));
}

/// Times of a session come from its probe and its measurements, never from published peaks.
void tst_goal::formulas_takeMeasuredPoints()
{
    m_fixture->openLecture();
    m_fixture->window().showPage(Page::setup);
    PublishedDialog *dialog = page().showFormulas();
    QSignalSpy answered(dialog->model(), &PublishedModel::answered);
    QVERIFY(answered.wait(30'000));
    QVERIFY2(dialog->model()->rowCount() > 0, qPrintable(dialog->model()->problem()));
    const QString text = dialog->tableText();
    QVERIFY(text.contains(QStringLiteral("measured")));
    QVERIFY(!text.contains(QStringLiteral("rough")));
    const core::Point *none = m_fixture->workspace().document.point(QStringLiteral("none"));
    QVERIFY(text.contains(bytesText(none->activationPeakBytes) + QStringLiteral(" · measured")));
}

void tst_goal::formulas_followTheSetup()
{
    PublishedDialog *dialog = page().showFormulas();
    QSignalSpy answered(dialog->model(), &PublishedModel::answered);
    QVERIFY(answered.wait(30'000));
    const QString before = dialog->tableText();
    core::Workload w = setup().workload();
    w.batch *= 2;
    setup().setWorkload(w);
    QVERIFY(answered.wait(30'000));
    QVERIFY(dialog->tableText() != before);
    w.dtype = core::Dtype::fp16; // no CPU does
    setup().setWorkload(w);
    QCOMPARE(dialog->model()->rowCount(), 0);
    QVERIFY(!dialog->findChild<QTableView *>()->isVisible());
    QVERIFY(!dialog->model()->problem().isEmpty());
    QTest::keyClick(dialog, Qt::Key_Escape);
    QVERIFY(!dialog->isVisible());
}

REMAT_TEST(tst_goal);

#include "tst_goal.moc"
