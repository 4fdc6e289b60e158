// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cmath>
#include <set>
#include <tuple>

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>

#include "models/limits_model.h"
#include "models/text.h"
#include "models/time_source.h"
#include "pages/forecast_card.h"
#include "pages/goal_card.h"
#include "pages/limits_dialog.h"
#include "pages/setup_page.h"
#include "support/test_registry.h"
#include "ui/support/ui_fixture.h"

using namespace remat;
using namespace remat::ui;

/// What lowers the peak of the setup and how far strategies reach, as the core says it.
class tst_limits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void limits_areTheCores_data();
    void limits_areTheCores();
    void reach_isTheCores();
    void reach_ofWhatFitsNowhere_saysSo();
    void budgets_thatAreNone_areRefused();
    void questions_inARow_endWithTheLast();
    void levers_areTakenOver();
    void card_saysWhereCheckpointingHardlyMatters();
    void dialog_followsTheSetup();
    void dialog_takesTheGoalsBudgetAndDevice();
    void dialog_isUsedByKeyboardAlone();
    void dialog_isCopied();

private:
    void settle(LimitsModel &model);
    [[nodiscard]] LimitsDialog &openDialog();
    [[nodiscard]] SetupModel &setup() { return m_fixture->workspace().setup; }
    [[nodiscard]] SetupPage &page() { return *m_fixture->window().setupPage(); }
    [[nodiscard]] core::Limits limitsHere(const QString &device);

    std::unique_ptr<tests::UiFixture> m_fixture;
};

void tst_limits::init()
{
    m_fixture = std::make_unique<tests::UiFixture>();
    m_fixture->workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    m_fixture->show();
}

void tst_limits::cleanup()
{
    m_fixture.reset();
}

void tst_limits::settle(LimitsModel &model)
{
    QSignalSpy limits(&model, &LimitsModel::limitsChanged);
    QSignalSpy reach(&model, &LimitsModel::reachChanged);
    while (model.busyLimits())
        QVERIFY(limits.wait(60'000));
    while (model.busyReach())
        QVERIFY(reach.wait(60'000));
}

LimitsDialog &tst_limits::openDialog()
{
    LimitsDialog *dialog = page().showLimits();
    settle(*dialog->model());
    return *dialog;
}

core::Limits tst_limits::limitsHere(const QString &device)
{
    return core::limitsOf(setup().model(), setup().resolved().value(), costsByFormula(device).value()).value();
}

void tst_limits::limits_areTheCores_data()
{
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("device");
    QTest::addRow("small") << QStringLiteral(":/configs/nanogpt-mini.json") << QStringLiteral("a100-80gb");
    QTest::addRow("other device") << QStringLiteral(":/configs/llama-mini.json") << QStringLiteral("t4");
}

void tst_limits::limits_areTheCores()
{
    QFETCH(QString, config);
    QFETCH(QString, device);
    QVERIFY(setup().loadConfig(config).has_value());
    core::Workload w = setup().workload();
    w.batch = 4;
    setup().replaceWorkload(w);
    LimitsModel model(setup());
    model.setDevice(device);
    model.askLimits();
    QVERIFY(model.busyLimits());
    QVERIFY(!model.limits());
    settle(model);
    QVERIFY2(model.limits(), qPrintable(model.limitsProblem()));
    const core::Limits expected = limitsHere(device);
    QCOMPARE(core::toJson(*model.limits()).dump(), core::toJson(expected).dump());
    QVERIFY(expected.levers.size() >= 3);
    QCOMPARE(model.levers()->rowCount(), static_cast<int>(expected.levers.size()));
    const auto sentences = core::sentences(expected);
    QCOMPARE(model.verdicts().size(), static_cast<qsizetype>(sentences.size() - expected.levers.size()));
    QCOMPARE(model.verdicts().front(), QString::fromStdString(sentences.front()));
    for (int row = 0; row < model.levers()->rowCount(); ++row) {
        const core::Lever &lever = expected.levers[static_cast<std::size_t>(row)];
        const auto shown = [&](int column) { return model.levers()->index(row, column).data().toString(); };
        const auto change = [](core::Bytes now, core::Bytes then) {
            return bytesText(now) + QStringLiteral(" → ") + bytesText(then);
        };
        QCOMPARE(shown(LimitsModel::Option), QString::fromStdString(lever.option));
        QCOMPARE(shown(LimitsModel::Peak), change(expected.estimate.peak, lever.peak));
        QCOMPARE(shown(LimitsModel::SmallestPeak), change(expected.estimate.smallestPeak, lever.smallestPeak));
        QCOMPARE(shown(LimitsModel::Step),
                 factorText(static_cast<double>(lever.step) / static_cast<double>(expected.step))
                     + QStringLiteral(" rough"));
        QCOMPARE(shown(LimitsModel::Change), QString::fromStdString(lever.change));
    }
    const std::string_view name = core::deviceNamed(device.toStdString())->name;
    QVERIFY(model.trust().contains(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))));
}

void tst_limits::reach_isTheCores()
{
    LimitsModel model(setup());
    model.askReach(QStringLiteral(" 96 MiB "));
    QVERIFY(model.busyReach());
    settle(model);
    QVERIFY2(model.reach(), qPrintable(model.reachProblem()));
    const core::Bytes budget = core::Bytes{96} << 20;
    const auto table = [&](core::Dimension dimension) {
        return core::reachOf(dimension, setup().model(), setup().resolved().value(), budget,
                             costsByFormula(QStringLiteral("a100-80gb")).value())
            .value();
    };
    const core::ReachTable batches = table(core::Dimension::batch), lengths = table(core::Dimension::sequence);
    QCOMPARE(core::toJson(model.reach()->batches).dump(), core::toJson(batches).dump());
    QCOMPARE(core::toJson(model.reach()->lengths).dump(), core::toJson(lengths).dump());
    QCOMPARE(model.crossing(), QString::fromStdString(core::sentence(*batches.crossing, true)));
    QCOMPARE(model.reaches()->rowCount(), static_cast<int>(batches.reaches.size()));
    bool ends = false;
    for (int row = 0; row < model.reaches()->rowCount(); ++row) {
        const auto check = [&](const core::Reach &reach, int from) {
            const auto shown = [&](int column) { return model.reaches()->index(row, column).data().toString(); };
            QVERIFY(reach.size > 0);
            QCOMPARE(shown(LimitsModel::Strategy), strategyTitle(QString::fromStdString(reach.strategy)));
            QCOMPARE(shown(from), countText(reach.size) + (reach.isLimit ? QStringLiteral(", the end") : QString()));
            QCOMPARE(shown(from + 1), bytesText(reach.expected.peak));
            QCOMPARE(shown(from + 2), QStringLiteral("≈ ") + countText(std::llround(reach.expected.tokensPerSecond)));
            ends = ends || reach.isLimit;
        };
        check(batches.reaches[static_cast<std::size_t>(row)], LimitsModel::Batch);
        check(lengths.reaches[static_cast<std::size_t>(row)], LimitsModel::Length);
    }
    QVERIFY(ends); // this model has no more positions
}

void tst_limits::reach_ofWhatFitsNowhere_saysSo()
{
    LimitsModel model(setup());
    model.askReach(QStringLiteral("1 MiB"));
    settle(model);
    QVERIFY(model.reach());
    QCOMPARE(model.reaches()->index(0, LimitsModel::Batch).data().toString(), QStringLiteral("nothing fits"));
    QVERIFY(model.crossing().startsWith(QStringLiteral("Nothing fits")));
}

void tst_limits::budgets_thatAreNone_areRefused()
{
    LimitsModel model(setup());
    model.askReach(QStringLiteral("much"));
    QVERIFY(!model.busyReach() && !model.reach());
    QVERIFY(model.reachProblem().contains(QStringLiteral("much")));
    model.setDevice(QStringLiteral("no such device"));
    model.askLimits();
    QVERIFY(!model.busyLimits() && !model.limits());
    QVERIFY(model.limitsProblem().contains(QStringLiteral("no such device")));
}

void tst_limits::questions_inARow_endWithTheLast()
{
    LimitsModel model(setup());
    core::Workload w = setup().workload();
    std::vector<core::Bytes> shown;
    connect(&model, &LimitsModel::limitsChanged, this, [&] {
        if (model.limits() && (shown.empty() || shown.back() != model.limits()->estimate.peak))
            shown.push_back(model.limits()->estimate.peak);
    });
    for (const std::int64_t batch : {2, 16, 8, 5}) {
        w.batch = batch;
        setup().setWorkload(w);
        model.askLimits();
        model.askReach(QStringLiteral("%1 MiB").arg(60 + batch));
    }
    settle(model);
    const core::Limits expected = limitsHere(QStringLiteral("a100-80gb"));
    QCOMPARE(shown, std::vector<core::Bytes>{expected.estimate.peak}); // none of those that were overtaken
    QCOMPARE(model.reach()->batches.budget, core::Bytes{65} << 20);
    model.askLimits();
    w.dtype = core::Dtype::fp16; // no CPU does
    setup().setWorkload(w);
    model.askLimits(); // the refusal overtakes the answer
    QVERIFY(!model.busyLimits() && !model.limits());
    QCOMPARE(model.levers()->rowCount(), 0);
    QCOMPARE(model.limitsProblem(), QString::fromStdString(setup().resolved().error().message));
}

/// Each with what it promised, and with nothing else that was filled in to compute it.
void tst_limits::levers_areTakenOver()
{
    LimitsModel model(setup());
    std::set<core::LeverKind> kinds;
    for (const auto &[config, batch, seq] :
         {std::tuple(":/configs/nanogpt-mini.json", 8, 64), std::tuple(":/configs/gpt-12x256.json", 4, 128),
          std::tuple(":/configs/llama-mini.json", 2, 8)}) {
        QVERIFY(setup().loadConfig(QString::fromLatin1(config)).has_value());
        core::Workload before = setup().workload();
        before.batch = batch;
        before.seq = seq;
        before.attention = core::AttentionKernel::math;
        before.attentionDropout = -1.0;
        setup().replaceWorkload(before);
        const auto levers = limitsHere(QStringLiteral("a100-80gb")).levers;
        for (std::size_t row = 0; row < levers.size(); ++row) {
            setup().replaceWorkload(before);
            model.askLimits();
            settle(model);
            QSignalSpy replaced(&setup(), &SetupModel::workloadReplaced);
            model.pull(static_cast<int>(row));
            QCOMPARE(replaced.count(), 1); // the form shows it
            QVERIFY(setup().isSetUpAs(setup().model(), levers[row].workload));
            QVERIFY(!setup().isSetUpAs(setup().model(), before));
            QCOMPARE(setup().workload().attentionDropout, -1.0);
            QCOMPARE(setup().workload().threads, before.threads);
            model.askLimits();
            settle(model);
            QCOMPARE(model.limits()->estimate.peak, levers[row].peak);
            kinds.insert(levers[row].kind);
        }
    }
    QCOMPARE(kinds.size(), std::size_t{6});
    const core::Workload now = setup().workload();
    model.pull(-1);
    model.pull(99);
    QVERIFY(setup().isSetUpAs(setup().model(), now));
}

void tst_limits::card_saysWhereCheckpointingHardlyMatters()
{
    const auto *card = page().findChild<ForecastCard *>();
    const auto settled = [this] {
        QSignalSpy spy(page().forecast(), &ForecastModel::settled);
        while (page().forecast()->busy())
            QVERIFY(spy.wait(30'000));
    };
    const auto said = [card] {
        QStringList texts;
        for (const QLabel *label : card->findChildren<QLabel *>()) {
            if (label->isVisible() && label->text().contains(QStringLiteral("hardly matters here")))
                texts += label->text();
        }
        return texts;
    };
    core::Workload w = setup().workload();
    int hardly = 0;
    for (const std::int64_t batch : {1, 64}) {
        w.batch = batch;
        w.seq = batch == 1 ? 8 : setup().model().positions;
        setup().replaceWorkload(w);
        settled();
        const core::Limits expected = limitsHere(page().forecast()->device());
        QCOMPARE(said(),
                 expected.hardlyMatters ? QStringList{QString::fromStdString(core::sentences(expected).front())}
                                        : QStringList{});
        hardly += expected.hardlyMatters ? 1 : 0;
    }
    QCOMPARE(hardly, 1);
}

void tst_limits::dialog_followsTheSetup()
{
    LimitsDialog &dialog = openDialog();
    const QString before = dialog.tableText();
    const core::Bytes peak = dialog.model()->limits()->estimate.peak;
    core::Workload w = setup().workload();
    w.batch *= 2;
    setup().setWorkload(w);
    settle(*dialog.model());
    QVERIFY(dialog.model()->limits()->estimate.peak > peak);
    QVERIFY(dialog.tableText() != before);
    w.dtype = core::Dtype::fp16; // no CPU does
    setup().setWorkload(w);
    QCOMPARE(dialog.model()->levers()->rowCount(), 0);
    for (const QTableView *table : dialog.findChildren<QTableView *>())
        QVERIFY(!table->isVisible());
    dialog.close();
    w.dtype = core::Dtype::fp32;
    setup().setWorkload(w); // nothing is asked while nobody looks
    QVERIFY(!dialog.model()->busyLimits() && !dialog.model()->busyReach());
}

void tst_limits::dialog_takesTheGoalsBudgetAndDevice()
{
    core::Workload w = setup().workload();
    w.memoryBudget = core::Bytes{80} << 20;
    setup().replaceWorkload(w);
    LimitsDialog &dialog = openDialog();
    QCOMPARE(dialog.model()->reach()->batches.budget, core::Bytes{80} << 20);
    QCOMPARE(dialog.model()->limits()->roughOn, limitsHere(page().forecast()->device()).roughOn);
    Q_EMIT page().goalCard()->deviceChosen(QStringLiteral("t4"));
    settle(*dialog.model());
    QCOMPARE(dialog.model()->limits()->roughOn, limitsHere(QStringLiteral("t4")).roughOn);
    auto *budget = dialog.findChild<QLineEdit *>();
    budget->setFocus();
    budget->selectAll();
    QTest::keyClicks(budget, QStringLiteral("96 MiB"));
    QTest::keyClick(budget, Qt::Key_Return);
    settle(*dialog.model());
    QVERIFY(dialog.isVisible());
    QCOMPARE(dialog.model()->reach()->batches.budget, core::Bytes{96} << 20);
    QCOMPARE(openDialog().model()->reach()->batches.budget, core::Bytes{96} << 20); // what was written stays
}

void tst_limits::dialog_isUsedByKeyboardAlone()
{
    LimitsDialog &dialog = openDialog();
    QTableView *levers = nullptr;
    for (QTableView *table : dialog.findChildren<QTableView *>()) {
        QVERIFY(!table->accessibleName().isEmpty());
        levers
            = table->accessibleName() == QStringLiteral("What lowers the peak beside checkpointing") ? table : levers;
    }
    QVERIFY(levers && levers->currentIndex().isValid());
    QVERIFY(levers->hasFocus());
    QTest::keyClick(levers, Qt::Key_Down);
    QCOMPARE(levers->currentIndex().row(), 1);
    const core::Lever second = dialog.model()->limits()->levers.at(1);
    QTest::keyClick(levers, Qt::Key_Return);
    QVERIFY(setup().isSetUpAs(setup().model(), second.workload));
    QVERIFY(dialog.isVisible());
    settle(*dialog.model());
    QPushButton *use = nullptr;
    for (QPushButton *button : dialog.findChildren<QPushButton *>())
        use = button->text() == QStringLiteral("Use this") ? button : use;
    QVERIFY(use && use->isEnabled());
    const core::Lever first = dialog.model()->limits()->levers.at(0);
    use->setFocus();
    QTest::keyClick(use, Qt::Key_Space);
    QVERIFY(setup().isSetUpAs(setup().model(), first.workload));
    QVERIFY(!use->isEnabled()); // until the answer is of this setup
    settle(*dialog.model());
    QTest::keyClick(&dialog, Qt::Key_Escape);
    QVERIFY(!dialog.isVisible());
}

void tst_limits::dialog_isCopied()
{
    LimitsDialog &dialog = openDialog();
    QTest::keyClick(&dialog, Qt::Key_C, Qt::ControlModifier);
    const QString text = QApplication::clipboard()->text();
    QCOMPARE(text, dialog.tableText());
    const LimitsModel &model = *dialog.model();
    const QStringList lines = text.split(QLatin1Char('\n'));
    QCOMPARE(lines.filter(QRegularExpression(QStringLiteral("^(?:[^\t]*\t){4}[^\t]*$"))).size(),
             static_cast<qsizetype>(model.limits()->levers.size()) + 1);
    QCOMPARE(lines.filter(QRegularExpression(QStringLiteral("^(?:[^\t]*\t){6}[^\t]*$"))).size(),
             static_cast<qsizetype>(model.reach()->batches.reaches.size()) + 1);
    QVERIFY(lines.contains(model.verdicts().front()));
    QVERIFY(lines.contains(model.crossing()));
}

REMAT_TEST(tst_limits);

#include "tst_limits.moc"
