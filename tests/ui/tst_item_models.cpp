// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QAbstractItemModelTester>

#include "models/kept_table_model.h"
#include "models/layer_table_model.h"
#include "models/run_table_model.h"
#include "models/session_document.h"
#include "models/step_story.h"
#include "models/strategy_list_model.h"
#include "models/text.h"
#include "schedule/strategy.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"

using namespace remat;
using namespace remat::ui;

namespace {

std::vector<LayerRow> rowsOf(const core::ModelConfig &model, const char *strategy,
                             const core::Recording *recording = nullptr, const core::Workload &workload = {})
{
    const core::Schedule schedule
        = core::makeSchedule(core::parseStrategy(strategy).value(), chainShape(model, workload)).value();
    return layerRows(model, &schedule, recording, MemoryAxis::activations, workload);
}

} // namespace

class tst_item_models : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void layerRows_oneStageBlocks_haveTheirOwnRows()
    {
        core::ModelConfig model = tests::sampleModel(4);
        model.parallelResidual = true;
        const auto rows = rowsOf(model, "layers:3");
        QVERIFY(rows[4].rebuilt && rows[4].checkpoint);
        QVERIFY(!rows[3].rebuilt);
        QCOMPARE(rows[1].parameters, rows[4].parameters);
        QVERIFY(rows[4].parameters > rows[5].parameters); // a block has more than the final norm
        core::OpRecord op;
        op.stage = 4;
        QCOMPARE(placeText(op, chainShape(model)), QStringLiteral("layer 3, whole block"));
        op.stage = 5;
        QCOMPARE(placeText(op, chainShape(model)), QStringLiteral("final norm"));
    }

    void layerRows_selective_areRebuiltInPart();
    void plans_areShownAsTheirRunStoredThem();
    void keptTable_ofALayer_isWhatItKeeps();
    void layerTable_resetTwice_keepsTheContract();
    void layerTable_recordedRun_sumsAreThoseOfTheRecording();
    void layerTable_unmeasured_saysNothingOfTimes();
    void runTable_ofASession_listsNewestFirst();
    void strategyList_ofADepth_isScaledAndChecked_data();
    void strategyList_ofADepth_isScaledAndChecked();
    void strategyList_addRefusesWhatTheModelCannotDo();
    void text_ofValues_readsAsWritten();
};

void tst_item_models::layerRows_selective_areRebuiltInPart()
{
    LayerTableModel model;
    model.setRows(rowsOf(tests::sampleModel(4), "layers:0+selective:mlp@2"));
    const auto rebuilt = [&model](int row) { return model.index(row, LayerTableModel::Rebuilt).data().toString(); };
    QCOMPARE(rebuilt(1), QStringLiteral("yes"));
    QCOMPARE(rebuilt(2), QStringLiteral("–"));
    QCOMPARE(rebuilt(3), QStringLiteral("in part"));
    core::Workload last;
    last.train = {core::TrainKind::last, 1};
    model.setRows(rowsOf(tests::sampleModel(4), "selective:mlp", nullptr, last));
    QCOMPARE(rebuilt(3), QStringLiteral("–")); // frozen: nothing is saved, so nothing is dropped
    QCOMPARE(rebuilt(4), QStringLiteral("in part"));
}

/// No rule says what a budget does with a layer; the run does.
void tst_item_models::plans_areShownAsTheirRunStoredThem()
{
    const core::ChainShape shape(4);
    const core::Schedule planned
        = core::makeSchedule(core::parseStrategy("layers:0+selective:mlp@2").value(), shape).value();
    auto reader = std::make_unique<tests::SampleReader>(4, std::vector<std::string>{"none"});
    core::Point point = tests::samplePoint("none", 4, 7);
    point.strategy = "budget:30%";
    reader->add(point, planned);
    SessionDocument document;
    QVERIFY(document.setReader(std::move(reader)).has_value());
    const auto shown = document.schedule(QStringLiteral("budget:30%"));
    QVERIFY(shown.has_value());
    QVERIFY(*shown == planned);
    const LayerTreatment treatment = treatmentOf(&*shown, shape);
    QCOMPARE(treatment.checkpoint, (std::vector<bool>{true, false, false, false}));
    QCOMPARE(treatment.rebuilt, (std::vector<bool>{true, false, false, false}));
    QCOMPARE(treatment.partly, (std::vector<bool>{false, false, true, false}));
    QVERIFY(!document.schedule(QStringLiteral("budget:20%")).has_value()); // never run
    QCOMPARE(treatmentOf(nullptr, shape).rebuilt, std::vector<bool>(4, false));
}

void tst_item_models::keptTable_ofALayer_isWhatItKeeps()
{
    KeptTableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const core::Recording recording = tests::sampleRecording("selective:mlp", 4);
    const auto blocks = core::keptBlocks(recording);
    const core::ChainShape shape(4);
    model.setBlocks(blocks, shape, -1);
    core::Bytes all = 0;
    for (const core::KeptBlock &block : blocks)
        all += block.bytes * block.count;
    QVERIFY(all > 0);
    QCOMPARE(model.total(), all);
    model.setBlocks(blocks, shape, 2);
    QVERIFY(model.rowCount() >= 2 && model.total() < all / 2);
    bool lean = false;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QString made = model.index(row, KeptTableModel::MadeBy).data().toString();
        QVERIFY2(made.startsWith(QStringLiteral("layer 2, ")), qPrintable(made));
        lean = lean || made.endsWith(QStringLiteral(":lean_mlp"));
        QVERIFY(model.index(row, KeptTableModel::Operator).data().toString().startsWith(QStringLiteral("aten::")));
    }
    QVERIFY(lean);
    model.setBlocks(core::keptBlocks(tests::sampleRecording("segments:4", 4)), shape, 1);
    QCOMPARE(model.rowCount(), 0);
}

void tst_item_models::layerTable_resetTwice_keepsTheContract()
{
    LayerTableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const core::Recording recording = tests::sampleRecording("segments:2", 4);
    model.setRows(rowsOf(tests::sampleModel(4), "segments:2", &recording));
    QCOMPARE(model.rowCount(), 4 + 3);
    QCOMPARE(model.rowOfLayer(2), 3);
    QCOMPARE(model.index(3, LayerTableModel::Kept).data().toString(), QStringLiteral("kept"));
    QCOMPARE(model.index(4, LayerTableModel::Kept).data().toString(), QStringLiteral("–"));
    model.setRows({});
    QCOMPARE(model.rowCount(), 0);
}

void tst_item_models::layerTable_recordedRun_sumsAreThoseOfTheRecording()
{
    const core::Recording recording = tests::sampleRecording("every:2", 6);
    const auto rows = rowsOf(tests::sampleModel(6), "every:2", &recording);
    core::Nanoseconds forward = 0, recompute = 0, expectedForward = 0, expectedRecompute = 0;
    for (const LayerRow &row : rows) {
        forward += row.forwardNs;
        recompute += row.recomputeNs;
    }
    for (const core::OpRecord &op : recording.ops) {
        expectedForward += op.phase == core::Phase::forward ? op.end - op.begin : 0;
        expectedRecompute += op.phase == core::Phase::recompute ? op.end - op.begin : 0;
    }
    QCOMPARE(forward, expectedForward);
    QCOMPARE(recompute, expectedRecompute);
    QVERIFY(recompute > 0);
    qint64 parameters = 0;
    for (const LayerRow &row : rows)
        parameters += row.parameters;
    QCOMPARE(parameters, 8192 * 256 + 1024 * 256 + 6 * (rows[1].parameters) + rows[7].parameters);
}

void tst_item_models::layerTable_unmeasured_saysNothingOfTimes()
{
    const auto rows = rowsOf(tests::sampleModel(4), "every:1");
    QCOMPARE(rows.size(), std::size_t{7});
    for (const LayerRow &row : rows)
        QCOMPARE(row.forwardNs, core::Nanoseconds{-1});
    QVERIFY(rows[1].rebuilt);
}

void tst_item_models::runTable_ofASession_listsNewestFirst()
{
    RunTableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto session = tests::lectureSession();
    model.setRuns(*session->runs());
    QCOMPARE(model.rowCount(), 16);
    QCOMPARE(model.index(0, 0).data(RunTableModel::StrategyRole).toString(), QStringLiteral("sequential:2"));
    QCOMPARE(model.index(0, RunTableModel::Status).data().toString(), QStringLiteral("does not fit"));
    QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains(QStringLiteral("layer 3")));
    QCOMPARE(model.index(15, RunTableModel::Strategy).data().toString(), QStringLiteral("No checkpointing"));
}

void tst_item_models::strategyList_ofADepth_isScaledAndChecked_data()
{
    QTest::addColumn<int>("layers");
    for (const int layers : {1, 2, 3, 6, 12, 96})
        QTest::addRow("%d", layers) << layers;
}

void tst_item_models::strategyList_ofADepth_isScaledAndChecked()
{
    QFETCH(int, layers);
    StrategyListModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setShape(layers);
    // The automatic ones are checked, the selective ones below them wait for a click.
    const int automatic = static_cast<int>(StrategyListModel::automatic(layers).size());
    QCOMPARE(model.rowCount(), automatic + 3);
    QCOMPARE(model.checked().size(), static_cast<std::size_t>(automatic));
    for (int row = 0; row < 3; ++row) {
        const QModelIndex index = model.index(automatic + row);
        QCOMPARE(index.data(Qt::CheckStateRole).value<Qt::CheckState>(), Qt::Unchecked);
        QVERIFY(index.data(Qt::ToolTipRole).toString().contains(QStringLiteral("rebuilt in the backward")));
        QVERIFY(model.setData(index, Qt::Checked, Qt::CheckStateRole));
    }
    QVERIFY(model.rowCount() >= 2 && model.rowCount() <= 20);
    QCOMPARE(model.checked().front().text, std::string("none"));
    QSet<QString> seen;
    for (const core::Strategy &strategy : model.checked()) {
        QVERIFY(core::makeSchedule(strategy, layers).has_value());
        seen.insert(QString::fromStdString(strategy.text));
    }
    QCOMPARE(seen.size(), model.rowCount());
    QVERIFY(model.setData(model.index(0), Qt::Unchecked, Qt::CheckStateRole));
    QCOMPARE(model.checked().size(), static_cast<std::size_t>(model.rowCount() - 1));
}

void tst_item_models::strategyList_addRefusesWhatTheModelCannotDo()
{
    StrategyListModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setShape(4);
    const int before = model.rowCount();
    QVERIFY(!model.add(QStringLiteral("every:0")).has_value());
    QVERIFY(!model.add(QStringLiteral("layers:9")).has_value());
    QVERIFY(!model.add(QStringLiteral("what?")).has_value());
    QCOMPARE(model.rowCount(), before);
    QVERIFY(model.add(QStringLiteral(" recursive ")).has_value());
    QVERIFY(model.add(QStringLiteral("recursive")).has_value());
    QCOMPARE(model.rowCount(), before + 1);
}

void tst_item_models::text_ofValues_readsAsWritten()
{
    QCOMPARE(percentText(-0.8), QStringLiteral("−80 %"));
    QCOMPARE(percentText(0.001), QStringLiteral("±0 %"));
    QCOMPARE(factorText(1.238), QStringLiteral("×1.24"));
    QCOMPARE(remainingText(41'000'000'000), QStringLiteral("41 s"));
    QCOMPARE(strategyTitle(QStringLiteral("every:1")), QStringLiteral("Every block"));
    QCOMPARE(strategyTitle(QStringLiteral("not a strategy")), QStringLiteral("not a strategy"));
    QCOMPARE(strategyLabel(QStringLiteral("segments:4")), QStringLiteral("segments of 4"));
}

REMAT_TEST(tst_item_models);

#include "tst_item_models.moc"
