// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QVBoxLayout>

#include "theme/theme.h"

namespace remat::ui {

Card::Card(const QString &title, QWidget *parent) : QFrame(parent)
{
    setObjectName(QStringLiteral("card"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(8);
    m_header = new QHBoxLayout;
    m_header->setSpacing(8);
    m_title = new QLabel(title, this);
    m_title->setFont(themeFont(TextRole::title));
    m_title->setVisible(!title.isEmpty());
    m_header->addWidget(m_title);
    layout->addLayout(m_header);
    m_body = new QVBoxLayout;
    m_body->setSpacing(8);
    layout->addLayout(m_body, 1);
}

void Card::setTitle(const QString &title)
{
    m_title->setText(title);
    m_title->setVisible(!title.isEmpty());
}

QString Card::title() const
{
    return m_title->text();
}

QLabel *makeLabel(const QString &text, bool small, const char *role)
{
    auto *label = new QLabel(text);
    label->setFont(themeFont(small ? TextRole::small : TextRole::body));
    label->setTextFormat(Qt::PlainText);
    if (role)
        setRole(label, role);
    return label;
}

QLabel *makeSentence(const char *role)
{
    QLabel *label = makeLabel({}, true, role);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QFrame *makeHairline()
{
    auto *line = new QFrame;
    line->setObjectName(QStringLiteral("hairline"));
    line->setFixedHeight(1);
    return line;
}

void setRole(QWidget *widget, const char *role)
{
    widget->setProperty("role", QString::fromLatin1(role));
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

} // namespace remat::ui
