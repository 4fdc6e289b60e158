// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice_report.h"

#include <cstdio>

#include "point_table.h"

namespace remat::app {

namespace {

std::string text(const char *format, double value)
{
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, format, value);
    return buffer;
}

std::string percent(double share)
{
    return text("%+.1f %%", 100.0 * share);
}

std::string valueText(const core::PublishedValue &value, double number)
{
    return value.quantity == core::PublishedValue::Quantity::bytes ? core::formatBytes(static_cast<core::Bytes>(number))
                                                                   : "×" + text("%.2f", number);
}

std::string rangeText(const core::ClaimedNumber &number)
{
    const auto one = [&](double value) {
        return number.isBytes ? core::formatBytes(static_cast<core::Bytes>(value)) : text("%.0f %%", 100.0 * value);
    };
    const auto [low, high] = number.claimed;
    return low == high                  ? one(low)
        : high > 1.0 && !number.isBytes ? one(low) + " or more"
                                        : one(low) + " to " + one(high);
}

void print(const std::vector<std::vector<std::string>> &rows)
{
    std::fputs(table(rows).c_str(), stdout);
}

} // namespace

void printEstimate(const core::Estimate &estimate, const std::string &strategy, bool withSaving)
{
    const core::MemoryParts &parts = estimate.parts;
    std::printf("%s: peak %s at %s (%s)\n", strategy.c_str(), core::formatBytes(estimate.peak).c_str(),
                estimate.peakWhere.c_str(), estimate.peakOp.c_str());
    std::vector<std::vector<std::string>> rows;
    for (const auto &[name, bytes] :
         {std::pair{"weights", parts.weights}, std::pair{"optimizer state", parts.optimizer},
          std::pair{"gradients", parts.gradients}, std::pair{"inputs and constants", parts.inputs},
          std::pair{"activations", parts.activations}, std::pair{"logits and loss", parts.logits},
          std::pair{"temporaries", parts.temporaries}})
        rows.push_back({std::string("  ") + name, core::formatBytes(bytes)});
    print(rows);
    if (withSaving)
        std::printf("The most that any schedule can save against none is %s. ",
                    core::formatBytes(estimate.maxSaving).c_str());
    std::printf("The smallest peak is %s, set by %s.\n", core::formatBytes(estimate.smallestPeak).c_str(),
                estimate.smallestWhere.c_str());
    if (estimate.approximate)
        std::puts("Approximate: scratch of products is only known on the machine itself; every peak is at least this.");
}

void printReach(const core::ReachTable &found)
{
    const bool batch = found.dimension == core::Dimension::batch;
    std::vector<std::vector<std::string>> rows{
        {batch ? "largest batch" : "longest sequence", "strategy", "peak", "step", "tokens/s"}};
    for (const core::Reach &reach : found.reaches) {
        const bool fits = reach.size > 0;
        rows.push_back({fits ? std::to_string(reach.size) + (reach.isLimit ? " (limit)" : "") : "does not fit",
                        reach.strategy, fits ? core::formatBytes(reach.expected.peak) : "-",
                        fits ? core::formatDuration(reach.expected.step) : "-",
                        fits ? text("%.0f", reach.expected.tokensPerSecond) : "-"});
    }
    std::printf("Within %s:\n", core::formatBytes(found.budget).c_str());
    print(rows);
    if (found.crossing)
        std::puts(core::sentence(*found.crossing, found.roughTimes).c_str());
}

void printGoal(const core::GoalAnswer &answer, const std::string &command)
{
    std::puts(answer.words.c_str());
    if (answer.reachable)
        std::printf("To run it: %s\n", command.c_str());
}

void printPublished(const std::vector<core::PublishedValue> &values)
{
    std::vector<std::vector<std::string>> rows{{"published", "formula", "of", "what", "says", "really", "", "error"}};
    for (const core::PublishedValue &value : values)
        rows.push_back({value.name, value.formula, value.strategy, value.what, valueText(value, value.value),
                        valueText(value, value.ours), value.measured ? "measured" : "predicted",
                        percent(value.error())});
    print(rows);
}

void printClaims(const std::vector<core::Claim> &claims)
{
    for (const core::Claim &claim : claims) {
        std::printf("%s  %s\n", claim.id.c_str(), claim.text.c_str());
        for (const core::ClaimedNumber &number : claim.numbers) {
            const std::string ours = number.isBytes ? core::formatBytes(static_cast<core::Bytes>(number.ours))
                                                    : text("%.1f %%", 100.0 * number.ours);
            std::printf("    %s, %s: claimed %s, here %s%s: %s\n", claim.strategy.c_str(), number.what.c_str(),
                        rangeText(number).c_str(), ours.c_str(),
                        number.isBytes        ? ""
                            : number.measured ? " (measured)"
                                              : " (predicted)",
                        std::string(toString(number.verdict)).c_str());
        }
        std::printf("    %s\n", claim.explanation.c_str());
    }
}

void printLevers(const core::Limits &limits, const std::vector<core::Point> &points)
{
    std::vector<std::vector<std::string>> rows{
        {"", "predicted peak", "measured peak", "predicted step", "measured step"}};
    for (std::size_t i = 0; i < points.size(); ++i) {
        const core::Point &point = points[i];
        const core::Lever *lever = i == 0 ? nullptr : &limits.levers[i - 1];
        const double predicted
            = lever == nullptr ? 1.0 : static_cast<double>(lever->step) / static_cast<double>(limits.step);
        const bool done = point.status == core::RunStatus::done;
        rows.push_back(
            {lever == nullptr ? "as it is" : lever->option,
             core::formatBytes(lever == nullptr ? limits.estimate.peak : lever->peak),
             done ? core::formatBytes(point.peakBytes) : std::string(toString(point.status)),
             "×" + text("%.2f", predicted),
             done && points.front().step.median > 0 ? "×"
                     + text("%.2f",
                            static_cast<double>(point.step.median) / static_cast<double>(points.front().step.median))
                                                    : "-"});
    }
    print(rows);
}

} // namespace remat::app
