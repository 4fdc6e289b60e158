// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QLabel>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "pages/form_grid.h"
#include "pages/workload_form.h"
#include "widgets/card.h"
#include "widgets/icons.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

void WorkloadForm::setupTraining(QVBoxLayout &column)
{
    QGridLayout *grid = addFormGroup(column, tr("Training"));
    addField(*grid, Field::train, tr("Train"),
             m_train = choice({tr("everything"), tr("the last blocks"), tr("LoRA adapters")}));
    m_trained = spin(1, 1'000'000, {});
    m_trained->setFixedWidth(kFormEditorWidth);
    m_trainedName = makeLabel({}, false);
    m_trainedName->setBuddy(m_trained);
    int row = grid->rowCount();
    grid->addWidget(m_trainedName, row, 0);
    grid->addWidget(m_trained, row, 1);
    addField(*grid, Field::optimizer, tr("Optimizer"),
             m_optimizer = choice({tr("none"), u"SGD"_s, u"AdamW"_s, tr("AdamW, per tensor")}));
    m_momentum = share();
    m_momentum->setRange(0.0, 0.999);
    m_momentum->setSpecialValueText(tr("none"));
    m_momentum->setFixedWidth(kFormEditorWidth);
    m_momentum->setAccessibleName(tr("Momentum"));
    m_momentumName = makeLabel(tr("Momentum"), false);
    m_momentumName->setBuddy(m_momentum);
    row = grid->rowCount();
    grid->addWidget(m_momentumName, row, 0);
    grid->addWidget(m_momentum, row, 1);
    m_chunks = spin(0, 1'000'000, tr("chunks"));
    m_chunks->setSpecialValueText(tr("full"));
    m_chunks->setToolTip(tr("Head and loss at once, or in so many parts of the tokens, one after the other"));
    addField(*grid, Field::loss, tr("Loss"), m_chunks);
    setupMore(column);
}

void WorkloadForm::setupMore(QVBoxLayout &column)
{
    m_more = new QToolButton(this);
    setRole(m_more, "disclosure");
    m_more->setText(tr("More"));
    m_more->setToolTip(tr("Gradients, clipping, update in the backward, seed"));
    m_more->setAccessibleName(tr("More about training"));
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setIconSize({10, 10});
    column.addWidget(m_more, 0, Qt::AlignLeft);
    m_moreBox = new QWidget(this);
    auto *inside = new QVBoxLayout(m_moreBox);
    inside->setContentsMargins(0, 0, 0, 0);
    QGridLayout *grid = addFormGrid(*inside);
    m_update = new QCheckBox(tr("in the backward"), this);
    connect(m_update, &QCheckBox::toggled, this, &WorkloadForm::read);
    addField(*grid, Field::updateInBackward, tr("Update"), m_update);
    addField(*grid, Field::gradients, tr("Gradients"), m_gradients = choice({tr("freed"), tr("kept")}));
    m_clip = new QDoubleSpinBox(this);
    m_clip->setRange(0.0, 1e6);
    m_clip->setSpecialValueText(tr("off"));
    m_clip->setKeyboardTracking(false);
    connect(m_clip, &QDoubleSpinBox::valueChanged, this, &WorkloadForm::read);
    addField(*grid, Field::clip, tr("Clip gradient norm"), m_clip);
    addField(*grid, Field::seed, tr("Seed"), m_seed = spin(0, 2147483647, {}));
    column.addWidget(m_moreBox);
    connect(m_more, &QToolButton::clicked, this, [this] { setMore(m_moreBox->isHidden()); });
    setMore(false);
}

void WorkloadForm::setMore(bool open)
{
    m_moreBox->setVisible(open);
    m_more->setText(open ? tr("Less") : tr("More"));
    setIconName(*m_more, open ? "chevron-up" : "chevron-down");
}

bool WorkloadForm::moreMatters() const
{
    const core::Workload &w = m_model.workload();
    return w.updateInBackward || w.gradients != core::GradientRule::freed || w.clip > 0.0 || w.seed != 0;
}

void WorkloadForm::readTraining(core::Workload &w) const
{
    w.train.kind = static_cast<core::TrainKind>(m_train->currentIndex());
    w.train.n = w.train.kind == core::TrainKind::all ? 0 : m_trained->value();
    w.optimizer = static_cast<core::OptimizerKind>(m_optimizer->currentIndex());
    w.momentum = w.optimizer == core::OptimizerKind::sgd ? m_momentum->value() : 0.0;
    w.lossChunks = m_chunks->value();
    w.updateInBackward = m_update->isChecked();
    w.gradients = static_cast<core::GradientRule>(m_gradients->currentIndex());
    w.clip = m_clip->value();
}

void WorkloadForm::writeTraining()
{
    const core::Workload &w = m_model.workload();
    m_train->setCurrentIndex(static_cast<int>(w.train.kind));
    m_trained->setValue(std::max(1, w.train.n));
    m_optimizer->setCurrentIndex(static_cast<int>(w.optimizer));
    if (w.optimizer == core::OptimizerKind::sgd)
        m_momentum->setValue(w.momentum);
    m_chunks->setValue(w.lossChunks);
    m_update->setChecked(w.updateInBackward);
    m_gradients->setCurrentIndex(static_cast<int>(w.gradients));
    m_clip->setValue(w.clip);
    setMore(moreMatters());
}

/// Fields that only some choices have.
void WorkloadForm::fitTraining()
{
    const bool some = m_train->currentIndex() != 0;
    const QString name = m_train->currentIndex() == 2 ? tr("Rank") : tr("Blocks");
    m_trainedName->setText(name);
    m_trained->setAccessibleName(name);
    m_trainedName->setVisible(some);
    m_trained->setVisible(some);
    const bool sgd = m_optimizer->currentIndex() == static_cast<int>(core::OptimizerKind::sgd);
    m_momentumName->setVisible(sgd);
    m_momentum->setVisible(sgd);
}

} // namespace remat::ui
