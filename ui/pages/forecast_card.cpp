// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "pages/forecast_card.h"

#include <numeric>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "models/text.h"
#include "widgets/number_tile.h"
#include "widgets/stacked_bar.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

/// "weights, weight gradients and optimizer state"
QString namesOf(const std::vector<PeakSummary::Part> &parts)
{
    QStringList names;
    for (const PeakSummary::Part &part : parts)
        names += categoryText(part.category);
    if (names.isEmpty())
        return {};
    const QString last = names.takeLast();
    return names.isEmpty() ? last : ForecastCard::tr("%1 and %2").arg(names.join(u", "_s), last);
}

QString savingText(const core::Estimate &estimate)
{
    const QString smallest = bytesText(estimate.smallestPeak), by = QString::fromStdString(estimate.smallestWhere);
    if (estimate.maxSaving <= 0)
        return ForecastCard::tr("No schedule saves anything here: %1 is the smallest peak, set by %2.")
            .arg(smallest, by);
    const double all = static_cast<double>(estimate.smallestPeak + estimate.maxSaving);
    return ForecastCard::tr("Against no checkpointing any schedule saves at most %1 (%2): the smallest peak is %3, set "
                            "by %4.")
        .arg(bytesText(estimate.maxSaving),
             percentText(-static_cast<double>(estimate.maxSaving) / all).replace(u' ', QChar::Nbsp), smallest, by);
}

} // namespace

ForecastCard::ForecastCard(SetupModel &setup, ForecastModel &forecast, QWidget *parent)
    : Card(tr("Before anything runs"), parent), m_setup(setup), m_forecast(forecast)
{
    m_kind = makeLabel({}, true, "secondary");
    m_kind->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    header()->addStretch(1);
    header()->addWidget(m_kind);
    m_peak = new NumberTile({}, this);
    body()->addWidget(m_peak);
    m_bar = new StackedBar(this);
    m_bar->setNames(&partText);
    body()->addWidget(m_bar);
    m_limit = makeSentence("warning");
    m_plan = new QPushButton(tr("Add a plan that fits"), this);
    setRole(m_plan, "outline");
    m_where = makeSentence();
    m_hardly = makeSentence();
    m_saving = makeSentence("secondary");
    body()->addWidget(m_limit);
    body()->addWidget(m_plan, 0, Qt::AlignLeft);
    body()->addWidget(m_where);
    body()->addWidget(m_hardly);
    body()->addWidget(m_saving);
    m_more = new QBoxLayout(QBoxLayout::TopToBottom);
    auto *levers = new QPushButton(tr("What lowers it…"), this);
    auto *formulas = new QPushButton(tr("Published formulas…"), this);
    for (QPushButton *button : {levers, formulas}) {
        button->setMinimumWidth(1); // a row of them forces no width on the card
        m_more->addWidget(button);
    }
    body()->addLayout(m_more);
    body()->setAlignment(m_more, Qt::AlignLeft);
    connect(levers, &QPushButton::clicked, this, &ForecastCard::leversWanted);
    connect(formulas, &QPushButton::clicked, this, &ForecastCard::formulasWanted);
    connect(m_plan, &QPushButton::clicked, this, [this] {
        if (const auto limit = m_setup.memoryLimit())
            Q_EMIT planWanted(limit->bytes);
    });
    connect(&setup, &SetupModel::changed, this, &ForecastCard::refresh);
    connect(&forecast, &ForecastModel::changed, this, &ForecastCard::refresh);
    refresh();
}

/// Side by side where there is room, else one above the other.
void ForecastCard::resizeEvent(QResizeEvent *event)
{
    Card::resizeEvent(event);
    int needed = -m_more->spacing();
    for (int i = 0; i < m_more->count(); ++i)
        needed += m_more->spacing() + m_more->itemAt(i)->sizeHint().width();
    m_more->setDirection(body()->geometry().width() >= needed ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

QString ForecastCard::caption(const core::Estimate &estimate) const
{
    const QString &shown = m_forecast.answer().shown;
    const auto &known = m_forecast.answer().strategies;
    const auto found = known.find(shown.toStdString());
    if (found != known.end() && !found->second.fits)
        return tr("smallest possible peak; nothing fits the budget");
    const QString title = strategyLabel(shown);
    return estimate.approximate ? tr("predicted peak of “%1”, at least").arg(title)
                                : tr("predicted peak of “%1”").arg(title);
}

void ForecastCard::showEstimate(const core::Estimate &estimate)
{
    m_kind->setText(estimate.approximate ? tr("by formula · a lower bound") : tr("by formula"));
    m_kind->setToolTip(estimate.approximate
                           ? tr("The scratch memory of some products is known only to the machine that runs them.")
                           : tr("The sizes of all tensors follow from the shapes; nothing was run."));
    m_peak->setNumber(bytesText(estimate.peak));
    m_peak->setCaption(caption(estimate));
    m_peak->setToolTip(exactBytesText(estimate.peak));
    m_bar->setParts(partsOf(estimate.parts));
    m_where->setText(tr("Set by %1.").arg(QString::fromStdString(estimate.peakWhere)));
    // Where it is little, that is said instead.
    m_hardly->setText(m_forecast.answer().hardlyMatters);
    m_hardly->setToolTip(savingText(estimate));
    m_saving->setText(m_hardly->text().isEmpty() ? savingText(estimate) : QString());
}

void ForecastCard::showCertain()
{
    const auto parts = m_setup.certainBytes();
    const core::Bytes sum
        = std::accumulate(parts.begin(), parts.end(), core::Bytes{0},
                          [](core::Bytes total, const PeakSummary::Part &part) { return total + part.bytes; });
    m_kind->clear();
    m_hardly->clear();
    m_peak->setNumber(parts.empty() ? u"–"_s : bytesText(sum));
    m_peak->setCaption(tr("certain, whatever the strategy"));
    m_peak->setToolTip(parts.empty() ? QString() : exactBytesText(sum));
    m_bar->setParts(parts);
    const ForecastAnswer &answer = m_forecast.answer();
    m_where->setText(answer.refusal.isEmpty() ? answer.shownProblem : answer.refusal);
    m_saving->setText(parts.empty() ? QString()
                                    : tr("Certain are %1. Activations come on top; they are what a measurement shows "
                                         "and checkpointing shrinks.")
                                          .arg(namesOf(parts)));
}

void ForecastCard::showLimit(const core::Estimate *estimate)
{
    const auto limit = m_setup.memoryLimit();
    const bool over = estimate && limit && estimate->peak > limit->bytes;
    const bool possible = over && estimate->smallestPeak <= limit->bytes;
    m_limit->setVisible(over);
    m_plan->setVisible(possible);
    if (!over)
        return;
    const QString what = limit->isBudget ? tr("the memory budget of %1").arg(bytesText(limit->bytes))
                                         : tr("the %1 of %2").arg(bytesText(limit->bytes), limit->device);
    const QString excess = bytesText(estimate->peak - limit->bytes), least = bytesText(estimate->smallestPeak);
    m_limit->setText(possible
                         ? tr("%1 more than %2. The smallest possible peak, %3, fits.").arg(excess, what, least)
                         : tr("%1 more than %2, and the smallest possible peak, %3, does not fit either: make batch, "
                              "sequence or model smaller.")
                               .arg(excess, what, least));
}

void ForecastCard::refresh()
{
    if (!m_setup.hasModel())
        return;
    const ForecastAnswer &answer = m_forecast.answer();
    const core::Estimate *estimate = answer.estimate ? &*answer.estimate : nullptr;
    if (estimate)
        showEstimate(*estimate);
    else
        showCertain();
    showLimit(estimate);
    m_where->setVisible(!m_where->text().isEmpty());
    m_saving->setVisible(!m_saving->text().isEmpty());
    m_hardly->setVisible(!m_hardly->text().isEmpty());
}

} // namespace remat::ui
