// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/published_dialog.h"

#include <QLabel>
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
    : TableDialog(tr("What published formulas say"), parent), m_setup(setup), m_document(document)
{
    auto *card = new Card(windowTitle(), this);
    body()->addWidget(card, 1);
    card->body()->addWidget(m_about = makeSentence("secondary"));
    m_model = new PublishedModel(this);
    m_table = makeTable(*m_model, tr("Published formulas"), {PublishedModel::Formula, PublishedModel::What});
    card->body()->addWidget(m_table, 1);
    card->body()->addWidget(m_problem = makeSentence("warning"));
    putButtonsAfter(*m_table);
    connect(m_model, &PublishedModel::answered, this, &PublishedDialog::refresh);
    connect(&setup, &SetupModel::changed, this, &PublishedDialog::ask);
    connect(&document, &SessionDocument::pointsChanged, this, &PublishedDialog::ask);
    refresh();
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
    return tableAsText(*m_table->model());
}

} // namespace remat::ui
