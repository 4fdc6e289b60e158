// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/side_bar.h"

#include <QButtonGroup>
#include <QToolButton>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "widgets/card.h"
#include "widgets/icons.h"

namespace remat::ui {

SideBar::SideBar(QWidget *parent) : QFrame(parent)
{
    setObjectName(QStringLiteral("sideBar"));
    setAccessibleName(tr("Pages"));
    setFixedWidth(QFontMetrics(themeFont(TextRole::small)).horizontalAdvance(QStringLiteral("mmmmmm")) + 22);
    m_layout = new QVBoxLayout(this);
    m_layout->setContentsMargins(8, 14, 8, 8);
    m_layout->setSpacing(8);
    m_layout->addStretch(1);
    m_group = new QButtonGroup(this);
    connect(m_group, &QButtonGroup::idClicked, this, &SideBar::chosen);
}

void SideBar::addPage(int id, const QString &text, const char *icon, const QString &keys)
{
    auto *button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(text + QLatin1String("  ") + keys);
    button->setAccessibleName(text);
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setCheckable(true);
    button->setAutoExclusive(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setIconSize({20, 20});
    button->setFont(themeFont(TextRole::small));
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setRole(button, "nav");
    setIconName(*button, icon);
    m_group->addButton(button, id);
    m_layout->insertWidget(m_layout->count() - 1, button);
}

void SideBar::setCurrent(int id)
{
    if (auto *button = m_group->button(id)) {
        button->setChecked(true);
        return;
    }
    // The welcome page has no button: nothing is down.
    m_group->setExclusive(false);
    for (auto *button : m_group->buttons()) {
        static_cast<QToolButton *>(button)->setAutoExclusive(false);
        button->setChecked(false);
        static_cast<QToolButton *>(button)->setAutoExclusive(true);
    }
    m_group->setExclusive(true);
}

void SideBar::setPageEnabled(int id, bool enabled)
{
    if (auto *button = m_group->button(id))
        button->setEnabled(enabled);
}

} // namespace remat::ui
