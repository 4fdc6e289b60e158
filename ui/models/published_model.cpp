// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/published_model.h"

#include <cmath>

#include <QLocale>

#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

QString text(const std::string &words)
{
    return QString::fromStdString(words);
}

/// Probes know the options that a sweep asked for. Bytes of the others are the formula's; times have no second source.
core::Result<core::Reference> probedReference(const PublishedQuestion &question, const core::ChainCosts &formula)
{
    core::Reference reference;
    for (const std::string &name : core::referenceStrategies(chainShape(question.model, question.workload))) {
        const auto strategy = core::parseStrategy(name);
        if (!strategy)
            return strategy.error();
        auto expected = core::expect(*strategy, question.model, question.workload, *question.probed);
        if (!expected) {
            expected = core::expect(*strategy, question.model, question.workload, formula);
            if (!expected)
                return expected.error();
            expected->step = 0;
        }
        reference[name] = {expected->peak, expected->activationPeak, expected->step, false};
    }
    for (const core::Point &point : question.points)
        if (point.status == core::RunStatus::done && point.step.n > 0)
            reference[point.strategy] = {point.peakBytes, point.activationPeakBytes, point.step.median, true};
    return reference;
}

QString numberText(double value, bool isBytes)
{
    return isBytes ? bytesText(static_cast<core::Bytes>(value))
                   : PublishedModel::tr("%1 %").arg(std::lround(value * 100));
}

QString rangeText(const core::ClaimedNumber &number)
{
    const auto [low, high] = number.claimed;
    const QString least = numberText(low, number.isBytes);
    if (qFuzzyCompare(low, high))
        return least;
    return high > 1.0 && !number.isBytes ? PublishedModel::tr("%1 or more").arg(least)
                                         : PublishedModel::tr("%1 to %2").arg(least, numberText(high, number.isBytes));
}

QString labelled(const QString &value, bool measured, bool rough)
{
    return measured ? PublishedModel::tr("%1 · measured").arg(value)
        : rough     ? PublishedModel::tr("%1 · predicted, rough").arg(value)
                    : PublishedModel::tr("%1 · predicted").arg(value);
}

QString verdictText(core::ClaimVerdict verdict)
{
    switch (verdict) {
    case core::ClaimVerdict::holds:
        return PublishedModel::tr("holds");
    case core::ClaimVerdict::tooLow:
        return PublishedModel::tr("too low");
    case core::ClaimVerdict::tooHigh:
        return PublishedModel::tr("too high");
    }
    return {};
}

} // namespace

PublishedAnswer publishedAnswer(const PublishedQuestion &question)
{
    PublishedAnswer answer;
    const auto forecast = core::formulaForecast(question.model, question.workload, question.device);
    if (!forecast) {
        answer.problem = text(forecast.error().message);
        return answer;
    }
    answer.roughTimes = !question.probed;
    const auto reference = question.probed ? probedReference(question, forecast->costs)
                                           : core::referenceOf(question.model, question.workload, forecast->costs, {});
    if (!reference) {
        answer.problem = text(reference.error().message);
        return answer;
    }
    answer.values = core::publishedValues(question.model, question.workload, *reference);
    answer.claims = core::testedClaims(question.model, question.workload, *reference);
    return answer;
}

PublishedModel::PublishedModel(QObject *parent) : QAbstractTableModel(parent) { }

void PublishedModel::ask(PublishedQuestion question)
{
    m_task.start(
        [this, question = std::move(question)](const std::stop_token &stop, const LatestTask::Deliver &deliver) {
            if (stop.stop_requested())
                return;
            deliver([this, answer = publishedAnswer(question)] { take(answer); });
        });
}

void PublishedModel::clear(const QString &problem)
{
    m_task.cancel();
    PublishedAnswer none;
    none.problem = problem;
    take(none);
}

void PublishedModel::take(const PublishedAnswer &answer)
{
    beginResetModel();
    m_rows.clear();
    m_problem = answer.problem;
    m_rough = answer.roughTimes;
    for (const core::PublishedValue &value : answer.values)
        m_rows.push_back(rowOf(value, answer.roughTimes));
    for (const core::Claim &claim : answer.claims)
        for (const core::ClaimedNumber &number : claim.numbers)
            m_rows.push_back(rowOf(claim, number, answer.roughTimes));
    endResetModel();
    Q_EMIT answered();
}

PublishedModel::Row PublishedModel::rowOf(const core::PublishedValue &value, bool rough)
{
    const bool isBytes = value.quantity == core::PublishedValue::Quantity::bytes;
    const auto number = [isBytes](double n) {
        return isBytes ? bytesText(static_cast<core::Bytes>(std::llround(n))) : factorText(n);
    };
    Row row;
    row.texts[Published] = text(value.name);
    row.texts[Formula] = text(value.formula);
    row.texts[What] = tr("%1 · %2").arg(strategyLabel(text(value.strategy)), text(value.what));
    row.texts[Says] = number(value.value);
    row.texts[Here] = labelled(number(value.ours), value.measured, rough && !isBytes);
    row.texts[Error] = percentText(value.error());
    row.toolTip = text(value.source);
    row.sort[Says] = value.value;
    row.sort[Here] = value.ours;
    row.sort[Error] = value.error();
    return row;
}

/// A claim's error is a word: it states a range, and half of "20 to 30 %" is no number.
PublishedModel::Row PublishedModel::rowOf(const core::Claim &claim, const core::ClaimedNumber &number, bool rough)
{
    const bool isTime = number.what.starts_with("step");
    Row row;
    row.texts[Published] = text(claim.id);
    row.texts[Formula] = text(claim.text);
    row.texts[What] = tr("%1 · %2").arg(strategyLabel(text(claim.strategy)), text(number.what));
    row.texts[Says] = rangeText(number);
    const QString ours = numberText(number.ours, number.isBytes);
    row.texts[Here] = number.isBytes ? ours : labelled(ours, number.measured, rough && isTime);
    row.texts[Error] = verdictText(number.verdict);
    row.toolTip = text(claim.text + '\n' + claim.explanation);
    row.sort[Says] = number.claimed.low;
    row.sort[Here] = number.ours;
    return row;
}

int PublishedModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PublishedModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PublishedModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return row.texts[column];
    case Qt::ToolTipRole:
        return index.column() == Formula ? row.texts[Formula] + u'\n' + row.toolTip : row.toolTip;
    case Qt::TextAlignmentRole:
        return index.column() >= Says ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case SortRole:
        return index.column() >= Says ? QVariant(row.sort[column]) : QVariant(row.texts[column]);
    default:
        return {};
    }
}

QVariant PublishedModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant((section >= Says ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QString names[]
        = {tr("Published"), tr("Formula or claim"), tr("Predicts"), tr("Says"), tr("Here"), tr("Error")};
    return names[section];
}

} // namespace remat::ui
