// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/forecast_model.h"

#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

ForecastModel::ForecastModel(SetupModel &setup, StrategyListModel &strategies, QObject *parent)
    : QObject(parent), m_setup(setup), m_strategies(strategies), m_shown(u"none"_s), m_device(u"a100-80gb"_s)
{
    connect(&setup, &SetupModel::changed, this, &ForecastModel::forget);
    connect(&strategies, &StrategyListModel::entriesChanged, this, &ForecastModel::askSoon);
    connect(&m_task, &LatestTask::settled, this, [this] {
        if (!m_askLater)
            Q_EMIT settled();
    });
    if (setup.hasModel())
        askSoon();
}

void ForecastModel::show(const QString &strategy)
{
    if (strategy == m_shown)
        return;
    m_shown = strategy;
    askSoon();
}

void ForecastModel::setDevice(const QString &device)
{
    if (device == m_device)
        return;
    m_device = device;
    forget();
}

void ForecastModel::forget()
{
    m_costs.reset();
    m_known.clear();
    askSoon();
}

/// One change of a field tells of itself several times.
void ForecastModel::askSoon()
{
    if (m_askLater || !m_setup.hasModel())
        return;
    m_askLater = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_askLater = false;
            ask();
        },
        Qt::QueuedConnection);
}

void ForecastModel::ask()
{
    const auto workload = m_setup.resolved();
    auto shown = core::parseStrategy(m_shown.toStdString());
    if (!workload || !shown) {
        m_task.cancel();
        ForecastAnswer none;
        none.refusal = QString::fromStdString(workload ? shown.error().message : workload.error().message);
        take(std::move(none));
        Q_EMIT settled();
        return;
    }
    m_task.start([this,
                  question = ForecastQuestion{m_setup.model(), *workload, m_strategies.strategies(),
                                              std::move(shown).value(), m_device.toStdString(), m_costs,
                                              m_known}](std::stop_token stop, const LatestTask::Deliver &deliver) {
        forecast(question, std::move(stop), [&](ForecastAnswer answer) {
            deliver([this, answer = std::move(answer)]() mutable { take(std::move(answer)); });
        });
    });
}

void ForecastModel::take(ForecastAnswer answer)
{
    m_answer = std::move(answer);
    // A change that has not been asked about yet has already made them worthless.
    if (!m_askLater) {
        m_costs = m_answer.costs;
        m_known = m_answer.strategies;
    }
    m_strategies.setForecasts(m_answer.strategies, m_setup.memoryLimit());
    Q_EMIT changed();
}

QString ForecastModel::asText() const
{
    QString text;
    const auto row = [&text](const QString &name, const QString &value) { text += name + u'\t' + value + u'\n'; };
    if (m_answer.estimate) {
        const core::Estimate &estimate = *m_answer.estimate;
        row(tr("strategy"), m_answer.shown);
        row(tr("predicted peak, bytes"), QString::number(estimate.peak));
        for (const PeakSummary::Part &part : partsOf(estimate.parts))
            row(partText(part.category), QString::number(part.bytes));
        row(tr("place of the peak"), QString::fromStdString(estimate.peakWhere));
        row(tr("smallest peak, bytes"), QString::number(estimate.smallestPeak));
        row(tr("set by"), QString::fromStdString(estimate.smallestWhere));
    }
    for (const core::Strategy &strategy : m_strategies.strategies()) {
        const auto found = m_answer.strategies.find(strategy.text);
        if (found != m_answer.strategies.end() && found->second.peak >= 0)
            row(QString::fromStdString(strategy.text),
                found->second.fits ? QString::number(found->second.peak) : found->second.problem);
    }
    return text;
}

} // namespace remat::ui
