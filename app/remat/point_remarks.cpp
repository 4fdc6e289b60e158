// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "point_remarks.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "advice/remarks.h"
#include "point_table.h"
#include "schedule/strategy.h"

namespace remat::app {

namespace {

using core::Point;

/// Less than this share of the activation peak is no saving worth the name.
constexpr double kNothing = 0.05;

const Point *named(const std::vector<Point> &points, const char *strategy)
{
    const auto found = std::find_if(points.begin(), points.end(), [&](const Point &point) {
        return point.strategy == strategy && point.status == core::RunStatus::done;
    });
    return found == points.end() ? nullptr : &*found;
}

bool isFused(const Point &point)
{
    const std::string &kernel = point.environment.attentionKernel;
    return kernel == "flash" || kernel == "memory-efficient" || kernel == "cuDNN";
}

/// Dropping the attention core alone, beside a run that keeps everything.
std::string onAttentionOnly(const Point &point, const Point &none)
{
    const auto strategy = core::parseStrategy(point.strategy);
    if (!strategy || strategy->kind != core::StrategyKind::none || strategy->options.attention != "drop_core"
        || !strategy->options.feedForward.empty() || !isFused(point) || none.activationPeakBytes <= 0)
        return {};
    const double saved
        = 1.0 - static_cast<double>(point.activationPeakBytes) / static_cast<double>(none.activationPeakBytes);
    if (saved >= kNothing)
        return {};
    char text[240];
    std::snprintf(
        text, sizeof text,
        "%s saves %.1f %% of the activation peak: the %s kernel never keeps the attention scores, so there is "
        "next to nothing to drop. --attention math shows the other case.",
        point.strategy.c_str(), 100.0 * saved, point.environment.attentionKernel.c_str());
    return text;
}

/// Beside whole blocks, where a block has two halves to wrap.
std::string onHalves(const Point &halves, const Point &every)
{
    const int layers = every.keptBoundaries;
    if (layers == 0 || halves.keptBoundaries != 2 * layers)
        return {};
    return "halves keeps " + std::to_string(2 * layers) + " boundaries, two a layer, where whole blocks (every:1) keep "
        + std::to_string(layers) + "; with the two norms of a block wrapped on their own as well it would be "
        + std::to_string(4 * layers) + ".";
}

/// A series changes batch and sequence length only.
std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Point>> byWorkload(const std::vector<Point> &points)
{
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Point>> alike;
    for (const Point &point : points)
        alike[{point.batch, point.seq}].push_back(point);
    return alike;
}

void addComparisons(const std::vector<Point> &points, std::vector<std::string> &remarks)
{
    for (const core::Dominated &dominated : core::dominatedSettings(core::settingsOf(points, true)))
        remarks.push_back(core::sentence(dominated, {}, core::kActivationMemory));
    if (const auto errors = core::timeErrors(points))
        remarks.push_back(core::sentence(*errors));
}

} // namespace

std::vector<std::string> remarksOn(const std::vector<Point> &points)
{
    std::vector<std::string> remarks;
    if (const Point *none = named(points, "none"))
        for (const Point &point : points)
            if (std::string text = onAttentionOnly(point, *none); !text.empty())
                remarks.push_back(std::move(text));
    const Point *halves = named(points, "halves");
    const Point *every = named(points, "every:1");
    if (halves != nullptr && every != nullptr)
        if (std::string text = onHalves(*halves, *every); !text.empty())
            remarks.push_back(std::move(text));
    for (const auto &[size, alike] : byWorkload(points))
        addComparisons(alike, remarks);
    for (const Point &point : points)
        if (!point.pagingSuspected.empty())
            remarks.push_back(point.strategy + ": " + point.pagingSuspected);
    return remarks;
}

void printPoints(const std::vector<Point> &points)
{
    std::fputs(pointTable(points).c_str(), stdout);
    for (const std::string &remark : remarksOn(points))
        std::printf("%s\n", remark.c_str());
}

} // namespace remat::app
