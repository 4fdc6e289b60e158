// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <atomic>
#include <thread>

#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>

#include "model/static_memory.h"
#include "models/forecast_model.h"
#include "models/text.h"
#include "pages/forecast_card.h"
#include "pages/setup_page.h"
#include "pages/strategies_card.h"
#include "plan/planned_strategy.h"
#include "support/test_registry.h"
#include "ui/support/ui_fixture.h"
#include "widgets/number_tile.h"

using namespace remat;
using namespace remat::ui;

/// What is said before anything runs: by the same formula as the command line's, the newest question first.
class tst_forecast : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void latestTask_ofManyStarts_showsTheNewest();
    void latestTask_cancelled_showsNothing();
    void estimate_isTheCores_data();
    void estimate_isTheCores();
    void edits_inARow_endWithTheLast();
    void refusals_leaveWhatIsCertain();
    void formulaRefusals_areTold();
    void budgets_areListedWithTheirPlans();
    void budgets_thatNothingFits_sayWhatIsPossible();
    void limits_areToldBesideTheBar();
    void list_isUsedByKeyboardAlone();
    void table_holdsTheParts();

private:
    void settle();
    [[nodiscard]] SetupModel &setup() { return m_fixture->workspace().setup; }
    [[nodiscard]] SetupPage &page() { return *m_fixture->window().setupPage(); }
    [[nodiscard]] const ForecastAnswer &answer() { return page().forecast()->answer(); }
    [[nodiscard]] QListView *list() { return page().findChild<StrategiesCard *>()->findChild<QListView *>(); }
    [[nodiscard]] QStringList shownTexts(const QWidget *card);

    std::unique_ptr<tests::UiFixture> m_fixture;
};

void tst_forecast::init()
{
    m_fixture = std::make_unique<tests::UiFixture>();
    m_fixture->workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    m_fixture->show();
    settle();
}

void tst_forecast::cleanup()
{
    m_fixture.reset();
}

void tst_forecast::settle()
{
    QSignalSpy spy(page().forecast(), &ForecastModel::settled);
    if (page().forecast()->busy())
        QVERIFY(spy.wait(30'000));
}

QStringList tst_forecast::shownTexts(const QWidget *card)
{
    QStringList texts;
    for (const QLabel *label : card->findChildren<QLabel *>()) {
        if (label->isVisible())
            texts += label->text();
    }
    return texts;
}

void tst_forecast::latestTask_ofManyStarts_showsTheNewest()
{
    LatestTask task;
    QStringList shown;
    std::atomic<bool> secondRan = false;
    QSignalSpy settled(&task, &LatestTask::settled);
    const auto say = [&shown](const char *word) { return [&shown, word] { shown += QString::fromLatin1(word); }; };
    task.start([&](const std::stop_token &stop, const LatestTask::Deliver &deliver) {
        deliver(say("first"));
        while (!stop.stop_requested())
            std::this_thread::yield();
        deliver(say("first, late"));
    });
    task.start([&](const std::stop_token &, const LatestTask::Deliver &) { secondRan = true; });
    task.start([&](const std::stop_token &, const LatestTask::Deliver &deliver) {
        deliver(say("third"));
        deliver(say("third, more"));
    });
    QVERIFY(task.busy());
    QVERIFY(settled.wait());
    QVERIFY(!task.busy());
    QVERIFY(!secondRan);
    QCOMPARE(shown, (QStringList{QStringLiteral("third"), QStringLiteral("third, more")}));
    QCOMPARE(settled.count(), 1);
}

void tst_forecast::latestTask_cancelled_showsNothing()
{
    LatestTask task;
    bool shown = false;
    task.start([&](const std::stop_token &stop, const LatestTask::Deliver &deliver) {
        while (!stop.stop_requested())
            std::this_thread::yield();
        deliver([&shown] { shown = true; });
    });
    task.cancel();
    QVERIFY(!task.busy());
    QSignalSpy settled(&task, &LatestTask::settled);
    task.start([](const std::stop_token &, const LatestTask::Deliver &) {}); // runs after the cancelled one
    QVERIFY(settled.wait());
    QVERIFY(!shown);
}

void tst_forecast::estimate_isTheCores_data()
{
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("dtype");
    QTest::addColumn<QString>("train");
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<QString>("strategy");
    const auto row
        = [](const char *config, const char *dtype, const char *train, const char *optimizer, const char *strategy) {
              QTest::addRow("%s %s %s %s %s", config, dtype, train, optimizer, strategy)
                  << QStringLiteral(":/configs/%1.json").arg(QLatin1String(config)) << QString::fromLatin1(dtype)
                  << QString::fromLatin1(train) << QString::fromLatin1(optimizer) << QString::fromLatin1(strategy);
          };
    row("nanogpt-mini", "fp32", "all", "adamw", "none");
    row("nanogpt-mini", "fp32", "all", "adamw", "every:1");
    row("llama-mini", "bf16", "all", "sgd:0.9", "segments:2");
    row("llama-mini", "mixed-bf16", "last:2", "adamw-per-tensor", "none");
    row("gpt-12x256", "fp32", "lora:8", "adamw", "selective:attention");
    row("gpt-12x256", "fp32", "all", "adamw", "budget:75%");
}

/// The same parts as `remat estimate` puts together: every option that a planner may choose is counted.
void tst_forecast::estimate_isTheCores()
{
    QFETCH(QString, config);
    QFETCH(QString, dtype);
    QFETCH(QString, train);
    QFETCH(QString, optimizer);
    QFETCH(QString, strategy);
    QVERIFY(setup().loadConfig(config).has_value());
    core::Workload w = setup().workload();
    w.batch = 3;
    w.seq = 128;
    w.dtype = core::dtypeFrom(dtype.toStdString()).value();
    QVERIFY(core::parseTrain(train.toStdString(), w).has_value());
    QVERIFY(core::parseOptimizer(optimizer.toStdString(), w).has_value());
    setup().setWorkload(w);
    page().findChild<StrategiesCard *>()->add(strategy);
    settle();
    QVERIFY2(setup().resolved(), qPrintable(answer().refusal));
    const core::Workload resolved = setup().resolved().value();
    const core::ChainShape shape = chainShape(setup().model(), resolved);
    auto formula = core::chainFormula(setup().model(), resolved, core::plannableOptions(shape)).value();
    core::fillTimes(formula.costs, formula.work, core::deviceNamed("a100-80gb").value(), resolved.dtype);
    const auto parsed = core::parseStrategy(strategy.toStdString()).value();
    const auto schedule = core::scheduleFor(parsed, shape, formula.costs);
    QVERIFY2(schedule, schedule ? "" : schedule.error().message.c_str());
    auto expected = core::estimateOf(setup().model(), resolved, formula.costs, *schedule).value();
    expected.approximate = formula.approximate;
    QVERIFY2(answer().estimate, qPrintable(answer().refusal));
    QCOMPARE(answer().shown, strategy);
    QCOMPARE(core::toJson(*answer().estimate).dump(), core::toJson(expected).dump());
    QCOMPARE(expected.approximate, dtype != QLatin1String("fp32"));
    const int row = page().strategies()->rowOf(strategy);
    QCOMPARE(page().strategies()->index(row).data(StrategyListModel::PeakRole).toString(), bytesText(expected.peak));
    core::Bytes sum = 0;
    for (const PeakSummary::Part &part : partsOf(expected.parts))
        sum += part.bytes;
    QCOMPARE(sum, expected.peak);
    for (int other = 0; other < page().strategies()->rowCount(); ++other)
        QVERIFY(!page().strategies()->index(other).data(StrategyListModel::PeakRole).toString().isEmpty());
}

void tst_forecast::edits_inARow_endWithTheLast()
{
    core::Workload w = setup().workload();
    for (const std::int64_t batch : {2, 16, 8, 5}) {
        w.batch = batch;
        setup().setWorkload(w);
        QCoreApplication::processEvents(); // some questions are asked and overtaken
    }
    settle();
    const core::Workload resolved = setup().resolved().value();
    QCOMPARE(resolved.batch, std::int64_t{5});
    const auto formula
        = core::chainFormula(setup().model(), resolved, core::plannableOptions(chainShape(setup().model(), resolved)))
              .value();
    const auto none = core::makeSchedule({}, chainShape(setup().model(), resolved)).value();
    QCOMPARE(answer().estimate->peak, core::simulate(none, formula.costs).value().peak);
}

void tst_forecast::refusals_leaveWhatIsCertain()
{
    core::Workload w = setup().workload();
    w.dtype = core::Dtype::fp16; // no CPU does
    setup().setWorkload(w);
    settle();
    QVERIFY(!answer().estimate);
    const QString sentence = QString::fromStdString(setup().resolved().error().message);
    const auto *card = page().findChild<ForecastCard *>();
    QVERIFY(shownTexts(card).contains(sentence));
    QCOMPARE(card->findChild<NumberTile *>()->number(), bytesText(core::leastBytes(setup().model(), w)));
    w.dtype = core::Dtype::fp32;
    setup().setWorkload(w);
    settle();
    QVERIFY(answer().estimate);
    QVERIFY(!shownTexts(card).contains(sentence));
    QCOMPARE(card->findChild<NumberTile *>()->number(), bytesText(answer().estimate->peak));
}

void tst_forecast::formulaRefusals_areTold()
{
    ForecastQuestion question{setup().model(), setup().resolved().value(), {}, {}, "no such device", nullptr, {}};
    int answers = 0;
    forecast(question, {}, [&answers](const ForecastAnswer &answer) {
        ++answers;
        QVERIFY(answer.refusal.contains(QStringLiteral("no such device")));
        QVERIFY(!answer.estimate);
    });
    QCOMPARE(answers, 1);
}

void tst_forecast::budgets_areListedWithTheirPlans()
{
    const core::Bytes none = answer().estimate->peak;
    page().findChild<StrategiesCard *>()->add(QStringLiteral("budget:40%"));
    settle();
    const QModelIndex row = page().strategies()->index(page().strategies()->rowOf(QStringLiteral("budget:40%")));
    QCOMPARE(list()->currentIndex(), row);
    QCOMPARE(row.data(Qt::CheckStateRole).value<Qt::CheckState>(), Qt::Checked);
    QVERIFY(row.data(StrategyListModel::ProblemRole).toString().isEmpty());
    const core::Bytes peak = answer().strategies.at("budget:40%").peak;
    QVERIFY(peak > 0 && peak < none);
    QCOMPARE(answer().estimate->peak, peak);
    QVERIFY(row.data(Qt::ToolTipRole).toString().contains(exactBytesText(peak)));
    QVERIFY(row.data(Qt::AccessibleTextRole).toString().contains(bytesText(peak)));
}

void tst_forecast::budgets_thatNothingFits_sayWhatIsPossible()
{
    auto *card = page().findChild<StrategiesCard *>();
    const int before = page().strategies()->rowCount();
    card->add(QStringLiteral("budget:lots"));
    QCOMPARE(page().strategies()->rowCount(), before);
    QCOMPARE(shownTexts(card).filter(QStringLiteral("lots")).size(), 1);
    card->add(QStringLiteral("budget:1MiB"));
    settle();
    const core::Estimate &smallest = *answer().estimate;
    QCOMPARE(smallest.peak, smallest.smallestPeak);
    QVERIFY(!answer().strategies.at("budget:1MiB").fits);
    const QStringList sentences
        = shownTexts(card).filter(QStringLiteral("No schedule fits ") + bytesText(core::Bytes{1} << 20));
    QCOMPARE(sentences.size(), 1);
    QVERIFY(sentences.front().contains(QString::number(smallest.smallestPeak)));
    QVERIFY(sentences.front().contains(QString::fromStdString(smallest.smallestWhere)));
    QCOMPARE(list()->currentIndex().data(StrategyListModel::PeakRole).toString(), QStringLiteral("nothing fits"));
    list()->setCurrentIndex(page().strategies()->index(0));
    settle();
    QVERIFY(shownTexts(card).filter(QStringLiteral("No schedule fits")).isEmpty());
}

void tst_forecast::limits_areToldBesideTheBar()
{
    const auto *card = page().findChild<ForecastCard *>();
    QPushButton *plan = nullptr;
    for (QPushButton *button : card->findChildren<QPushButton *>())
        plan = button->text() == QStringLiteral("Add a plan that fits") ? button : plan;
    QVERIFY(plan && !plan->isVisible());
    const core::Estimate estimate = *answer().estimate;
    core::Workload w = setup().workload();
    w.memoryBudget = (estimate.peak + estimate.smallestPeak) / 2;
    setup().setWorkload(w);
    settle();
    QVERIFY(plan->isVisible());
    QVERIFY(!shownTexts(card).filter(bytesText(estimate.peak - w.memoryBudget)).isEmpty());
    const QString ofRow = page().strategies()->index(0).data(StrategyListModel::ProblemRole).toString();
    QVERIFY(ofRow.contains(bytesText(w.memoryBudget)));
    QVERIFY(shownTexts(page().findChild<StrategiesCard *>()).filter(ofRow).isEmpty()); // said once
    plan->click();
    settle();
    const std::string added = "budget:" + std::to_string(w.memoryBudget);
    QVERIFY(answer().strategies.at(added).peak <= w.memoryBudget);
    QVERIFY(!plan->isVisible());
    w.memoryBudget = 0;
    core::DeviceInfo cpu;
    cpu.id = "cpu";
    cpu.name = "a small machine";
    cpu.totalBytes = estimate.smallestPeak - 1;
    cpu.usable = true;
    setup().setWorkload(w);
    setup().setDevices({cpu});
    list()->setCurrentIndex(page().strategies()->index(0));
    settle();
    QVERIFY(!plan->isVisible());
    QCOMPARE(shownTexts(card).filter(QStringLiteral("a small machine")).size(), 1);
}

void tst_forecast::list_isUsedByKeyboardAlone()
{
    list()->setFocus();
    QTest::keyClick(list(), Qt::Key_Down);
    settle();
    QCOMPARE(answer().shown, QStringLiteral("every:1"));
    const std::size_t checked = page().strategies()->checked().size();
    QTest::keyClick(list(), Qt::Key_Space);
    QCOMPARE(page().strategies()->checked().size(), checked - 1);
    auto *add = page().findChild<StrategiesCard *>()->findChild<QLineEdit *>();
    add->setFocus();
    QTest::keyClicks(add, QStringLiteral("budget:60%"));
    QTest::keyClick(add, Qt::Key_Return);
    QVERIFY(add->text().isEmpty());
    settle();
    QCOMPARE(answer().shown, QStringLiteral("budget:60%"));
    const QString before = page().forecast()->shown();
    setup().setLayers(4); // the list is made anew
    settle();
    QVERIFY(before != page().forecast()->shown());
    QCOMPARE(answer().shown, QStringLiteral("none"));
}

void tst_forecast::table_holdsTheParts()
{
    const QString text = page().tableText();
    for (const PeakSummary::Part &part : partsOf(answer().estimate->parts))
        QVERIFY2(text.contains(partText(part.category) + QLatin1Char('\t') + QString::number(part.bytes)),
                 qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("every:1\t%1\n").arg(answer().strategies.at("every:1").peak)));
}

REMAT_TEST(tst_forecast);

#include "tst_forecast.moc"
