// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QButtonGroup;

namespace remat::ui {

/// A row of buttons of which one is down: a choice between few things that exclude each other. GUI thread.
class SegmentedControl : public QWidget
{
    Q_OBJECT
public:
    SegmentedControl(const QStringList &texts, const QString &accessibleName, QWidget *parent = nullptr);

    [[nodiscard]] int current() const;
    /// Changes what is down without a signal.
    void setCurrent(int index);
    /// Other words for the same choices, where there is less room; the first ones stay as names and tool tips.
    void setTexts(const QStringList &texts);
    /// Less room around the words.
    void setTight(bool tight);

Q_SIGNALS:
    void chosen(int index);

private:
    QButtonGroup *m_group = nullptr;
};

} // namespace remat::ui
