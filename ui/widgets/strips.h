// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace remat::ui {

/// The bottom of the window: what is running and how far, what is known about trust and where it is saved. GUI thread.
class StatusStrip : public QFrame
{
    Q_OBJECT
public:
    explicit StatusStrip(QWidget *parent = nullptr);
    void setLeft(const QString &text);
    [[nodiscard]] QString left() const;
    void setRight(const QString &text);
    /// Share in [0, 1]; negative hides the bar.
    void setProgress(double share);

private:
    QLabel *m_left = nullptr;
    QLabel *m_right = nullptr;
    QProgressBar *m_bar = nullptr;
};

/// A strip above the page with one sentence and, where there is one, the way out. Hidden until something went wrong.
class MessageStrip : public QFrame
{
    Q_OBJECT
public:
    explicit MessageStrip(QWidget *parent = nullptr);
    void showMessage(const QString &text);
    [[nodiscard]] QString message() const;

private:
    QLabel *m_text = nullptr;
};

} // namespace remat::ui
