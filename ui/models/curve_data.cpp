// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/curve_data.h"

#include <algorithm>

#include <QCoreApplication>
#include <QStringList>

#include "models/text.h"
#include "schedule/simulator.h"
#include "schedule/strategy.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

struct Prediction
{
    core::Bytes bytes = 0;
    core::Bytes peak = 0;
    core::Nanoseconds ns = 0;
};

Prediction predictionOf(const FrontPlan &plan, MemoryAxis axis)
{
    return {axis == MemoryAxis::activations ? plan.activationPeak : plan.peak, plan.peak, plan.stepNs};
}

std::optional<Prediction> predict(const core::Strategy &strategy, const CurveInput &input)
{
    if (const FrontPlan *plan = input.front ? input.front->planOf(strategy) : nullptr)
        return predictionOf(*plan, input.axis);
    if (!input.costs)
        return std::nullopt;
    const auto schedule = core::makeSchedule(strategy, input.shape);
    if (!schedule)
        return std::nullopt;
    const auto simulation = core::simulate(*schedule, *input.costs);
    if (!simulation)
        return std::nullopt;
    return Prediction{input.axis == MemoryAxis::activations ? simulation->activationPeak : simulation->peak,
                      simulation->peak, simulation->stepNs};
}

MarkFamily familyOf(const core::Strategy &strategy)
{
    if (strategy.options.any())
        return MarkFamily::selective;
    switch (strategy.kind) {
    case core::StrategyKind::none:
        return MarkFamily::none;
    case core::StrategyKind::every:
        return MarkFamily::every;
    case core::StrategyKind::segments:
        return MarkFamily::segments;
    case core::StrategyKind::budget:
        return MarkFamily::plan;
    default:
        return MarkFamily::other;
    }
}

/// What times are divided by: the measured step of "none", else its predicted step, else a millisecond.
struct Scale
{
    double unit = 1e6;
    double predictedFactor = 1.0; // measured over predicted step of "none"
    bool relative = false;

    [[nodiscard]] double predictedUnit() const { return unit / predictedFactor; }
};

Scale scaleOf(const CurveInput &input)
{
    Scale scale;
    const auto none = predict(core::Strategy{}, input);
    const auto measured = std::find_if(input.points.begin(), input.points.end(), [](const core::Point &p) {
        return p.strategy == "none" && p.status == core::RunStatus::done && p.step.median > 0;
    });
    if (measured != input.points.end()) {
        scale.unit = static_cast<double>(measured->step.median);
        scale.relative = true;
        if (none && none->ns > 0)
            scale.predictedFactor = scale.unit / static_cast<double>(none->ns);
    } else if (none && none->ns > 0) {
        scale.unit = static_cast<double>(none->ns);
        scale.relative = true;
    }
    return scale;
}

/// A budget in bytes needs no front, a share of the activations does.
core::Bytes budgetOf(const core::Strategy &strategy, const PlanFront *front)
{
    if (strategy.kind != core::StrategyKind::budget)
        return -1;
    return strategy.budget.percent < 0.0 ? strategy.budget.bytes : front ? front->budgetOf(strategy).value_or(-1) : -1;
}

core::Bytes measuredBytes(const core::Point &point, MemoryAxis axis)
{
    return axis == MemoryAxis::activations ? point.activationPeakBytes : point.peakBytes;
}

/// A run that does not fit stands at the limit that stopped it, at its predicted time.
core::Bytes limitBytes(const core::Point &point, MemoryAxis axis)
{
    if (point.environment.budgetBytes > 0)
        return axis == MemoryAxis::activations && point.staticBytes > 0
            ? std::max<core::Bytes>(0, point.environment.budgetBytes - point.staticBytes)
            : point.environment.budgetBytes;
    return axis == MemoryAxis::activations ? point.predictedActivationPeakBytes : point.predictedPeakBytes;
}

std::optional<CurveMark> markOf(const core::Point &point, const core::Strategy &strategy, const CurveInput &input,
                                const Scale &scale)
{
    CurveMark mark;
    mark.strategy = QString::fromStdString(point.strategy);
    mark.family = familyOf(strategy);
    mark.value = mark.family == MarkFamily::selective ? 0 : strategy.n;
    mark.budget = budgetOf(strategy, input.front.get());
    if (point.status == core::RunStatus::done && point.step.median > 0) {
        mark.kind = MarkKind::measured;
        mark.time = static_cast<double>(point.step.median) / scale.unit;
        mark.timeLow = static_cast<double>(point.step.q1) / scale.unit;
        mark.timeHigh = static_cast<double>(point.step.q3) / scale.unit;
        mark.bytes = measuredBytes(point, input.axis);
        mark.peak = point.peakBytes;
        return mark.bytes >= 0 ? std::optional(mark) : std::nullopt;
    }
    if (point.status != core::RunStatus::doesNotFit && point.status != core::RunStatus::failed)
        return std::nullopt;
    const auto predicted = predict(strategy, input);
    mark.kind = MarkKind::failed;
    mark.reason = QString::fromStdString(point.reason);
    mark.bytes = limitBytes(point, input.axis);
    if (mark.bytes < 0 && !predicted)
        return std::nullopt; // neither a limit nor a prediction says where it would stand
    if (mark.bytes < 0)
        mark.bytes = predicted->bytes;
    mark.time = predicted ? static_cast<double>(predicted->ns) / scale.predictedUnit() : 1.0;
    mark.timeLow = mark.timeHigh = mark.time;
    return mark;
}

void addPrediction(CurveData &curve, const QString &text, const CurveInput &input, const Scale &scale,
                   std::vector<std::pair<double, core::Bytes>> *line)
{
    const auto strategy = core::parseStrategy(text.toStdString());
    const auto predicted = strategy ? predict(*strategy, input) : std::nullopt;
    if (!predicted)
        return;
    CurveMark mark;
    mark.strategy = text;
    mark.family = familyOf(*strategy);
    mark.value = strategy->n;
    mark.time = static_cast<double>(predicted->ns) / scale.predictedUnit();
    mark.timeLow = mark.timeHigh = mark.time;
    mark.bytes = predicted->bytes;
    mark.peak = predicted->peak;
    if (line)
        line->emplace_back(mark.time, mark.bytes);
    if (!curve.find(text))
        curve.marks.push_back(mark);
}

void addPredictions(CurveData &curve, const CurveInput &input, const Scale &scale)
{
    addPrediction(curve, u"none"_s, input, scale, nullptr);
    for (const HandleMode mode : {HandleMode::every, HandleMode::segments}) {
        for (const QString &text : handleStops(mode, input.shape.layers))
            addPrediction(curve, text, input, scale, &curve.predicted[static_cast<std::size_t>(mode)]);
    }
}

void addFront(CurveData &curve, const CurveInput &input)
{
    curve.front = input.front;
    if (!input.front)
        return;
    for (const FrontPlan &plan : input.front->plans)
        curve.best.emplace_back(static_cast<double>(plan.stepNs) / curve.predictedUnit,
                                predictionOf(plan, input.axis).bytes);
}

} // namespace

const CurveMark *CurveData::find(const QString &strategy) const
{
    const auto found
        = std::find_if(marks.begin(), marks.end(), [&](const CurveMark &mark) { return mark.strategy == strategy; });
    return found == marks.end() ? nullptr : &*found;
}

std::optional<CurveMark> CurveData::markFor(const QString &strategy) const
{
    if (const CurveMark *mark = find(strategy))
        return *mark;
    const auto parsed = core::parseStrategy(strategy.toStdString());
    const FrontPlan *plan = front && parsed ? front->planOf(*parsed) : nullptr;
    if (!plan)
        return std::nullopt;
    const Prediction step = predictionOf(*plan, axis);
    CurveMark mark;
    mark.strategy = strategy;
    mark.family = MarkFamily::plan;
    mark.time = mark.timeLow = mark.timeHigh = static_cast<double>(step.ns) / predictedUnit;
    mark.bytes = step.bytes;
    mark.peak = step.peak;
    mark.budget = budgetOf(*parsed, front.get());
    return mark;
}

core::Bytes CurveData::belowAxis() const
{
    return axis == MemoryAxis::activations && front ? front->costs.staticBytes : 0;
}

const CurveMark *CurveData::fastestMeasured(core::Bytes budget) const
{
    const CurveMark *fastest = nullptr;
    for (const CurveMark &mark : marks) {
        if (mark.kind != MarkKind::measured || mark.peak < 0 || mark.peak > budget)
            continue;
        if (!fastest || std::pair(mark.time, mark.peak) < std::pair(fastest->time, fastest->peak))
            fastest = &mark;
    }
    return fastest;
}

bool CurveData::bestOnAxis() const
{
    if (!front || axis == MemoryAxis::everything || front->costs.gradientsKept)
        return true;
    const auto &stages = front->costs.stages;
    return front->costs.loss.gradientGrowth == 0
        && std::all_of(stages.begin(), stages.end(), [](const core::StageCost &s) { return s.gradientGrowth == 0; });
}

CurveData buildCurve(const CurveInput &input)
{
    CurveData curve;
    const Scale scale = scaleOf(input);
    curve.relative = scale.relative;
    curve.unit = static_cast<core::Nanoseconds>(scale.unit);
    curve.layers = input.shape.layers;
    curve.axis = input.axis;
    curve.predictedUnit = scale.predictedUnit();
    for (const core::Point &point : input.points) {
        const auto strategy = core::parseStrategy(point.strategy);
        if (!strategy)
            continue;
        if (auto mark = markOf(point, *strategy, input, scale))
            curve.marks.push_back(std::move(*mark));
    }
    addPredictions(curve, input, scale);
    addFront(curve, input);
    return curve;
}

MarkFamily familyOf(const QString &strategy)
{
    const auto parsed = core::parseStrategy(strategy.toStdString());
    return parsed ? familyOf(*parsed) : MarkFamily::other;
}

std::vector<const CurveMark *> lineOf(const CurveData &curve, HandleMode mode)
{
    std::vector<const CurveMark *> line;
    for (const QString &stop : handleStops(mode, curve.layers)) {
        const CurveMark *mark = curve.find(stop);
        if (mark && mark->kind != MarkKind::failed)
            line.push_back(mark);
    }
    return line;
}

QStringList handleStops(HandleMode mode, int layers)
{
    QStringList stops;
    if (mode == HandleMode::budget)
        return stops;
    for (int value = 1; value <= layers; ++value)
        stops += Selection::strategyFor(mode, value);
    if (mode == HandleMode::every)
        stops += u"none"_s;
    return stops;
}

QString handleMeaning(const QString &strategy, int layers)
{
    const auto parsed = core::parseStrategy(strategy.toStdString());
    const auto tr = [](const char *text, int n = -1) {
        return QCoreApplication::translate("remat::ui::Handle", text, nullptr, n);
    };
    if (!parsed || layers <= 0)
        return strategy;
    if (parsed->options.any())
        return strategyTitle(strategy);
    const int n = parsed->n;
    if (parsed->kind == core::StrategyKind::every && n > 0)
        return tr("N = %1 · %2 of %3 layers recomputed").arg(n).arg((layers + n - 1) / n).arg(layers);
    if (parsed->kind == core::StrategyKind::segments && n > 0) {
        const int groups = (layers + n - 1) / n;
        const QString head
            = groups == 1 ? tr("K = %1 · 1 segment").arg(n) : tr("K = %1 · %2 segments").arg(n).arg(groups);
        const int last = layers - (groups - 1) * n;
        return last == n || groups == 1
            ? head
            : head + (last == 1 ? tr(", last one 1 layer") : tr(", last one %1 layers").arg(last));
    }
    return strategyTitle(strategy);
}

} // namespace remat::ui
