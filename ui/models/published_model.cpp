// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/published_model.h"

#include <algorithm>
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

TextTableModel::Row emptyRow()
{
    constexpr std::size_t kColumns = PublishedModel::ColumnCount;
    return {std::vector<QString>(kColumns), std::vector<QString>(kColumns), std::vector<double>(kColumns)};
}

/// The formula, which a narrow window cuts off, is told in full.
void setToolTip(TextTableModel::Row &row, const QString &toolTip)
{
    std::fill(row.toolTips.begin(), row.toolTips.end(), toolTip);
    row.toolTips[PublishedModel::Formula] = row.texts[PublishedModel::Formula] + u'\n' + toolTip;
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

PublishedModel::PublishedModel(QObject *parent)
    : TextTableModel({{tr("Published"), false},
                      {tr("Formula or claim"), false},
                      {tr("Predicts"), false},
                      {tr("Says"), true},
                      {tr("Here"), true},
                      {tr("Error"), true}},
                     parent)
{
}

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
    std::vector<Row> rows;
    m_problem = answer.problem;
    m_rough = answer.roughTimes;
    for (const core::PublishedValue &value : answer.values)
        rows.push_back(rowOf(value, answer.roughTimes));
    for (const core::Claim &claim : answer.claims)
        for (const core::ClaimedNumber &number : claim.numbers)
            rows.push_back(rowOf(claim, number, answer.roughTimes));
    setRows(std::move(rows));
    Q_EMIT answered();
}

PublishedModel::Row PublishedModel::rowOf(const core::PublishedValue &value, bool rough)
{
    const bool isBytes = value.quantity == core::PublishedValue::Quantity::bytes;
    const auto number = [isBytes](double n) {
        return isBytes ? bytesText(static_cast<core::Bytes>(std::llround(n))) : factorText(n);
    };
    Row row = emptyRow();
    row.texts[Published] = text(value.name);
    row.texts[Formula] = text(value.formula);
    row.texts[What] = tr("%1 · %2").arg(strategyLabel(text(value.strategy)), text(value.what));
    row.texts[Says] = number(value.value);
    row.texts[Here] = labelled(number(value.ours), value.measured, rough && !isBytes);
    row.texts[Error] = percentText(value.error());
    setToolTip(row, text(value.source));
    row.numbers[Says] = value.value;
    row.numbers[Here] = value.ours;
    row.numbers[Error] = value.error();
    return row;
}

/// A claim's error is a word: it states a range, and half of "20 to 30 %" is no number.
PublishedModel::Row PublishedModel::rowOf(const core::Claim &claim, const core::ClaimedNumber &number, bool rough)
{
    const bool isTime = number.what.starts_with("step");
    Row row = emptyRow();
    row.texts[Published] = text(claim.id);
    row.texts[Formula] = text(claim.text);
    row.texts[What] = tr("%1 · %2").arg(strategyLabel(text(claim.strategy)), text(number.what));
    row.texts[Says] = rangeText(number);
    const QString ours = numberText(number.ours, number.isBytes);
    row.texts[Here] = number.isBytes ? ours : labelled(ours, number.measured, rough && isTime);
    row.texts[Error] = verdictText(number.verdict);
    setToolTip(row, text(claim.text + '\n' + claim.explanation));
    row.numbers[Says] = number.claimed.low;
    row.numbers[Here] = number.ours;
    return row;
}

} // namespace remat::ui
