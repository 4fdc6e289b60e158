// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/fold_card.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "widgets/icons.h"

namespace remat::ui {

FoldCard::FoldCard(const QString &title, QWidget *parent) : Card({}, parent)
{
    m_button = new QToolButton(this);
    setRole(m_button, "fold");
    m_button->setText(title);
    m_button->setFont(themeFont(TextRole::title));
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_button->setIconSize({10, 10});
    header()->addWidget(m_button);
    header()->addStretch(1);
    m_box = new QWidget(this);
    m_inside = new QVBoxLayout(m_box);
    m_inside->setContentsMargins(0, 0, 0, 0);
    m_inside->setSpacing(8);
    body()->addWidget(m_box);
    connect(m_button, &QToolButton::clicked, this, [this] { setOpen(!isOpen()); });
    m_box->hide();
    setIconName(*m_button, "chevron-down");
}

void FoldCard::setOpen(bool open)
{
    if (open == isOpen())
        return;
    m_box->setVisible(open);
    setIconName(*m_button, open ? "chevron-up" : "chevron-down");
    if (open)
        Q_EMIT opened();
}

bool FoldCard::isOpen() const
{
    return !m_box->isHidden();
}

} // namespace remat::ui
