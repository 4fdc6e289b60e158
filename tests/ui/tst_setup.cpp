// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QWheelEvent>

#include "model/parameter_inventory.h"
#include "model/static_memory.h"
#include "models/text.h"
#include "pages/setup_page.h"
#include "pages/workload_form.h"
#include "support/test_registry.h"
#include "ui/support/ui_fixture.h"

using namespace remat;
using namespace remat::ui;

/// The workload's form: what it writes, what it refuses and that it loses nothing.
class tst_setup : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void choices_ofTheForm_reachTheWorkload();
    void choices_areThoseOfTheCore();
    void values_thatTheFormCannotShow_areKept();
    void refusals_standAtTheirField_data();
    void refusals_standAtTheirField();
    void more_opensWhereItMatters();
    void wheel_turnsThePage_untilAnEditorIsChosen_data();
    void wheel_turnsThePage_untilAnEditorIsChosen();
    void certainBytes_areTheCoresFormula_data();
    void certainBytes_areTheCoresFormula();

private:
    using Field = SetupModel::Field;
    template <typename Widget>
    Widget *editor(const char *name)
    {
        for (Widget *widget : form()->findChildren<Widget *>()) {
            if (widget->accessibleName() == QLatin1String(name))
                return widget;
        }
        return nullptr;
    }
    [[nodiscard]] SetupModel &setup() { return m_fixture->workspace().setup; }
    [[nodiscard]] WorkloadForm *form() { return m_fixture->window().setupPage()->form(); }

    std::unique_ptr<tests::UiFixture> m_fixture;
};

void tst_setup::init()
{
    m_fixture = std::make_unique<tests::UiFixture>();
    m_fixture->workspace().open(QStringLiteral(":/configs/nanogpt-mini.json"));
    m_fixture->show();
}

void tst_setup::cleanup()
{
    m_fixture.reset();
}

void tst_setup::choices_ofTheForm_reachTheWorkload()
{
    editor<QComboBox>("Precision")->setCurrentText(QStringLiteral("mixed-bf16"));
    editor<QComboBox>("Attention")->setCurrentText(QStringLiteral("flash"));
    editor<QComboBox>("Train")->setCurrentIndex(1);
    QVERIFY(editor<QSpinBox>("Blocks")->isVisible());
    editor<QSpinBox>("Blocks")->setValue(2);
    editor<QSpinBox>("Loss")->setValue(4);
    editor<QSpinBox>("Micro-batches")->setValue(3);
    QVERIFY(!editor<QDoubleSpinBox>("Momentum")->isVisible());
    editor<QComboBox>("Optimizer")->setCurrentIndex(1);
    editor<QDoubleSpinBox>("Momentum")->setValue(0.5);
    const core::Workload &w = setup().workload();
    QVERIFY(w.dtype == core::Dtype::mixedBf16);
    QVERIFY(w.attention == core::AttentionKernel::flash);
    QCOMPARE(core::trainText(w), std::string("last:2"));
    QCOMPARE(core::lossText(w), std::string("chunked:4"));
    QCOMPARE(core::optimizerText(w), std::string("sgd:0.5"));
    QCOMPARE(w.microBatches, 3);
    editor<QComboBox>("Optimizer")->setCurrentIndex(3);
    editor<QComboBox>("Train")->setCurrentIndex(2);
    QCOMPARE(core::optimizerText(w), std::string("adamw-per-tensor"));
    QCOMPARE(core::trainText(w), std::string("lora:2"));
    const core::ParameterCount count = core::countParameters(setup().model(), w.train);
    QCOMPARE(setup().hint(Field::train),
             QStringLiteral("%1 of %2 parameters").arg(parameterText(count.trainable), parameterText(count.total)));
}

void tst_setup::choices_areThoseOfTheCore()
{
    auto *dtype = editor<QComboBox>("Precision");
    for (int i = 0; i < dtype->count(); ++i)
        QCOMPARE(dtype->itemText(i).toStdString(), std::string(core::toString(static_cast<core::Dtype>(i))));
    QCOMPARE(dtype->count(), 5);
    auto *attention = editor<QComboBox>("Attention");
    for (int i = 0; i < attention->count(); ++i)
        QCOMPARE(attention->itemText(i).toStdString(),
                 std::string(core::toString(static_cast<core::AttentionKernel>(i))));
    QCOMPARE(attention->count(), 4);
}

void tst_setup::values_thatTheFormCannotShow_areKept()
{
    core::Workload w = setup().workload();
    w.seed = 1ULL << 40;
    w.dropout = w.attentionDropout = -1.0;
    w.optimizer = core::OptimizerKind::sgd;
    w.momentum = 0.875;
    w.data = "text.bin";
    w.train = {core::TrainKind::lora, 8};
    const core::ModelConfig model = setup().model();
    setup().adopt(model, w);
    editor<QSpinBox>("Batch")->setValue(7);
    w.batch = 7;
    QCOMPARE(core::toJson(setup().workload()).dump(), core::toJson(w).dump());
}

void tst_setup::refusals_standAtTheirField_data()
{
    QTest::addColumn<int>("field");
    QTest::addColumn<QString>("json");
    const auto row = [](const char *name, Field field, const char *change) {
        QTest::addRow("%s", name) << static_cast<int>(field) << QString::fromLatin1(change);
    };
    row("fp16 on the CPU", Field::dtype, "fp16");
    row("efficient on the CPU", Field::attention, "efficient");
    row("more blocks than there are", Field::train, "last");
    row("a rank above the width", Field::train, "lora");
    row("more chunks than tokens", Field::loss, "chunks");
    row("update in the backward and clipping", Field::updateInBackward, "update");
}

void tst_setup::refusals_standAtTheirField()
{
    QFETCH(int, field);
    QFETCH(QString, json);
    core::Workload w = setup().workload();
    if (json == QLatin1String("fp16"))
        w.dtype = core::Dtype::fp16;
    else if (json == QLatin1String("efficient"))
        w.attention = core::AttentionKernel::efficient;
    else if (json == QLatin1String("last"))
        w.train = {core::TrainKind::last, 99};
    else if (json == QLatin1String("lora"))
        w.train = {core::TrainKind::lora, 100'000};
    else if (json == QLatin1String("chunks"))
        w.lossChunks = 999'999;
    else {
        w.updateInBackward = true;
        w.clip = 1.0;
    }
    setup().adopt(core::ModelConfig(setup().model()), w);
    const auto refused = setup().resolved();
    QVERIFY(!refused.has_value());
    const QString sentence = QString::fromStdString(refused.error().message);
    for (int other = 0; other < SetupModel::kFields; ++other)
        QCOMPARE(setup().problem(static_cast<Field>(other)), other == field ? sentence : QString());
    bool shown = false;
    for (const QLabel *label : form()->findChildren<QLabel *>())
        shown = shown || (label->text() == sentence && label->isVisible());
    QVERIFY(shown);
    QCOMPARE(core::toJson(setup().workload()).dump(), core::toJson(w).dump());
}

void tst_setup::more_opensWhereItMatters()
{
    auto *update = editor<QCheckBox>("Update");
    QVERIFY(!update->isVisible());
    form()->focusField(Field::clip);
    QVERIFY(update->isVisible());
    update->click();
    QVERIFY(setup().workload().updateInBackward);
    setup().adopt(core::ModelConfig(setup().model()), core::Workload());
    QVERIFY(!update->isVisible());
    core::Workload clipped;
    clipped.clip = 1.0;
    setup().adopt(core::ModelConfig(setup().model()), clipped);
    QVERIFY(update->isVisible());
}

void tst_setup::wheel_turnsThePage_untilAnEditorIsChosen_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"Batch", "Sequence length", "Layers", "Precision"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void tst_setup::wheel_turnsThePage_untilAnEditorIsChosen()
{
    QFETCH(QString, name);
    auto *box = editor<QWidget>(name.toLatin1().constData());
    QVERIFY(box != nullptr && box->isVisible());
    const auto turn = [box] {
        QWheelEvent event(QPointF(box->rect().center()), box->mapToGlobal(QPointF(box->rect().center())), {}, {0, -120},
                          Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(box, &event);
        return event.isAccepted();
    };
    const std::string before = core::toJson(setup().workload()).dump();
    const int layers = setup().model().layers;
    QVERIFY(!box->hasFocus());
    QVERIFY(!turn());
    QCOMPARE(core::toJson(setup().workload()).dump(), before);
    QCOMPARE(setup().model().layers, layers);
    box->setFocus();
    QVERIFY(turn());
    QVERIFY(core::toJson(setup().workload()).dump() != before || setup().model().layers != layers);
}

void tst_setup::certainBytes_areTheCoresFormula_data()
{
    QTest::addColumn<int>("dtype");
    QTest::addColumn<QString>("train");
    QTest::addColumn<QString>("optimizer");
    QTest::addColumn<bool>("inBackward");
    QTest::addRow("adamw") << 0 << QStringLiteral("all") << QStringLiteral("adamw") << false;
    QTest::addRow("bf16 sgd") << 1 << QStringLiteral("all") << QStringLiteral("sgd:0.9") << false;
    QTest::addRow("mixed last") << 3 << QStringLiteral("last:2") << QStringLiteral("adamw") << false;
    QTest::addRow("lora") << 0 << QStringLiteral("lora:8") << QStringLiteral("adamw-per-tensor") << false;
    QTest::addRow("in backward") << 0 << QStringLiteral("all") << QStringLiteral("sgd") << true;
}

void tst_setup::certainBytes_areTheCoresFormula()
{
    QFETCH(int, dtype);
    QFETCH(QString, train);
    QFETCH(QString, optimizer);
    QFETCH(bool, inBackward);
    core::Workload w = setup().workload();
    w.dtype = static_cast<core::Dtype>(dtype);
    w.updateInBackward = inBackward;
    QVERIFY(core::parseTrain(train.toStdString(), w).has_value());
    QVERIFY(core::parseOptimizer(optimizer.toStdString(), w).has_value());
    setup().setWorkload(w);
    core::Bytes sum = 0;
    for (const PeakSummary::Part &part : setup().certainBytes()) {
        QVERIFY(part.bytes > 0);
        sum += part.bytes;
    }
    QCOMPARE(sum, core::leastBytes(setup().model(), w));
    QCOMPARE(setup().certainBytes().size(), std::size_t(inBackward ? 1 : 3));
}

REMAT_TEST(tst_setup);

#include "tst_setup.moc"
