// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace remat::ui {

/// A number and what it is, the number above. GUI thread.
class NumberTile : public QWidget
{
    Q_OBJECT
public:
    explicit NumberTile(const QString &caption, QWidget *parent = nullptr);
    void setNumber(const QString &number);
    void setCaption(const QString &caption);
    [[nodiscard]] QString number() const;

private:
    QLabel *m_number = nullptr;
    QLabel *m_caption = nullptr;
};

} // namespace remat::ui
