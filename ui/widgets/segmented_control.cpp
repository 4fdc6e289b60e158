// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/segmented_control.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>

#include "theme/theme.h"
#include "widgets/card.h"

namespace remat::ui {

SegmentedControl::SegmentedControl(const QStringList &texts, const QString &accessibleName, QWidget *parent)
    : QWidget(parent)
{
    setAccessibleName(accessibleName);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    m_group = new QButtonGroup(this);
    int id = 0;
    for (const QString &text : texts) {
        auto *button = new QPushButton(text, this);
        button->setCheckable(true);
        button->setAccessibleName(text);
        button->setFont(themeFont(TextRole::small));
        setRole(button, "segment");
        m_group->addButton(button, id++);
        layout->addWidget(button);
    }
    setCurrent(0);
    connect(m_group, &QButtonGroup::idClicked, this, &SegmentedControl::chosen);
}

int SegmentedControl::current() const
{
    return m_group->checkedId();
}

void SegmentedControl::setCurrent(int index)
{
    if (auto *button = m_group->button(index))
        button->setChecked(true);
}

void SegmentedControl::setTexts(const QStringList &texts)
{
    const auto buttons = m_group->buttons();
    for (qsizetype i = 0; i < buttons.size() && i < texts.size(); ++i) {
        buttons[i]->setText(texts[i]);
        const QString whole = buttons[i]->accessibleName();
        buttons[i]->setToolTip(whole == texts[i] ? QString() : whole);
    }
}

void SegmentedControl::setTight(bool tight)
{
    layout()->setSpacing(tight ? 4 : 6);
    for (QAbstractButton *button : m_group->buttons()) {
        button->setProperty("tight", tight);
        setRole(button, "segment"); // has the style sheet looked at again
    }
}

} // namespace remat::ui
