// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/workload_form.h"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QVBoxLayout>

#include "models/text.h"
#include "pages/form_grid.h"
#include "theme/theme.h"
#include "widgets/card.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

QString dtypeText(int index)
{
    const char *const texts[] = {
        QT_TRANSLATE_NOOP("remat::ui::WorkloadForm", "weights and products in 4 bytes"),
        QT_TRANSLATE_NOOP("remat::ui::WorkloadForm", "weights and products in 2 bytes"),
        QT_TRANSLATE_NOOP("remat::ui::WorkloadForm", "weights and products in 2 bytes, with a loss scale; CUDA only"),
        QT_TRANSLATE_NOOP("remat::ui::WorkloadForm", "fp32 weights, cast to bf16 where they are used"),
        QT_TRANSLATE_NOOP("remat::ui::WorkloadForm",
                          "fp32 weights, cast to fp16 where they are used, with a loss scale; CUDA only")};
    return WorkloadForm::tr(texts[index]);
}

QString attentionText(int index)
{
    const char *const texts[]
        = {QT_TRANSLATE_NOOP("remat::ui::WorkloadForm", "explicit products; keeps all scores"),
           QT_TRANSLATE_NOOP("remat::ui::WorkloadForm", "the kernel that LibTorch chooses"),
           QT_TRANSLATE_NOOP("remat::ui::WorkloadForm", "the fused kernel that keeps no scores, or a refusal"),
           QT_TRANSLATE_NOOP("remat::ui::WorkloadForm", "the memory-efficient kernel, or a refusal; CUDA only")};
    return WorkloadForm::tr(texts[index]);
}

/// Where a dropout stands that the workload leaves to the config.
double shownDropout(double own, double ofConfig)
{
    return own < 0 ? ofConfig : own;
}

/// The largest that the field can show stands for all that are larger; they stay until somebody changes it.
int shownSeed(std::uint64_t seed)
{
    return static_cast<int>(std::min<std::uint64_t>(seed, 2147483647));
}

/// What was left to the config stays so until somebody changes the number.
double readDropout(const QDoubleSpinBox &box, double before, double ofConfig)
{
    const bool untouched = before < 0 && qFuzzyIsNull(box.value() - std::round(ofConfig * 1000.0) / 1000.0);
    return untouched ? before : box.value();
}

} // namespace

WorkloadForm::WorkloadForm(SetupModel &model, QWidget *parent) : QScrollArea(parent), m_model(model)
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 6, 0);
    column->setSpacing(6);
    setupBatch(*column);
    column->addSpacing(8);
    setupNumerics(*column);
    column->addSpacing(8);
    setupTraining(*column);
    column->addSpacing(8);
    setupDevice(*column);
    column->addStretch(1);
    setWidget(content);
    setMinimumWidth(content->minimumSizeHint().width() + style()->pixelMetric(QStyle::PM_ScrollBarExtent));
    connect(&model, &SetupModel::modelChanged, this, &WorkloadForm::write);
    connect(&model, &SetupModel::workloadReplaced, this, &WorkloadForm::write);
    connect(&model, &SetupModel::changed, this, &WorkloadForm::showNotes);
}

/// A hint has room beside its field; a refusal is a sentence and gets the width below.
void WorkloadForm::addField(QGridLayout &grid, Field field, const QString &name, QWidget *editor)
{
    const int row = grid.rowCount();
    auto *label = makeLabel(name, false);
    label->setBuddy(editor);
    editor->setAccessibleName(name);
    editor->setFixedWidth(kFormEditorWidth);
    auto *hint = makeLabel({}, true, "secondary");
    hint->setWordWrap(true);
    auto *problem = makeLabel({}, true, "warning");
    problem->setWordWrap(true);
    problem->hide();
    grid.addWidget(label, row, 0);
    grid.addWidget(editor, row, 1);
    grid.addWidget(hint, row, 2);
    grid.addWidget(problem, row + 1, 1, 1, 2);
    leaveWheelToPage(*editor);
    m_editors[field] = editor;
    m_hints[field] = hint;
    m_problems[field] = problem;
}

QSpinBox *WorkloadForm::spin(int least, int most, const QString &unit)
{
    auto *box = new QSpinBox(this);
    box->setRange(least, most);
    box->setSuffix(unit.isEmpty() ? QString() : u' ' + unit);
    box->setKeyboardTracking(false);
    connect(box, &QSpinBox::valueChanged, this, &WorkloadForm::read);
    return box;
}

QDoubleSpinBox *WorkloadForm::share()
{
    auto *box = new QDoubleSpinBox(this);
    box->setRange(0.0, 0.95);
    box->setSingleStep(0.05);
    box->setDecimals(3);
    box->setKeyboardTracking(false);
    connect(box, &QDoubleSpinBox::valueChanged, this, &WorkloadForm::read);
    return box;
}

QComboBox *WorkloadForm::choice(const QStringList &texts)
{
    auto *box = new QComboBox(this);
    box->addItems(texts);
    connect(box, &QComboBox::currentIndexChanged, this, &WorkloadForm::read);
    return box;
}

void WorkloadForm::setupBatch(QVBoxLayout &column)
{
    QGridLayout *grid = addFormGroup(column, tr("Batch"));
    addField(*grid, Field::layers, tr("Layers"), m_layers = spin(1, 1000, {}));
    addField(*grid, Field::batch, tr("Batch"), m_batch = spin(1, 65536, {}));
    addField(*grid, Field::seq, tr("Sequence length"), m_seq = spin(1, 1 << 20, tr("tokens")));
    addField(*grid, Field::microBatches, tr("Micro-batches"), m_micro = spin(1, 1024, {}));
}

void WorkloadForm::setupNumerics(QVBoxLayout &column)
{
    QGridLayout *grid = addFormGroup(column, tr("Numerics"));
    addField(*grid, Field::dtype, tr("Precision"),
             m_dtype = choice({u"fp32"_s, u"bf16"_s, u"fp16"_s, u"mixed-bf16"_s, u"mixed-fp16"_s}));
    addField(*grid, Field::attention, tr("Attention"),
             m_attention = choice({u"math"_s, u"sdpa"_s, u"flash"_s, u"efficient"_s}));
    for (int i = 0; i < m_dtype->count(); ++i)
        m_dtype->setItemData(i, dtypeText(i), Qt::ToolTipRole);
    for (int i = 0; i < m_attention->count(); ++i)
        m_attention->setItemData(i, attentionText(i), Qt::ToolTipRole);
    addField(*grid, Field::dropout, tr("Dropout"), m_dropout = share());
    addField(*grid, Field::attentionDropout, tr("Attention dropout"), m_attentionDropout = share());
}

void WorkloadForm::setupDevice(QVBoxLayout &column)
{
    QGridLayout *grid = addFormGroup(column, tr("Device"));
    addField(*grid, Field::device, tr("Device"), m_device = choice({u"cpu"_s}));
    addField(*grid, Field::threads, tr("Threads"), m_threads = spin(1, 1024, {}));
    m_budget = new QLineEdit(this);
    m_budget->setPlaceholderText(tr("automatic"));
    connect(m_budget, &QLineEdit::editingFinished, this, &WorkloadForm::read);
    addField(*grid, Field::memoryBudget, tr("Memory budget"), m_budget);
}

void WorkloadForm::focusField(Field field)
{
    QWidget *editor = m_editors.at(field);
    if (m_moreBox->isAncestorOf(editor))
        setMore(true);
    ensureWidgetVisible(editor);
    editor->setFocus(Qt::OtherFocusReason);
}

void WorkloadForm::read()
{
    if (m_writing || !m_model.hasModel())
        return;
    core::Workload w = m_model.workload();
    w.batch = m_batch->value();
    w.seq = m_seq->value();
    w.microBatches = m_micro->value();
    w.dtype = static_cast<core::Dtype>(m_dtype->currentIndex());
    w.attention = static_cast<core::AttentionKernel>(m_attention->currentIndex());
    const core::ModelConfig &model = m_model.model();
    w.dropout = readDropout(*m_dropout, w.dropout, model.residualDropout);
    w.attentionDropout = readDropout(*m_attentionDropout, w.attentionDropout, model.attentionDropout);
    readTraining(w);
    if (m_seed->value() != shownSeed(w.seed))
        w.seed = static_cast<std::uint64_t>(m_seed->value());
    w.device = m_device->currentData().isValid() ? m_device->currentData().toString().toStdString() : "cpu";
    w.threads = m_threads->value();
    const QString text = m_budget->text().trimmed();
    const auto budget = core::parseBytes(text.toStdString());
    w.memoryBudget = text.isEmpty() || !budget ? 0 : *budget;
    m_model.setLayers(m_layers->value());
    m_model.setWorkload(w);
    if (!text.isEmpty() && !budget) {
        showProblem(Field::memoryBudget, QString::fromStdString(budget.error().message));
    }
}

void WorkloadForm::write()
{
    m_writing = true;
    const core::ModelConfig &model = m_model.model();
    const core::Workload &w = m_model.workload();
    m_layers->setRange(1, std::max(1, m_model.fullLayers()));
    m_layers->setValue(model.layers);
    m_batch->setValue(static_cast<int>(w.batch));
    m_seq->setMaximum(static_cast<int>(std::min<std::int64_t>(model.positions, 1 << 20)));
    m_seq->setValue(static_cast<int>(w.seq));
    m_micro->setValue(w.microBatches);
    m_dtype->setCurrentIndex(static_cast<int>(w.dtype));
    m_attention->setCurrentIndex(static_cast<int>(w.attention));
    m_dropout->setValue(shownDropout(w.dropout, model.residualDropout));
    m_attentionDropout->setValue(shownDropout(w.attentionDropout, model.attentionDropout));
    writeTraining();
    m_seed->setValue(shownSeed(w.seed));
    m_threads->setMaximum(std::max(w.threads, usableCores()));
    m_threads->setValue(w.threads > 0 ? w.threads : usableCores());
    m_budget->setText(w.memoryBudget > 0 ? QString::number(w.memoryBudget) : QString());
    m_writing = false;
    showNotes();
}

void WorkloadForm::showNotes()
{
    if (!m_model.hasModel())
        return;
    m_writing = true;
    const QString current = QString::fromStdString(m_model.workload().device);
    m_device->clear();
    m_device->addItem(u"CPU"_s, u"cpu"_s);
    for (const core::DeviceInfo &device : m_model.devices()) {
        if (device.id != "cpu")
            m_device->addItem(QString::fromStdString(device.name.empty() ? device.id : device.name),
                              QString::fromStdString(device.id));
    }
    m_device->setCurrentIndex(std::max(0, m_device->findData(current)));
    m_writing = false;
    for (const auto &[field, hint] : m_hints) {
        const QString problem = m_model.problem(field);
        hint->setText(problem.isEmpty() ? m_model.hint(field) : QString());
        showProblem(field, problem);
    }
    fitTraining();
}

void WorkloadForm::showProblem(Field field, const QString &text)
{
    QLabel *problem = m_problems.at(field);
    problem->setText(text);
    problem->setVisible(!text.isEmpty());
    if (!text.isEmpty() && m_moreBox->isAncestorOf(problem))
        setMore(true);
}

} // namespace remat::ui
