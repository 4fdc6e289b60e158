// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include <QScrollArea>

#include "models/setup_model.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QSpinBox;
class QToolButton;
class QVBoxLayout;

namespace remat::ui {

/// The workload in four groups, each field with its unit, and below it why it cannot work. What few people change stands
/// under "More", which opens by itself where something in it is set or refused. GUI thread.
class WorkloadForm : public QScrollArea
{
    Q_OBJECT
public:
    explicit WorkloadForm(SetupModel &model, QWidget *parent = nullptr);

    /// Puts the keyboard on a field: what a chip of the tool bar does.
    void focusField(SetupModel::Field field);

private:
    using Field = SetupModel::Field;
    void setupBatch(QVBoxLayout &column);
    void setupNumerics(QVBoxLayout &column);
    void setupTraining(QVBoxLayout &column);
    void setupDevice(QVBoxLayout &column);
    void setupMore(QVBoxLayout &column);
    void addField(QGridLayout &grid, Field field, const QString &name, QWidget *editor);
    void setMore(bool open);
    [[nodiscard]] bool moreMatters() const;
    void readTraining(core::Workload &workload) const;
    void writeTraining();
    void fitTraining();
    QSpinBox *spin(int least, int most, const QString &unit);
    QDoubleSpinBox *share();
    QComboBox *choice(const QStringList &texts);
    void read();
    void write();
    void showNotes();
    void showProblem(Field field, const QString &text);

    SetupModel &m_model;
    std::map<Field, QWidget *> m_editors;
    std::map<Field, QLabel *> m_hints;
    std::map<Field, QLabel *> m_problems;
    QSpinBox *m_layers = nullptr, *m_batch = nullptr, *m_seq = nullptr, *m_micro = nullptr, *m_threads = nullptr,
             *m_seed = nullptr, *m_trained = nullptr, *m_chunks = nullptr;
    QComboBox *m_dtype = nullptr, *m_attention = nullptr, *m_optimizer = nullptr, *m_gradients = nullptr,
              *m_device = nullptr, *m_train = nullptr;
    QDoubleSpinBox *m_dropout = nullptr, *m_attentionDropout = nullptr, *m_momentum = nullptr, *m_clip = nullptr;
    QCheckBox *m_update = nullptr;
    QLabel *m_trainedName = nullptr, *m_momentumName = nullptr;
    QLineEdit *m_budget = nullptr;
    QToolButton *m_more = nullptr;
    QWidget *m_moreBox = nullptr;
    bool m_writing = false;
};

} // namespace remat::ui
