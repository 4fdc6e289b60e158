// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/stack_text.h"

#include <algorithm>

#include <QCoreApplication>
#include <QStringList>

#include "models/step_story.h"
#include "models/text.h"

namespace remat::ui {

namespace {

constexpr std::size_t kMostParts = 6;
constexpr std::size_t kMostLines = 5000;

QString tr(const char *text)
{
    return QCoreApplication::translate("remat::ui::StackText", text);
}

} // namespace

QString seriesText(const StackSeries &series)
{
    if (!series.byLayer)
        return categoryText(series.category);
    if (series.layer < 0)
        return tr("outside the layers");
    return (series.recomputed ? tr("layer %1, recomputed") : tr("layer %1")).arg(series.layer);
}

QString stateSummary(const StackData &stack, const core::Recording &recording, std::size_t state,
                     const core::ChainShape &shape)
{
    if (state >= stack.states())
        return {};
    QStringList lines;
    lines
        += tr("%1 at %2 · %3")
               .arg(bytesText(stack.total(state)), durationText(stack.nsOf(state)), exactBytesText(stack.total(state)));
    lines += stateText(recording, state, shape);
    StackData::Walker walker(stack);
    const std::vector<core::Bytes> &held = walker.at(state);
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < held.size(); ++s) {
        if (held[s] > 0)
            order.push_back(s);
    }
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return held[a] > held[b]; });
    for (std::size_t i = 0; i < std::min(kMostParts, order.size()); ++i)
        lines += bytesText(held[order[i]]) + QStringLiteral("  ") + seriesText(stack.series()[order[i]]);
    if (order.size() > kMostParts)
        lines += tr("and %1 more").arg(order.size() - kMostParts);
    return lines.join(QLatin1Char('\n'));
}

QString stackTable(const StackData &stack, std::size_t first, std::size_t last)
{
    QString text = tr("ns\tbytes\n");
    const std::size_t stride = (last - first) / kMostLines + 1;
    for (std::size_t state = first; state <= last; state += stride) {
        const std::size_t highest = stack.highest(state, std::min(last, state + stride - 1));
        text += QString::number(stack.nsOf(highest)) + QLatin1Char('\t') + QString::number(stack.total(highest))
            + QLatin1Char('\n');
    }
    return text;
}

} // namespace remat::ui
