// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/stack_data.h"
#include "widgets/card.h"

class QGridLayout;
class QLabel;

namespace remat::ui {

/// What is alive at one state of a step, largest last, as rows of swatch, name and bytes. GUI thread.
class CompositionList : public Card
{
    Q_OBJECT
public:
    explicit CompositionList(QWidget *parent = nullptr);
    void showState(const QString &title, const QString &place, const StackData *stack, std::size_t state);
    [[nodiscard]] QString asText() const;

private:
    QLabel *m_place = nullptr;
    QGridLayout *m_rows = nullptr;
};

} // namespace remat::ui
