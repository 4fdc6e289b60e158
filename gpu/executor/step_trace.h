// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stop_token>
#include <vector>

#include "executor/schedule_executor.h"
#include "measure/training_backend.h"
#include "memory/memory_recorder.h"
#include "stages/stage_marks.h"
#include "timing/step_ranges.h"
#include "timing/step_timer.h"

namespace remat::gpu {

/// A cancelled step unwinds with this; it never leaves gpu.
struct StepCancelled
{
};

/// Follows one training step: marks times, tells the recorder which op runs, tags what the ops hand on. With a null
/// recorder only times are taken. Lives for one step, on the executor's thread.
class StepTrace final : public OpListener, public StageListener
{
public:
    /// What is traced and with what; `recorder` and `ranges` may be null.
    struct Parts
    {
        const core::Schedule &schedule;
        const core::Liveness &liveness;
        core::ChainShape shape;
        StepTimer &timer;
        MemoryRecorder *recorder = nullptr;
        RangeMarker *ranges = nullptr;
    };
    StepTrace(const Parts &parts, std::stop_token stop);
    ~StepTrace() override;

    /// Parameters whose gradients are looked for after every backward.
    void watchGradients(const std::vector<at::Tensor> *parameters) { m_parameters = parameters; }

    void begin();
    void beginMicroBatch(int microBatch) { m_microBatch = microBatch; }
    /// A part of the step outside the schedule: "zero", "clip", "optimizer".
    void beginSection(const char *code, core::Phase phase);
    void endSection();
    void end();

    void opBegins(std::size_t op) override;
    void opEnds(std::size_t op, const at::Tensor &product) override;
    void randomStateBegins() override;
    void randomStateEnds() override;
    void rebuildBegins() override;
    void rebuildEnds() override;
    void partBegins(StagePart part) override;
    void partEnds() override;
    void hint(core::Category category) override;

    /// After end(): the records without bytes, and the split.
    [[nodiscard]] std::vector<core::OpRecord> records() const;
    [[nodiscard]] core::StepSplit split() const;
    /// "B8 (backward of layer 3 · feed-forward)": what ran last, for messages.
    [[nodiscard]] std::string current() const;

private:
    using Range = std::pair<std::size_t, std::size_t>; // of marks
    struct Span
    {
        core::OpRecord record;
        std::size_t beginMark = 0;
        std::size_t endMark = 0;
        std::vector<Range> rebuilds;
        std::vector<Range> randomStates;
        std::vector<std::pair<Range, StagePart>> parts;
    };

    std::size_t mark();
    [[nodiscard]] core::Nanoseconds length(const Range &range) const;
    void splitRecomputation(const Span &span, core::StepSplit &split) const;
    void open(core::OpRecord record);
    void pushRange(const core::OpRecord &record);
    void popRange();
    void tagProduct(std::size_t op, const at::Tensor &product);
    void tagGradients();

    const core::Schedule &m_schedule;
    const core::Liveness &m_liveness;
    core::ChainShape m_shape;
    StepTimer &m_timer;
    MemoryRecorder *m_recorder;
    RangeMarker *m_ranges;
    std::vector<core::Stage> m_stages; // for the names of ranges
    bool m_inRange = false;            // of an op or section, on the executor's thread
    std::stop_token m_stop;
    const std::vector<at::Tensor> *m_parameters = nullptr;
    std::vector<bool> m_gradientTagged;
    std::vector<Span> m_spans;
    std::vector<core::Nanoseconds> m_times;
    std::size_t m_marks = 0;
    int m_microBatch = 0;
    int m_partDepth = 0;
    core::Category m_rebuildHint = core::Category::other;
    bool m_lossSeen = false;
};

} // namespace remat::gpu
