// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include <QScrollArea>

#include "models/setup_model.h"

class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QSpinBox;
class QVBoxLayout;

namespace remat::ui {

/// The workload in four groups, each field with its unit, and beside it why it cannot work. GUI thread.
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
    void addField(QGridLayout &grid, Field field, const QString &name, QWidget *editor);
    QSpinBox *spin(int least, int most, const QString &unit);
    QDoubleSpinBox *share();
    QComboBox *choice(const QStringList &texts);
    void read();
    void write();
    void showNotes();

    SetupModel &m_model;
    std::map<Field, QWidget *> m_editors;
    std::map<Field, QLabel *> m_notes;
    QSpinBox *m_layers = nullptr, *m_batch = nullptr, *m_seq = nullptr, *m_micro = nullptr, *m_threads = nullptr,
             *m_seed = nullptr;
    QComboBox *m_dtype = nullptr, *m_attention = nullptr, *m_optimizer = nullptr, *m_gradients = nullptr,
              *m_device = nullptr;
    QDoubleSpinBox *m_dropout = nullptr, *m_attentionDropout = nullptr, *m_momentum = nullptr, *m_clip = nullptr;
    QLineEdit *m_budget = nullptr;
    bool m_writing = false;
};

} // namespace remat::ui
