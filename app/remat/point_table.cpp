// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "point_table.h"

#include <algorithm>

namespace remat::app {

namespace {

using core::Point;

std::string bytes(core::Bytes value)
{
    return value < 0 ? "-" : core::formatBytes(value);
}

std::string duration(core::Nanoseconds ns, bool known)
{
    return known ? core::formatDuration(ns) : "-";
}

/// Characters a terminal shows, not bytes: "µs" has three bytes and two columns.
std::size_t columns(const std::string &text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string error(const Point &point)
{
    if (point.predictedPeakBytes < 0 || point.peakBytes < 0)
        return "-";
    const core::Bytes off = point.peakBytes - point.predictedPeakBytes;
    return off == 0 ? "exact" : (off > 0 ? "+" : "") + core::formatBytes(off);
}

std::string equal(const core::Equality &equality)
{
    if (!equality.checked)
        return "not checked";
    return equality.differingElements == 0 ? "equal" : std::to_string(equality.differingElements) + " differ";
}

} // namespace

std::string table(const std::vector<std::vector<std::string>> &rows)
{
    std::vector<std::size_t> widths;
    for (const auto &row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columns(row[i]));
    }
    std::string text;
    for (const auto &row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size())
                line.append(widths[i] - columns(row[i]) + 2, ' ');
        }
        text += line + "\n";
    }
    return text;
}

std::string pointTable(const std::vector<Point> &points)
{
    std::vector<std::vector<std::string>> rows{{"run", "strategy", "batch", "seq", "status", "peak", "activations",
                                                "step", "quartiles", "recompute", "prediction", "gradients"}};
    std::string reasons;
    for (const Point &point : points) {
        const bool timed = point.step.n > 0;
        const std::string quartiles
            = timed ? core::formatDuration(point.step.q1) + " to " + core::formatDuration(point.step.q3) : "-";
        rows.push_back({std::to_string(point.run), point.strategy, std::to_string(point.batch),
                        std::to_string(point.seq), std::string(toString(point.status)), bytes(point.peakBytes),
                        bytes(point.activationPeakBytes), duration(point.step.median, timed), quartiles,
                        duration(point.recomputeNs, timed), error(point), equal(point.equality)});
        if (!point.reason.empty())
            reasons += point.strategy + ": " + point.reason + "\n";
    }
    return table(rows) + reasons;
}

std::string pointDetails(const Point &point)
{
    std::vector<std::vector<std::string>> rows;
    const core::Json json = toJson(point);
    for (const auto &[key, value] : json.items()) {
        if (value.is_object()) {
            for (const auto &[inner, field] : value.items())
                rows.push_back({key + "." + inner, field.is_string() ? field.get<std::string>() : field.dump()});
        } else if (!value.is_null()) {
            rows.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
        }
    }
    return table(rows);
}

} // namespace remat::app
