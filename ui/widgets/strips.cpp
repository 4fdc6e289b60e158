// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/strips.h"

#include <algorithm>
#include <cmath>

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include "widgets/card.h"
#include "widgets/icons.h"

namespace remat::ui {

StatusStrip::StatusStrip(QWidget *parent) : QFrame(parent)
{
    setObjectName(QStringLiteral("statusStrip"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 5, 16, 5);
    layout->setSpacing(24);
    m_left = makeLabel({}, true, "secondary");
    m_right = makeLabel({}, true, "secondary");
    m_bar = new QProgressBar(this);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(180);
    m_bar->setAccessibleName(tr("Progress of the measurement"));
    m_bar->hide();
    for (QLabel *label : {m_left, m_right})
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    layout->addWidget(m_left, 3);
    layout->addWidget(m_bar);
    m_right->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    layout->addWidget(m_right, 4);
}

void StatusStrip::setLeft(const QString &text)
{
    m_left->setText(text);
    m_left->setToolTip(text);
}

QString StatusStrip::left() const
{
    return m_left->text();
}

void StatusStrip::setRight(const QString &text)
{
    m_right->setText(text);
    m_right->setToolTip(text);
}

void StatusStrip::setProgress(double share)
{
    m_bar->setVisible(share >= 0);
    m_bar->setValue(static_cast<int>(std::lround(1000 * std::clamp(share, 0.0, 1.0))));
}

MessageStrip::MessageStrip(QWidget *parent) : QFrame(parent)
{
    setObjectName(QStringLiteral("messageStrip"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 8, 8, 8);
    m_text = makeLabel({}, false);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(m_text, 1);
    auto *close = new QToolButton(this);
    setRole(close, "quiet");
    setIconName(*close, "close");
    close->setAccessibleName(tr("Close the message"));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    layout->addWidget(close, 0, Qt::AlignTop);
    hide();
}

void MessageStrip::showMessage(const QString &text)
{
    m_text->setText(text);
    m_text->setAccessibleName(text);
    setVisible(!text.isEmpty());
}

QString MessageStrip::message() const
{
    return isHidden() ? QString() : m_text->text();
}

} // namespace remat::ui
