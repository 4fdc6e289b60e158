// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/number_tile.h"

#include <QLabel>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "widgets/card.h"

namespace remat::ui {

NumberTile::NumberTile(const QString &caption, QWidget *parent) : QWidget(parent)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_number = new QLabel(this);
    m_number->setFont(themeFont(TextRole::number));
    m_caption = makeLabel(caption, true, "secondary");
    layout->addWidget(m_number);
    layout->addWidget(m_caption);
}

void NumberTile::setNumber(const QString &number)
{
    m_number->setText(number);
    setAccessibleName(m_caption->text());
    setAccessibleDescription(number);
}

void NumberTile::setCaption(const QString &caption)
{
    m_caption->setText(caption);
}

QString NumberTile::number() const
{
    return m_number->text();
}

} // namespace remat::ui
