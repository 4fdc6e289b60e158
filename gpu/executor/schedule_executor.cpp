// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "executor/schedule_executor.h"

#include <ATen/core/grad_mode.h>

#include <optional>

namespace remat::gpu {

using core::Op;
using core::OpKind;

namespace {

class Execution
{
public:
    Execution(const core::Schedule &schedule, const core::Liveness &liveness, const ExecutionContext &context)
        : m_schedule(schedule),
          m_liveness(liveness),
          m_context(context),
          m_boundaries(static_cast<std::size_t>(schedule.stages) + 1),
          m_saved(static_cast<std::size_t>(schedule.stages)),
          m_random(static_cast<std::size_t>(schedule.stages))
    {
        m_boundaries[0] = context.input;
    }

    void run()
    {
        for (m_at = 0; m_at < m_schedule.ops.size(); ++m_at) {
            m_context.listener.opBegins(m_at);
            const at::Tensor product = take(m_schedule.ops[m_at]);
            m_context.listener.opEnds(m_at, product);
        }
    }

private:
    [[nodiscard]] const core::OpFacts &facts() const { return m_liveness.facts[m_at]; }
    [[nodiscard]] at::Tensor &boundary(int i) { return m_boundaries[static_cast<std::size_t>(i)]; }

    at::Tensor take(const Op &op)
    {
        switch (op.kind) {
        case OpKind::forward:
        case OpKind::forwardSave:
            return takeForward(op);
        case OpKind::loss:
            return takeLoss();
        case OpKind::backward:
            return takeBackward(op.stage);
        }
        return {};
    }

    at::Tensor takeForward(const Op &op)
    {
        const auto outer = rewindRandomState(op.stage);
        at::Tensor output;
        if (op.kind == OpKind::forward) {
            const at::AutoGradMode graph(false);
            output = m_context.stages.runStage(op.stage, boundary(op.stage), op.option, false);
        } else {
            const bool noOutput = facts().phantomOutput;
            const auto stage
                = [&](const at::Tensor &x) { return m_context.stages.runStage(op.stage, x, op.option, noOutput); };
            output = forwardSave(stage, boundary(op.stage), op.stage > m_liveness.firstTrainable,
                                 m_saved[static_cast<std::size_t>(op.stage)]);
            if (noOutput)
                output.reset();
        }
        if (outer)
            timed([&] { outer->restore(m_context.device); });
        if (facts().lastReadOfInput)
            boundary(op.stage).reset();
        boundary(op.stage + 1) = output;
        return output;
    }

    /// Saves the state at a stage's first execution; at a later one goes back to it and returns the state to continue with.
    std::optional<RandomState> rewindRandomState(int stage)
    {
        if (!m_context.stages.drawsRandomNumbers(stage))
            return std::nullopt;
        std::optional<RandomState> &first = m_random[static_cast<std::size_t>(stage)];
        if (!facts().recomputation) {
            timed([&] { first = RandomState::of(m_context.device); });
            return std::nullopt;
        }
        if (!m_context.restoreRandomState)
            return std::nullopt;
        std::optional<RandomState> outer;
        timed([&] {
            outer = RandomState::of(m_context.device);
            first->restore(m_context.device);
        });
        return outer;
    }

    template <typename Work>
    void timed(Work work)
    {
        m_context.listener.randomStateBegins();
        work();
        m_context.listener.randomStateEnds();
    }

    at::Tensor takeLoss()
    {
        SavedStage head;
        const auto run = [&](const at::Tensor &x) {
            at::Tensor loss = m_context.stages.runLoss(x);
            m_context.stages.keepLoss(loss);
            return loss;
        };
        {
            // Only the head's graph may hold the last boundary, so that it dies within the backward.
            const at::Tensor last = std::move(boundary(m_schedule.stages));
            boundary(m_schedule.stages).reset();
            static_cast<void>(forwardSave(run, last, true, head));
        }
        m_gradient = backward(std::move(head), at::Tensor(m_context.one), m_context.tick);
        return m_gradient;
    }

    at::Tensor takeBackward(int stage)
    {
        SavedStage saved = std::move(m_saved[static_cast<std::size_t>(stage)]);
        m_gradient = backward(std::move(saved), std::move(m_gradient), m_context.tick);
        m_context.stages.forget(stage);
        return m_gradient;
    }

    const core::Schedule &m_schedule;
    const core::Liveness &m_liveness;
    const ExecutionContext &m_context;
    std::vector<at::Tensor> m_boundaries;
    std::vector<SavedStage> m_saved;
    std::vector<std::optional<RandomState>> m_random;
    at::Tensor m_gradient;
    std::size_t m_at = 0;
};

} // namespace

void execute(const core::Schedule &schedule, const core::Liveness &liveness, const ExecutionContext &context)
{
    Execution(schedule, liveness, context).run();
}

} // namespace remat::gpu
