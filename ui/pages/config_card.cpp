// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/config_card.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "model/parameter_inventory.h"
#include "models/text.h"
#include "theme/theme.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

void addNotes(QTreeWidget &tree, const QString &title, const std::vector<core::ConfigNote> &notes)
{
    if (notes.empty())
        return;
    auto *group = new QTreeWidgetItem(&tree, {u"%1 (%2)"_s.arg(title).arg(notes.size())});
    for (const core::ConfigNote &note : notes) {
        const QString text = QString::fromStdString(note.value.empty() ? note.key : note.key + ": " + note.value);
        auto *item = new QTreeWidgetItem(group, {text});
        item->setToolTip(0, text + u'\n' + QString::fromStdString(note.why));
        auto *why = new QTreeWidgetItem(item, {QString::fromStdString(note.why)});
        why->setToolTip(0, QString::fromStdString(note.why));
    }
}

} // namespace

ConfigCard::ConfigCard(SetupModel &model, QWidget *parent) : Card(tr("Config"), parent), m_model(model)
{
    m_facts = new QGridLayout;
    m_facts->setHorizontalSpacing(10);
    m_facts->setVerticalSpacing(4);
    m_facts->setColumnStretch(1, 1);
    body()->addLayout(m_facts);
    body()->addWidget(makeHairline());
    body()->addWidget(makeLabel(tr("What the reader made of the file"), true, "secondary"));
    m_notes = new QTreeWidget(this);
    m_notes->setHeaderHidden(true);
    m_notes->setFont(themeFont(TextRole::small));
    m_notes->setAccessibleName(tr("Derived, defaulted and ignored keys"));
    m_notes->setIndentation(14);
    body()->addWidget(m_notes, 1);
    auto *open = new QPushButton(tr("Open another config…"), this);
    body()->addWidget(open, 0, Qt::AlignLeft);
    connect(open, &QPushButton::clicked, this, &ConfigCard::openWanted);
    connect(&model, &SetupModel::modelChanged, this, &ConfigCard::refresh);
}

void ConfigCard::refresh()
{
    const core::ModelConfig &model = m_model.model();
    setTitle(QString::fromStdString(model.name));
    const core::ParameterCount count = core::countParameters(model);
    const std::pair<QString, QString> facts[] = {
        {tr("Family"), QString::fromStdString(model.family)},
        {tr("Layers × width"), u"%1 × %2"_s.arg(model.layers).arg(model.width)},
        {tr("Heads"),
         model.kvHeads == model.heads
             ? tr("%1 of %2").arg(model.heads).arg(model.headSize)
             : tr("%1 of %2, %3 key/value").arg(model.heads).arg(model.headSize).arg(model.kvHeads)},
        {tr("Feed-forward"), countText(model.ffnWidth)},
        {tr("Vocabulary"), countText(model.vocabulary)},
        {tr("Positions"), countText(model.positions)},
        {tr("Parameters"), countText(count.total)},
        {tr("  without embeddings"), countText(count.nonEmbedding)},
    };
    while (QLayoutItem *item = m_facts->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int row = 0;
    for (const auto &[name, value] : facts) {
        auto *words = makeLabel(value, false);
        words->setWordWrap(value.contains(u", "_s)); // words, not a number: no room taken from the cards beside this
        words->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_facts->addWidget(makeLabel(name, name.startsWith(u' '), "secondary"), row, 0);
        m_facts->addWidget(words, row++, 1);
    }
    m_notes->clear();
    addNotes(*m_notes, tr("worth a look"), model.warnings);
    addNotes(*m_notes, tr("derived"), model.derived);
    addNotes(*m_notes, tr("defaulted"), model.defaulted);
    addNotes(*m_notes, tr("ignored"), model.ignored);
    if (!model.warnings.empty())
        m_notes->topLevelItem(0)->setExpanded(true);
}

} // namespace remat::ui
