// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QWidget>

class QPushButton;

namespace remat::ui {

/// The workload in short, always in view; chips that do not fit are left out from the right. A click tells its id.
/// GUI thread.
class ChipBar : public QWidget
{
    Q_OBJECT
public:
    struct Chip
    {
        QString text;
        int id = 0;
    };
    explicit ChipBar(QWidget *parent = nullptr);
    void setChips(const std::vector<Chip> &chips);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void clicked(int id);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void arrange();
    std::vector<QPushButton *> m_buttons;
};

} // namespace remat::ui
