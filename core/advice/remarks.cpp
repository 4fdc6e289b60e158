// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/remarks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "measure/statistics.h"
#include "schedule/strategy.h"

namespace remat::core {

namespace {

constexpr double kSameMemory = 1.005; // closer than this is no difference worth a word
constexpr double kSameTime = 1.02;    // medians farther apart make nobody's choice wrong, whatever their spreads
constexpr double kBest = 0.005;

std::string familyOf(const std::string &strategy)
{
    return strategy.substr(0, strategy.find(':'));
}

double ratio(Bytes a, Bytes b)
{
    return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 1.0;
}

bool isFaster(const StepTime &a, const StepTime &b)
{
    return a.median < b.median && separable(a, b);
}

/// A wide spread must not make a step that was longer all along look as good.
bool isNotSlower(const StepTime &a, const StepTime &b)
{
    return !isFaster(b, a) && static_cast<double>(a.median) <= kSameTime * static_cast<double>(b.median);
}

bool dominates(const Setting &other, const Setting &setting)
{
    return ratio(setting.memory, other.memory) > kSameMemory && other.peak <= setting.peak
        && isNotSlower(other.step, setting.step);
}

const Setting *dominatorOf(const Setting &setting, const std::vector<Setting> &settings)
{
    const Setting *best = nullptr;
    const auto rank = [&](const Setting &other) {
        return std::pair(familyOf(other.strategy) != familyOf(setting.strategy), other.memory);
    };
    for (const Setting &other : settings)
        if (dominates(other, setting) && (best == nullptr || rank(other) < rank(*best)))
            best = &other;
    return best;
}

/// K of a plain segments:K; 0 for anything else.
int segmentsOf(const std::string &text)
{
    const auto strategy = parseStrategy(text);
    return strategy && strategy->kind == StrategyKind::segments && !strategy->options.any() ? strategy->n : 0;
}

/// The K whose segments need the least; 0 where there are none.
int bestSegmentsOf(const std::vector<Setting> &settings)
{
    const Setting *best = nullptr;
    for (const Setting &setting : settings)
        if (segmentsOf(setting.strategy) > 0 && (best == nullptr || setting.memory < best->memory))
            best = &setting;
    return best == nullptr ? 0 : segmentsOf(best->strategy);
}

std::string number(const char *format, double value)
{
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

TimeErrors::Spread spreadOf(std::vector<double> errors)
{
    std::sort(errors.begin(), errors.end());
    const std::size_t n = errors.size();
    TimeErrors::Spread spread;
    spread.low = errors.front();
    spread.high = errors.back();
    spread.median = (errors[(n - 1) / 2] + errors[n / 2]) / 2.0;
    spread.n = static_cast<int>(n);
    spread.within = static_cast<int>(
        std::count_if(errors.begin(), errors.end(), [](double off) { return std::abs(off) <= kTimeTarget; }));
    return spread;
}

} // namespace

std::vector<Dominated> dominatedSettings(const std::vector<Setting> &settings)
{
    const int bestSegments = bestSegmentsOf(settings);
    std::vector<Dominated> all;
    for (const Setting &setting : settings) {
        const Setting *by = dominatorOf(setting, settings);
        if (by == nullptr)
            continue;
        Dominated dominated{setting.strategy,
                            by->strategy,
                            ratio(setting.memory, by->memory),
                            ratio(setting.step.median, by->step.median),
                            isFaster(by->step, setting.step),
                            setting.step.q1 < setting.step.q3};
        if (segmentsOf(setting.strategy) > bestSegments)
            dominated.bestSegments = bestSegments;
        all.push_back(std::move(dominated));
    }
    return all;
}

std::string sentence(const Dominated &dominated, const Titles &title, const std::string &memory)
{
    const auto name = [&](const std::string &strategy) { return title ? title(strategy) : strategy; };
    std::string text = name(dominated.strategy) + " needs "
        + number(dominated.memoryFactor < 10.0 ? "%.2g" : "%.0f", dominated.memoryFactor) + "× the " + memory + " of "
        + name(dominated.by);
    if (dominated.memoryFactor < 1.1)
        text = name(dominated.strategy) + " needs " + number("%.1f", 100.0 * (dominated.memoryFactor - 1.0))
            + " % more " + memory + " than " + name(dominated.by);
    text += dominated.slower ? " and takes " + number("%.1f", 100.0 * (dominated.timeFactor - 1.0)) + " % longer"
        : dominated.measured && dominated.timeFactor < 1.0 ? " and is not measurably faster"
                                                           : " and is no faster";
    if (dominated.bestSegments > 0)
        text += "; it lies beyond k* = " + std::to_string(dominated.bestSegments)
            + ", where longer segments hold more at once and recompute all the same";
    return text + ".";
}

std::vector<Setting> settingsOf(const std::vector<Point> &points, bool activationsOnly)
{
    std::vector<Setting> settings;
    for (const Point &point : points)
        if (point.status == RunStatus::done && point.step.n > 0)
            settings.push_back({point.strategy, activationsOnly ? point.activationPeakBytes : point.peakBytes,
                                point.step, point.peakBytes});
    return settings;
}

std::optional<TimeErrors> timeErrors(const std::vector<Point> &points)
{
    const Point *none = nullptr;
    std::vector<const Point *> done;
    for (const Point &point : points)
        if (point.status == RunStatus::done && point.step.median > 0 && point.predictedStepNs > 0) {
            done.push_back(&point);
            if (point.strategy == "none")
                none = &point;
        }
    if (done.size() < 2)
        return std::nullopt;
    TimeErrors errors;
    std::vector<double> plain;
    std::vector<double> toNone;
    for (const Point *point : done) {
        const double off = ratio(point->predictedStepNs, point->step.median);
        plain.push_back(off - 1.0);
        if (none != nullptr && point != none)
            toNone.push_back(off / ratio(none->predictedStepNs, none->step.median) - 1.0);
    }
    errors.plain = spreadOf(std::move(plain));
    if (!toNone.empty())
        errors.toNone = spreadOf(std::move(toNone));
    return errors;
}

std::string sentence(const TimeErrors &errors)
{
    const auto words = [](const TimeErrors::Spread &spread) {
        return number("%+.1f", 100.0 * spread.low) + " to " + number("%+.1f %%", 100.0 * spread.high) + ", median "
            + number("%+.1f %%", 100.0 * spread.median) + ", " + std::to_string(spread.within) + " of "
            + std::to_string(spread.n) + " within 5 %";
    };
    std::string text = "Predicted step times against measured ones: " + words(errors.plain);
    if (errors.toNone)
        text += "; relative to none: " + words(*errors.toNone);
    return text + ".";
}

std::string aboveBestWords(Nanoseconds stepNs, Nanoseconds bestNs)
{
    const double above = ratio(stepNs, bestNs) - 1.0;
    return above <= kBest ? "the best possible at this memory"
                          : number("%.1f", 100.0 * above) + " % above the best possible at this memory";
}

} // namespace remat::core
