// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/workload_form.h"

#include <algorithm>

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "models/text.h"
#include "theme/theme.h"
#include "widgets/card.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

QGridLayout *addGroup(QVBoxLayout &column, const QString &title)
{
    auto *heading = makeLabel(title, false);
    heading->setFont(themeFont(TextRole::strong));
    column.addWidget(heading);
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(5);
    grid->setColumnMinimumWidth(0, 116);
    grid->setColumnMinimumWidth(2, 84);
    grid->setColumnStretch(2, 1);
    column.addLayout(grid);
    column.addSpacing(8);
    return grid;
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
    setupNumerics(*column);
    setupTraining(*column);
    setupDevice(*column);
    column->addStretch(1);
    setWidget(content);
    connect(&model, &SetupModel::modelChanged, this, &WorkloadForm::write);
    connect(&model, &SetupModel::changed, this, &WorkloadForm::showNotes);
}

void WorkloadForm::addField(QGridLayout &grid, Field field, const QString &name, QWidget *editor)
{
    const int row = grid.rowCount();
    auto *label = makeLabel(name, false);
    label->setBuddy(editor);
    editor->setAccessibleName(name);
    editor->setFixedWidth(124);
    auto *note = makeLabel({}, true, "secondary");
    note->setWordWrap(true);
    grid.addWidget(label, row, 0);
    grid.addWidget(editor, row, 1);
    grid.addWidget(note, row, 2);
    m_editors[field] = editor;
    m_notes[field] = note;
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
    QGridLayout *grid = addGroup(column, tr("Batch"));
    addField(*grid, Field::layers, tr("Layers"), m_layers = spin(1, 1000, {}));
    addField(*grid, Field::batch, tr("Batch"), m_batch = spin(1, 65536, {}));
    addField(*grid, Field::seq, tr("Sequence length"), m_seq = spin(1, 1 << 20, tr("tokens")));
    addField(*grid, Field::microBatches, tr("Micro-batches"), m_micro = spin(1, 1024, {}));
}

void WorkloadForm::setupNumerics(QVBoxLayout &column)
{
    QGridLayout *grid = addGroup(column, tr("Numerics"));
    addField(*grid, Field::dtype, tr("Precision"), m_dtype = choice({u"fp32"_s, u"bf16"_s}));
    addField(*grid, Field::attention, tr("Attention"), m_attention = choice({u"math"_s, u"sdpa"_s}));
    addField(*grid, Field::dropout, tr("Dropout"), m_dropout = share());
    addField(*grid, Field::attentionDropout, tr("Attention dropout"), m_attentionDropout = share());
}

void WorkloadForm::setupTraining(QVBoxLayout &column)
{
    QGridLayout *grid = addGroup(column, tr("Training"));
    addField(*grid, Field::optimizer, tr("Optimizer"),
             m_optimizer = choice({tr("none"), u"SGD"_s, u"SGD, momentum 0.9"_s, u"AdamW"_s}));
    addField(*grid, Field::gradients, tr("Gradients"), m_gradients = choice({tr("freed"), tr("kept")}));
    m_clip = new QDoubleSpinBox(this);
    m_clip->setRange(0.0, 1e6);
    m_clip->setSpecialValueText(tr("off"));
    m_clip->setKeyboardTracking(false);
    connect(m_clip, &QDoubleSpinBox::valueChanged, this, &WorkloadForm::read);
    addField(*grid, Field::clip, tr("Clip gradient norm"), m_clip);
    addField(*grid, Field::seed, tr("Seed"), m_seed = spin(0, 2147483647, {}));
}

void WorkloadForm::setupDevice(QVBoxLayout &column)
{
    QGridLayout *grid = addGroup(column, tr("Device"));
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
    w.dropout = m_dropout->value();
    w.attentionDropout = m_attentionDropout->value();
    const int optimizer = m_optimizer->currentIndex();
    w.optimizer = optimizer == 0 ? core::OptimizerKind::none
        : optimizer == 3         ? core::OptimizerKind::adamw
                                 : core::OptimizerKind::sgd;
    w.momentum = optimizer == 2 ? 0.9 : 0.0;
    w.gradients = static_cast<core::GradientRule>(m_gradients->currentIndex());
    w.clip = m_clip->value();
    w.seed = static_cast<std::uint64_t>(m_seed->value());
    w.device = m_device->currentData().isValid() ? m_device->currentData().toString().toStdString() : "cpu";
    w.threads = m_threads->value();
    const QString text = m_budget->text().trimmed();
    const auto budget = core::parseBytes(text.toStdString());
    w.memoryBudget = text.isEmpty() || !budget ? 0 : *budget;
    m_model.setLayers(m_layers->value());
    m_model.setWorkload(w);
    if (!text.isEmpty() && !budget) {
        m_notes[Field::memoryBudget]->setText(QString::fromStdString(budget.error().message));
        setRole(m_notes[Field::memoryBudget], "warning");
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
    m_dropout->setValue(w.dropout < 0 ? model.residualDropout : w.dropout);
    m_attentionDropout->setValue(w.attentionDropout < 0 ? model.attentionDropout : w.attentionDropout);
    m_optimizer->setCurrentIndex(w.optimizer == core::OptimizerKind::none        ? 0
                                     : w.optimizer == core::OptimizerKind::adamw ? 3
                                     : w.momentum > 0                            ? 2
                                                                                 : 1);
    m_gradients->setCurrentIndex(static_cast<int>(w.gradients));
    m_clip->setValue(w.clip);
    m_seed->setValue(static_cast<int>(std::min<std::uint64_t>(w.seed, 2147483647)));
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
    for (const auto &[field, note] : m_notes) {
        const QString problem = m_model.problem(field);
        note->setText(problem.isEmpty() ? m_model.hint(field) : problem);
        setRole(note, problem.isEmpty() ? "secondary" : "warning");
    }
}

} // namespace remat::ui
