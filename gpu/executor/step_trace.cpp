// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "executor/step_trace.h"

#include <algorithm>
#include <utility>

namespace remat::gpu {

using core::Category;
using core::OpKind;
using core::OpRecord;
using core::Phase;

namespace {

const void *storageOf(const at::Tensor &tensor)
{
    return tensor.defined() && tensor.has_storage() ? tensor.storage().data() : nullptr;
}

/// What the boundary that an op made is for.
Category boundaryCategory(const core::OpFacts &facts, bool afterLoss)
{
    if (facts.outputKept)
        return Category::boundary;
    if (!facts.outputSurvivesNext)
        return Category::temporary;
    return facts.recomputation || afterLoss ? Category::recomputedActivation : Category::savedActivation;
}

} // namespace

StepTrace::StepTrace(const Parts &parts, std::stop_token stop)
    : m_schedule(parts.schedule),
      m_liveness(parts.liveness),
      m_shape(parts.shape),
      m_timer(parts.timer),
      m_recorder(parts.recorder),
      m_ranges(parts.ranges),
      m_stop(std::move(stop))
{
    if (m_ranges)
        m_stages = core::stagesOf(m_shape);
    setStageListener(this);
}

StepTrace::~StepTrace()
{
    setStageListener(nullptr);
    popRange(); // of an op that failed
    if (m_recorder)
        m_recorder->stop();
}

void StepTrace::begin()
{
    if (m_parameters) {
        m_gradientTagged.assign(m_parameters->size(), false);
        for (std::size_t i = 0; i < m_parameters->size(); ++i)
            m_gradientTagged[i] = (*m_parameters)[i].grad().defined(); // kept ones carry their tag already
    }
    m_timer.start();
    if (m_recorder)
        m_recorder->start();
    mark();
}

std::size_t StepTrace::mark()
{
    m_timer.mark();
    return m_marks++;
}

void StepTrace::open(OpRecord record)
{
    if (m_stop.stop_requested())
        throw StepCancelled();
    record.microBatch = m_microBatch;
    pushRange(record);
    m_inRange = m_ranges != nullptr;
    if (m_recorder)
        m_recorder->setOp(static_cast<std::uint32_t>(m_spans.size()), record.phase);
    Span span;
    span.record = std::move(record);
    span.beginMark = mark();
    m_spans.push_back(std::move(span));
}

void StepTrace::pushRange(const OpRecord &record)
{
    if (m_ranges)
        m_ranges->push(rangeName(m_stages, record));
}

void StepTrace::popRange()
{
    if (std::exchange(m_inRange, false))
        m_ranges->pop();
}

void StepTrace::beginSection(const char *code, Phase phase)
{
    OpRecord record;
    record.code = code;
    record.phase = phase;
    open(std::move(record));
}

void StepTrace::endSection()
{
    m_spans.back().endMark = mark();
    popRange();
}

void StepTrace::end()
{
    mark();
    if (m_recorder)
        m_recorder->stop();
    m_times = m_timer.read();
}

void StepTrace::opBegins(std::size_t op)
{
    const core::Op &what = m_schedule.ops[op];
    OpRecord record;
    record.code = core::toString(what);
    record.stage = what.kind == OpKind::loss ? m_schedule.stages : what.stage;
    switch (what.kind) {
    case OpKind::forward:
    case OpKind::forwardSave:
        record.phase = m_liveness.facts[op].recomputation ? Phase::recompute : Phase::forward;
        break;
    case OpKind::loss:
        record.phase = Phase::loss;
        break;
    case OpKind::backward:
        record.phase = Phase::backward;
        break;
    }
    if (op == 0)
        m_lossSeen = false;
    open(std::move(record));
}

void StepTrace::opEnds(std::size_t op, const at::Tensor &product)
{
    if (m_recorder)
        m_timer.waitForDevice();
    m_spans.back().endMark = mark();
    m_lossSeen = m_lossSeen || m_schedule.ops[op].kind == OpKind::loss;
    popRange();
    if (m_recorder)
        tagProduct(op, product);
}

void StepTrace::tagProduct(std::size_t op, const at::Tensor &product)
{
    const OpKind kind = m_schedule.ops[op].kind;
    const bool forward = kind == OpKind::forward || kind == OpKind::forwardSave;
    if (const void *data = storageOf(product))
        m_recorder->tag(data,
                        forward ? boundaryCategory(m_liveness.facts[op], m_lossSeen) : Category::activationGradient);
    if (!forward)
        tagGradients();
}

void StepTrace::tagGradients()
{
    if (!m_parameters)
        return;
    for (std::size_t i = 0; i < m_parameters->size(); ++i) {
        if (m_gradientTagged[i])
            continue;
        const at::Tensor &gradient = (*m_parameters)[i].grad();
        if (!gradient.defined())
            continue;
        m_recorder->tag(storageOf(gradient), Category::parameterGradient);
        m_gradientTagged[i] = true;
    }
}

void StepTrace::randomStateBegins()
{
    m_spans.back().randomStates.emplace_back(mark(), 0);
}

void StepTrace::randomStateEnds()
{
    m_spans.back().randomStates.back().second = mark();
}

/// Only the outermost counts: the norm of queries is attention.
void StepTrace::partBegins(StagePart part)
{
    if (!m_spans.empty() && m_partDepth++ == 0)
        m_spans.back().parts.emplace_back(Range(mark(), 0), part);
}

void StepTrace::partEnds()
{
    if (!m_spans.empty() && --m_partDepth == 0)
        m_spans.back().parts.back().first.second = mark();
}

void StepTrace::hint(Category category)
{
    if (!m_recorder)
        return;
    m_recorder->setHint(category == Category::other ? m_rebuildHint : category);
}

void StepTrace::rebuildBegins()
{
    if (m_spans.empty())
        return;
    if (m_recorder) {
        m_recorder->setOp(static_cast<std::uint32_t>(m_spans.size() - 1), Phase::recompute);
        m_rebuildHint = Category::recomputedActivation;
        m_recorder->setHint(m_rebuildHint);
    }
    if (m_ranges) {
        OpRecord again = m_spans.back().record;
        again.phase = Phase::recompute;
        pushRange(again);
    }
    m_spans.back().rebuilds.emplace_back(mark(), 0);
}

void StepTrace::rebuildEnds()
{
    if (m_spans.empty())
        return;
    m_spans.back().rebuilds.back().second = mark();
    if (m_ranges)
        m_ranges->pop();
    if (m_recorder) {
        m_recorder->setOp(static_cast<std::uint32_t>(m_spans.size() - 1), m_spans.back().record.phase);
        m_rebuildHint = Category::other;
        m_recorder->setHint(Category::other);
    }
}

core::Nanoseconds StepTrace::length(const Range &range) const
{
    return m_times[range.second] - m_times[range.first];
}

std::vector<OpRecord> StepTrace::records() const
{
    std::vector<OpRecord> records;
    records.reserve(m_spans.size());
    for (const Span &span : m_spans) {
        OpRecord record = span.record;
        record.begin = m_times[span.beginMark];
        record.end = m_times[span.endMark];
        for (const Range &range : span.rebuilds)
            record.rebuildNs += length(range);
        records.push_back(std::move(record));
    }
    return records;
}

/// What an op runs again, by part; where no part is marked it belongs to the stage's half.
void StepTrace::splitRecomputation(const Span &span, core::StepSplit &split) const
{
    std::vector<Range> again = span.rebuilds;
    if (span.record.phase == Phase::recompute)
        again = {{span.beginMark, span.endMark}};
    core::Nanoseconds rest = 0;
    for (const Range &range : again)
        rest += length(range);
    for (const auto &[range, part] : span.parts) {
        const auto contains = [&, inner = range](const Range &outer) {
            return outer.first <= inner.first && inner.second <= outer.second;
        };
        if (std::none_of(again.begin(), again.end(), contains))
            continue;
        core::Nanoseconds &target = part == StagePart::norm ? split.recomputeNorm
            : part == StagePart::attention                  ? split.recomputeAttention
                                                            : split.recomputeFeedForward;
        target += length(range);
        rest -= length(range);
    }
    switch (m_shape.kindOf(span.record.stage)) {
    case core::StageKind::attention:
    case core::StageKind::block:
        split.recomputeAttention += rest;
        break;
    case core::StageKind::feedForward:
        split.recomputeFeedForward += rest;
        break;
    case core::StageKind::finalNorm:
        split.recomputeNorm += rest;
        break;
    case core::StageKind::embedding:
        break;
    }
}

core::StepSplit StepTrace::split() const
{
    core::StepSplit split;
    split.step = m_times.back();
    for (const OpRecord &record : records()) {
        const core::Nanoseconds ns = record.end - record.begin;
        split.recompute += record.rebuildNs;
        switch (record.phase) {
        case Phase::forward:
            split.forward += ns;
            break;
        case Phase::recompute:
            split.recompute += ns;
            break;
        case Phase::backward:
            split.backward += ns - record.rebuildNs;
            break;
        case Phase::loss:
            split.loss += ns - record.rebuildNs;
            break;
        case Phase::optimizer:
            split.optimizer += ns;
            break;
        case Phase::other:
            break;
        }
    }
    for (const Span &span : m_spans) {
        for (const Range &range : span.randomStates)
            split.randomState += length(range);
        if (span.record.stage >= 0 && span.record.stage < m_shape.stages())
            splitRecomputation(span, split);
    }
    split.other = split.step - split.forward - split.recompute - split.backward - split.loss - split.optimizer;
    return split;
}

std::string StepTrace::current() const
{
    if (m_spans.empty())
        return "the start of the step";
    const OpRecord &record = m_spans.back().record;
    return record.code + " (" + std::string(core::toString(record.phase)) + ")";
}

} // namespace remat::gpu
