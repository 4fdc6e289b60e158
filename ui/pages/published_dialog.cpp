// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/published_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "models/text.h"
#include "widgets/card.h"
#include "widgets/tables.h"

namespace remat::ui {

namespace {

/// Times of a setup that nobody probed; factors between strategies hardly depend on which of the table it is.
constexpr std::string_view kDevice = "a100-80gb";

} // namespace

PublishedDialog::PublishedDialog(SetupModel &setup, const SessionDocument &document, QWidget *parent)
    : QDialog(parent), m_setup(setup), m_document(document)
{
    setWindowTitle(tr("What published formulas say"));
    setObjectName(QStringLiteral("page"));
    resize(QSize(1120, 620).boundedTo(screen()->availableSize() * 0.95));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(12);
    auto *card = new Card(tr("What published formulas say"), this);
    column->addWidget(card, 1);
    m_about = makeLabel({}, true, "secondary");
    m_about->setWordWrap(true);
    card->body()->addWidget(m_about);
    setupTable();
    card->body()->addWidget(m_table, 1);
    m_problem = makeLabel({}, false, "warning");
    m_problem->setWordWrap(true);
    card->body()->addWidget(m_problem);
    auto *row = new QHBoxLayout;
    auto *copyButton = new QPushButton(tr("Copy table"), this);
    auto *close = new QPushButton(tr("Close"), this);
    copyButton->setAutoDefault(false);
    close->setAutoDefault(false);
    row->addWidget(copyButton);
    row->addStretch(1);
    row->addWidget(close);
    column->addLayout(row);
    new QShortcut(QKeySequence(QKeySequence::Copy), this, [this] { copy(); });
    connect(copyButton, &QPushButton::clicked, this, &PublishedDialog::copy);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    connect(m_model, &PublishedModel::answered, this, &PublishedDialog::refresh);
    connect(&setup, &SetupModel::changed, this, &PublishedDialog::ask);
    connect(&document, &SessionDocument::pointsChanged, this, &PublishedDialog::ask);
    refresh();
}

void PublishedDialog::setupTable()
{
    m_model = new PublishedModel(this);
    m_proxy = new QSortFilterProxyModel(this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(PublishedModel::SortRole);
    m_table = new QTableView(this);
    m_table->setModel(m_proxy);
    m_table->setAccessibleName(tr("Published formulas"));
    dressTable(*m_table);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->setTextElideMode(Qt::ElideRight);
    QHeaderView *header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setMinimumSectionSize(48);
    for (const int column : {PublishedModel::Formula, PublishedModel::What})
        header->setSectionResizeMode(column, QHeaderView::Stretch);
}

void PublishedDialog::showEvent(QShowEvent *event)
{
    QDialog::showEvent(event);
    ask();
}

void PublishedDialog::ask()
{
    if (!isVisible() || !m_setup.hasModel())
        return;
    const auto workload = m_setup.resolved();
    const auto device = core::deviceNamed(kDevice);
    if (!workload || !device) {
        m_model->clear(QString::fromStdString(workload ? device.error().message : workload.error().message));
        return;
    }
    PublishedQuestion question{m_setup.model(), *workload, {}, {}, *device};
    const auto *stored = m_document.current();
    if (stored && m_document.costs() && m_setup.isSetUpAs(stored->model, stored->workload)) {
        question.probed = m_document.costs();
        question.points = m_document.points();
    }
    m_model->ask(std::move(question));
}

void PublishedDialog::refresh()
{
    const bool any = m_model->rowCount() > 0;
    m_table->setVisible(any);
    m_problem->setText(m_model->problem());
    m_problem->setVisible(!m_model->problem().isEmpty());
    const QString name = m_setup.hasModel() ? QString::fromStdString(m_setup.model().name) : QString();
    m_about->setText(
        m_model->roughTimes()
            ? tr("On %1 as it is set up. Bytes of this program are by formula; times are rough, from published peaks, "
                 "until this workload is measured.")
                  .arg(name)
            : tr("On %1 as it is set up. Measured where the open session has it, else predicted from its probe.")
                  .arg(name));
}

QString PublishedDialog::tableText() const
{
    return tableAsText(*m_proxy);
}

void PublishedDialog::copy()
{
    QApplication::clipboard()->setText(tableText());
}

} // namespace remat::ui
