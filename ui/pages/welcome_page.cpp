// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/welcome_page.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "widgets/card.h"
#include "widgets/icons.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

struct Example
{
    const char *file;
    const char *title;
    const char *text;
};

constexpr Example kExamples[] = {
    {":/configs/nanogpt-mini.json", QT_TRANSLATE_NOOP("remat::ui::WelcomePage", "nanoGPT mini"),
     QT_TRANSLATE_NOOP("remat::ui::WelcomePage", "6 layers × 192")},
    {":/configs/llama-mini.json", QT_TRANSLATE_NOOP("remat::ui::WelcomePage", "Llama mini"),
     QT_TRANSLATE_NOOP("remat::ui::WelcomePage", "8 layers × 192")},
    {":/configs/gpt-12x256.json", QT_TRANSLATE_NOOP("remat::ui::WelcomePage", "GPT 12 × 256"),
     QT_TRANSLATE_NOOP("remat::ui::WelcomePage", "12 layers × 256")},
};

} // namespace

WelcomePage::WelcomePage(QWidget *parent) : QWidget(parent)
{
    setObjectName(u"page"_s);
    auto *outer = new QHBoxLayout(this);
    outer->addStretch(1);
    auto *column = new QVBoxLayout;
    outer->addLayout(column, 6);
    outer->addStretch(1);
    column->setSpacing(14);
    column->addStretch(2);
    auto *heading = new QLabel(tr("What does checkpointing cost and save on your model?"), this);
    heading->setFont(themeFont(TextRole::number));
    heading->setWordWrap(true);
    column->addWidget(heading);
    auto *next = makeLabel(
        tr("Open a model config, press Measure, and watch memory against step time grow from real training steps. "
           "Then drag the checkpoint interval."),
        false, "secondary");
    next->setWordWrap(true);
    column->addWidget(next);
    column->addSpacing(8);
    column->addWidget(makeChoices());
    auto *card = new Card(tr("Recent"), this);
    m_recentCard = card;
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(0);
    card->body()->addLayout(m_recent);
    column->addWidget(card);
    auto *drop = makeLabel(tr("A config or a session can also be dropped anywhere on this window."), true, "secondary");
    column->addWidget(drop);
    column->addStretch(3);
    setRecent({});
}

QWidget *WelcomePage::makeChoice(const char *icon, const QString &title, const QString &text,
                                 void (WelcomePage::*signal)())
{
    auto *card = new Card(title, this);
    auto *words = makeLabel(text, false, "secondary");
    words->setWordWrap(true);
    words->setAlignment(Qt::AlignTop);
    card->body()->addWidget(words, 1);
    auto *button = new QPushButton(tr("Choose a file…"), card);
    setIconName(*button, icon);
    button->setAccessibleName(title);
    card->body()->addWidget(button, 0, Qt::AlignLeft);
    connect(button, &QPushButton::clicked, this, signal);
    return card;
}

QWidget *WelcomePage::makeChoices()
{
    auto *box = new QWidget(this);
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(12);
    row->addWidget(
        makeChoice("config", tr("Open a config"),
                   tr("A config.json of GPT-2, Llama, Mistral, Qwen, Gemma or Phi-3, or a nanoGPT style one."),
                   &WelcomePage::configWanted),
        1);
    row->addWidget(makeChoice("session", tr("Open a session"), tr("A .remat file measured here or on another machine."),
                              &WelcomePage::sessionWanted),
                   1);
    auto *examples = new Card(tr("Take an example"), this);
    examples->body()->setSpacing(4);
    for (const Example &example : kExamples) {
        auto *button = new QPushButton(tr(example.title) + u"  ·  "_s + tr(example.text), examples);
        setIconName(*button, "example");
        setRole(button, "row");
        button->setAccessibleName(tr("Example %1").arg(tr(example.title)));
        connect(button, &QPushButton::clicked, this,
                [this, &example] { Q_EMIT fileChosen(QString::fromLatin1(example.file)); });
        examples->body()->addWidget(button);
    }
    examples->body()->addStretch(1);
    row->addWidget(examples, 1);
    return box;
}

void WelcomePage::setRecent(const QStringList &paths)
{
    while (QLayoutItem *item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_recentCard->setVisible(!paths.isEmpty());
    for (const QString &path : paths.mid(0, 6)) {
        const QFileInfo info(path);
        auto *button = new QPushButton(info.fileName() + u"   "_s + QDir::toNativeSeparators(info.path()), this);
        setRole(button, "row");
        setIconName(*button, info.suffix() == "remat"_L1 ? "session" : "config");
        button->setEnabled(info.exists());
        button->setToolTip(info.exists() ? path : tr("%1 is no longer there.").arg(path));
        connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT fileChosen(path); });
        m_recent->addWidget(button);
    }
}

} // namespace remat::ui
