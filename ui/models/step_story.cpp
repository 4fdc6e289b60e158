// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/step_story.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include "advice/remarks.h"
#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("remat::ui::Story", text);
}

/// The neighbouring ops of the same phase belong to one rebuild: "layers 10–11".
QString whereText(const core::Recording &recording, std::size_t opIndex, const core::ChainShape &shape)
{
    const core::OpRecord &op = recording.ops[opIndex];
    const int layer = shape.layerOf(op.stage);
    if (op.phase == core::Phase::recompute && layer >= 0) {
        int low = layer, high = layer;
        for (std::size_t i = opIndex; i-- > 0 && recording.ops[i].phase == core::Phase::recompute;) {
            if (shape.layerOf(recording.ops[i].stage) >= 0)
                low = std::min(low, shape.layerOf(recording.ops[i].stage));
        }
        for (std::size_t i = opIndex + 1; i < recording.ops.size() && recording.ops[i].phase == core::Phase::recompute;
             ++i)
            high = std::max(high, shape.layerOf(recording.ops[i].stage));
        return low == high ? tr("recomputing layer %1").arg(low) : tr("recomputing layers %1–%2").arg(low).arg(high);
    }
    if (op.phase == core::Phase::loss)
        return tr("logits and loss");
    if (op.phase == core::Phase::optimizer || op.phase == core::Phase::other)
        return phaseText(op.phase);
    return tr("%1 of %2").arg(phaseText(op.phase), layer >= 0 ? tr("layer %1").arg(layer) : placeText(op, shape));
}

/// The measured marks as the rules of advice see them.
std::vector<core::Setting> settingsOf(const CurveData &curve)
{
    std::vector<core::Setting> settings;
    const auto ns = [&](double time) { return std::llround(time * static_cast<double>(curve.unit)); };
    for (const CurveMark &mark : curve.marks)
        if (mark.kind == MarkKind::measured)
            settings.push_back({mark.strategy.toStdString(), mark.bytes,
                                core::StepTime{ns(mark.time), ns(mark.timeLow), ns(mark.timeHigh), 1},
                                std::max<core::Bytes>(mark.peak, 0)});
    return settings;
}

/// What the memory axis counts, as a sentence names it.
const char *memoryWord(const CurveData &curve)
{
    const bool everything = std::all_of(curve.marks.begin(), curve.marks.end(),
                                        [](const CurveMark &mark) { return mark.peak < 0 || mark.peak == mark.bytes; });
    return everything ? "memory" : core::kActivationMemory;
}

core::Bytes partOf(const PeakSummary &peak, core::Category category)
{
    for (const PeakSummary::Part &part : peak.parts) {
        if (part.category == category)
            return part.bytes;
    }
    return 0;
}

void addDominated(std::vector<Advice> &list, const CurveMark &own, const CurveData &curve)
{
    const auto label
        = [](const std::string &strategy) { return strategyLabel(QString::fromStdString(strategy)).toStdString(); };
    for (const core::Dominated &dominated : core::dominatedSettings(settingsOf(curve))) {
        if (QString::fromStdString(dominated.strategy) != own.strategy)
            continue;
        QString text = QString::fromStdString(core::sentence(dominated, label, memoryWord(curve)));
        text.replace(0, 1, text.front().toUpper());
        list.push_back({text, QString::fromStdString(dominated.by)});
    }
}

void addShorterSegments(std::vector<Advice> &list, const CurveMark &own, const CurveData &curve,
                        const PeakSummary *peak)
{
    if (!peak || own.family != MarkFamily::segments || own.value < 2
        || (peak->phase != core::Phase::recompute && peak->phase != core::Phase::backward))
        return;
    const CurveMark *shorter = curve.find(Selection::strategyFor(HandleMode::segments, own.value - 1));
    if (!shorter || shorter->kind == MarkKind::failed || shorter->bytes >= own.bytes)
        return;
    const QString text = shorter->kind == MarkKind::measured
        ? tr("The peak lies inside one segment's rebuild: segments of %1 lower it to %2.")
        : tr("The peak lies inside one segment's rebuild: segments of %1 are predicted to lower it to %2.");
    list.push_back({text.arg(own.value - 1).arg(bytesText(shorter->bytes)), shorter->strategy});
}

void addLogits(std::vector<Advice> &list, const PeakSummary *peak)
{
    if (!peak || peak->bytes <= 0)
        return;
    const double share
        = static_cast<double>(partOf(*peak, core::Category::logitsAndLoss)) / static_cast<double>(peak->bytes);
    if (share > 0.3)
        list.push_back(
            {tr("Logits and loss are %1 % of this peak: the interval hardly matters here, fewer tokens a step do.")
                 .arg(std::lround(share * 100.0)),
             {}});
}

void addStaticShare(std::vector<Advice> &list, const PeakSummary *peak)
{
    if (!peak || peak->bytes <= 0)
        return;
    core::Bytes fixed = 0;
    for (const PeakSummary::Part &part : peak->parts) {
        if (!core::isActivation(part.category))
            fixed += part.bytes;
    }
    const double share = static_cast<double>(fixed) / static_cast<double>(peak->bytes);
    if (share > 0.5)
        list.push_back(
            {tr("Weights, gradients and optimizer state are %1 % of this peak: checkpointing cannot shrink them.")
                 .arg(std::lround(share * 100.0)),
             {}});
}

void addPrice(std::vector<Advice> &list, const CurveMark &own, const CurveData &curve)
{
    const CurveMark *none = curve.find(u"none"_s);
    if (!none || none == &own || none->kind == MarkKind::failed || own.kind != MarkKind::measured || none->bytes <= 0)
        return;
    const double saved = static_cast<double>(none->bytes - own.bytes);
    const double slower = (own.time / none->time - 1.0) * 100.0;
    if (saved > 0 && slower > 0.5)
        list.push_back(
            {tr("Each percent of step time saves %1.").arg(bytesText(static_cast<core::Bytes>(saved / slower))), {}});
    else if (saved > 0 && none->kind == MarkKind::measured)
        list.push_back({tr("Saves %1 at no cost in time that the spread would show.")
                            .arg(bytesText(static_cast<core::Bytes>(saved))),
                        {}});
}

void addNoneSentence(std::vector<Advice> &list, const CurveMark &own, const CurveData &curve)
{
    if (own.family != MarkFamily::none)
        return;
    const CurveMark *least = nullptr;
    for (const CurveMark &mark : curve.marks) {
        if (mark.kind == MarkKind::measured && (!least || mark.bytes < least->bytes))
            least = &mark;
    }
    if (least && least->bytes < own.bytes && own.bytes > 0)
        list.push_back(
            {tr("Checkpointing saves up to %1 % here: %2 runs in %3.")
                 .arg(std::lround(100.0 * (1.0 - static_cast<double>(least->bytes) / static_cast<double>(own.bytes))))
                 .arg(strategyLabel(least->strategy), bytesText(least->bytes)),
             least->strategy});
}

/// What happens inside the blocks, and that a fused attention kernel leaves nothing to drop where that was measured.
void addSelective(std::vector<Advice> &list, const CurveMark &own, const CurveData &curve)
{
    QString text = droppedText(own.strategy);
    if (text.isEmpty())
        return;
    const CurveMark *none = curve.find(u"none"_s);
    const bool measured = own.kind == MarkKind::measured && none && none->kind == MarkKind::measured && none->bytes > 0;
    if (measured && own.strategy == "selective:attention"_L1
        && static_cast<double>(own.bytes) > 0.995 * static_cast<double>(none->bytes))
        text += u' '
            + tr("It saves nothing here: a fused attention kernel never keeps the scores, only “math” attention does.");
    list.insert(list.begin(), {text, {}});
}

} // namespace

QString placeText(const core::OpRecord &op, const core::ChainShape &shape)
{
    const int layer = shape.layerOf(op.stage);
    if (layer >= 0 && shape.kindOf(op.stage) == core::StageKind::block)
        return tr("layer %1, whole block").arg(layer);
    if (layer >= 0)
        return shape.kindOf(op.stage) == core::StageKind::attention ? tr("layer %1, attention").arg(layer)
                                                                    : tr("layer %1, feed-forward").arg(layer);
    if (op.stage == 0)
        return tr("embedding");
    if (op.stage == shape.finalStage())
        return tr("final norm");
    if (op.phase == core::Phase::loss)
        return tr("head and loss");
    return op.phase == core::Phase::optimizer ? tr("optimizer") : tr("between the ops");
}

QString stateText(const core::Recording &recording, std::size_t state, const core::ChainShape &shape)
{
    if (state == 0 || state > recording.events.size())
        return tr("start of the step");
    const core::MemoryEvent &event = recording.events[state - 1];
    QStringList words;
    if (event.op < recording.ops.size()) {
        words += phaseText(event.phase);
        words += placeText(recording.ops[event.op], shape);
    }
    if (event.name < recording.names.size() && !recording.names[event.name].empty())
        words += QString::fromStdString(recording.names[event.name]);
    return words.join(u" · "_s);
}

PeakSummary peakSummary(const core::Recording &recording, MemoryAxis axis, const core::ChainShape &shape)
{
    PeakSummary summary;
    if (recording.events.empty())
        return summary;
    const core::RecordingPeaks peaks = core::peaksOf(recording);
    const bool activations = axis == MemoryAxis::activations;
    const auto &held = activations ? peaks.atActivationPeak : peaks.atPeak;
    const std::size_t event = activations ? peaks.activationPeakEvent : peaks.peakEvent;
    summary.bytes = activations ? peaks.activationPeak : peaks.peak;
    for (int c = 0; c < core::kCategoryCount; ++c) {
        const auto category = static_cast<core::Category>(c);
        if (held[static_cast<std::size_t>(c)] > 0 && (!activations || core::isActivation(category)))
            summary.parts.push_back({category, held[static_cast<std::size_t>(c)]});
    }
    if (event >= recording.events.size())
        return summary;
    summary.ns = recording.events[event].ns;
    summary.state = event + 1;
    const std::size_t op = recording.events[event].op;
    if (op < recording.ops.size()) {
        summary.phase = recording.ops[op].phase;
        summary.layer = shape.layerOf(recording.ops[op].stage);
        summary.where = whereText(recording, op, shape);
    }
    return summary;
}

std::vector<Advice> adviceFor(const QString &strategy, const CurveData &curve, MemoryAxis axis, const PeakSummary *peak)
{
    std::vector<Advice> list;
    const CurveMark *own = curve.find(strategy);
    if (!own)
        return list;
    if (own->kind == MarkKind::measured)
        addNoneSentence(list, *own, curve);
    if (own->kind == MarkKind::measured && list.empty())
        addDominated(list, *own, curve);
    if (list.empty())
        addShorterSegments(list, *own, curve, peak);
    addLogits(list, peak);
    if (axis == MemoryAxis::everything)
        addStaticShare(list, peak);
    if (own->kind == MarkKind::measured)
        addPrice(list, *own, curve);
    addSelective(list, *own, curve);
    if (list.size() > 2)
        list.resize(2);
    return list;
}

} // namespace remat::ui
