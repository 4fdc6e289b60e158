// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/chip_bar.h"

#include <QPushButton>

#include "theme/theme.h"
#include "widgets/card.h"

namespace remat::ui {

ChipBar::ChipBar(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Workload"));
}

void ChipBar::setChips(const std::vector<Chip> &chips)
{
    while (m_buttons.size() > chips.size()) {
        delete m_buttons.back();
        m_buttons.pop_back();
    }
    while (m_buttons.size() < chips.size()) {
        auto *button = new QPushButton(this);
        button->setFont(themeFont(TextRole::small));
        button->setToolTip(tr("Change it in Setup"));
        setRole(button, "chip");
        const std::size_t index = m_buttons.size();
        connect(button, &QPushButton::clicked, this,
                [this, index] { Q_EMIT clicked(m_buttons[index]->property("chip").toInt()); });
        m_buttons.push_back(button);
    }
    for (std::size_t i = 0; i < chips.size(); ++i) {
        m_buttons[i]->setText(chips[i].text);
        m_buttons[i]->setProperty("chip", chips[i].id);
    }
    arrange();
}

QSize ChipBar::sizeHint() const
{
    return {200, QFontMetrics(themeFont(TextRole::small)).height() + 12};
}

QSize ChipBar::minimumSizeHint() const
{
    return {60, sizeHint().height()};
}

void ChipBar::resizeEvent(QResizeEvent *)
{
    arrange();
}

void ChipBar::arrange()
{
    int x = 0;
    bool room = true;
    for (QPushButton *button : m_buttons) {
        const QSize size = button->sizeHint();
        room = room && x + size.width() <= width();
        button->setVisible(room);
        button->setGeometry(x, (height() - size.height()) / 2, size.width(), size.height());
        x += size.width() + 8;
    }
}

} // namespace remat::ui
