// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/card.h"

class QToolButton;

namespace remat::ui {

/// A card of which only the title shows until it is opened: for what not everybody needs. GUI thread.
class FoldCard : public Card
{
    Q_OBJECT
public:
    explicit FoldCard(const QString &title, QWidget *parent = nullptr);

    void setOpen(bool open);
    [[nodiscard]] bool isOpen() const;
    /// What is folded away.
    [[nodiscard]] QVBoxLayout *inside() const { return m_inside; }

Q_SIGNALS:
    void opened();

private:
    QToolButton *m_button = nullptr;
    QWidget *m_box = nullptr;
    QVBoxLayout *m_inside = nullptr;
};

} // namespace remat::ui
