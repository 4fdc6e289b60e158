// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/step_run.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "formula/state_formula.h"
#include "model/static_memory.h"

namespace remat::core::formula {

/// gpu/executor/schedule_executor.cpp without values.
class StepRun::Execution
{
public:
    Execution(SizeModel &model, const Schedule &schedule, const Liveness &liveness)
        : m_model(model),
          m_schedule(schedule),
          m_liveness(liveness),
          m_boundaries(static_cast<std::size_t>(schedule.stages) + 1),
          m_saved(static_cast<std::size_t>(schedule.stages))
    {
        m_boundaries[0] = model.input();
    }

    void take(std::size_t at)
    {
        const Op &op = m_schedule.ops[at];
        const OpFacts &facts = m_liveness.facts[at];
        switch (op.kind) {
        case OpKind::forward:
        case OpKind::forwardSave:
            return takeForward(op, facts);
        case OpKind::loss:
            return takeLoss();
        case OpKind::backward: {
            SavedGraph saved = std::move(m_saved[static_cast<std::size_t>(op.stage)]);
            m_gradient = backward(std::move(saved), std::move(m_gradient));
            m_model.forget(op.stage);
        }
        }
    }

private:
    [[nodiscard]] Tensor &boundary(int i) { return m_boundaries[static_cast<std::size_t>(i)]; }

    void takeForward(const Op &op, const OpFacts &facts)
    {
        Tensor output;
        if (op.kind == OpKind::forward) {
            output = m_model.runStage(op.stage, boundary(op.stage), op.option, false);
        } else {
            const bool noOutput = facts.phantomOutput;
            const auto stage = [&](const Tensor &x) { return m_model.runStage(op.stage, x, op.option, noOutput); };
            output = forwardSave(stage, boundary(op.stage), op.stage > m_liveness.firstTrainable,
                                 m_saved[static_cast<std::size_t>(op.stage)]);
            if (noOutput)
                output.reset();
        }
        if (facts.lastReadOfInput)
            boundary(op.stage).reset();
        boundary(op.stage + 1) = output;
    }

    void takeLoss()
    {
        SavedGraph head;
        {
            const Tensor last = std::move(boundary(m_schedule.stages));
            boundary(m_schedule.stages).reset();
            static_cast<void>(forwardSave([&](const Tensor &x) { return m_model.runLoss(x); }, last, true, head));
        }
        m_gradient = backward(std::move(head), Tensor(m_model.one()));
    }

    SizeModel &m_model;
    const Schedule &m_schedule;
    const Liveness &m_liveness;
    std::vector<Tensor> m_boundaries;
    std::vector<SavedGraph> m_saved;
    Tensor m_gradient;
};

StepRun::StepRun(const ModelConfig &model, const Workload &workload, const Schedule &schedule)
    : m_tape(workload.threads, !workload.device.starts_with("cuda"))
{
    SizeModel sizes(model, workload, m_tape);
    const auto liveness = analyse(schedule, sizes.shape().firstTrainable);
    assert(liveness && "the lists are fixed");
    if (workload.updateInBackward)
        for (const Tensor &parameter : sizes.trained())
            parameter.data().leaf->afterAccumulation = [this, &workload](Leaf &leaf) {
                updateScratch(m_tape, workload, leaf.gradient);
                leaf.gradient.reset();
            };
    const bool kept = workload.gradients == GradientRule::kept;
    for (int step = kept ? 0 : 1; step < 2; ++step) {
        m_ops.clear();
        for (int microBatch = 0; microBatch < workload.microBatches; ++microBatch) {
            Execution execution(sizes, schedule, *liveness);
            for (std::size_t at = 0; at < schedule.ops.size(); ++at) {
                section(toString(schedule.ops[at]), [&] { execution.take(at); });
                m_ops.back().stage = schedule.ops[at].stage;
                m_ops.back().microBatch = microBatch;
            }
        }
        closing(sizes, workload);
    }
    measure();
}

void StepRun::section(const std::string &code, const std::function<void()> &work)
{
    OpAccount account;
    account.code = code;
    account.firstEvent = m_tape.events().size();
    const WorkAmount before = m_tape.work();
    const WorkAmount rebuiltBefore = m_tape.rebuilt();
    work();
    account.endEvent = m_tape.events().size();
    account.work = m_tape.work() - before;
    account.rebuilt = m_tape.rebuilt() - rebuiltBefore;
    m_ops.push_back(std::move(account));
}

void StepRun::closing(SizeModel &model, const Workload &workload)
{
    if (needsLossScale(workload.dtype))
        section("unscale", [&] { unscaleScratch(m_tape); });
    if (workload.clip > 0)
        section("clip", [&] { clipScratch(m_tape, model.trained()); });
    section("optimizer", [&] {
        if (!workload.updateInBackward)
            stepScratch(m_tape, workload, model.trained());
        if (workload.gradients == GradientRule::freed)
            model.dropGradients();
    });
    for (OpAccount &account : m_ops)
        if (account.stage < 0 && account.code != "L")
            account.microBatch = workload.microBatches - 1;
}

/// Blocks get their kind when the step is over: one that became a parameter's gradient was one from the start.
void StepRun::measure()
{
    for (OpAccount &account : m_ops) {
        Bytes total = 0;
        Bytes activation = 0;
        for (std::size_t i = account.firstEvent; i < account.endEvent; ++i) {
            const Tape::Event &event = m_tape.events()[i];
            total += event.bytes;
            activation += m_tape.isGradient(event.block) ? 0 : event.bytes;
            account.totalPeak = std::max(account.totalPeak, total);
            account.activationPeak = std::max(account.activationPeak, activation);
        }
        account.totalAfter = total;
        account.activationAfter = activation;
    }
}

const OpAccount &StepRun::memory(const std::string &code, int microBatch) const
{
    const auto found = std::find_if(m_ops.begin(), m_ops.end(), [&](const OpAccount &account) {
        return account.code == code && account.microBatch == microBatch;
    });
    assert(found != m_ops.end() && "the lists are fixed");
    return *found;
}

bool StepRun::releasesInput(const std::string &code) const
{
    const OpAccount &reader = memory(code, 0);
    const std::string maker = "F" + std::to_string(reader.stage - 1);
    auto made = static_cast<std::size_t>(&reader - m_ops.data());
    while (made > 0 && m_ops[made].code != maker)
        --made;
    std::set<std::uint32_t> products;
    const auto &events = m_tape.events();
    for (std::size_t i = m_ops[made].firstEvent; i < m_ops[made].endEvent; ++i) {
        if (events[i].bytes > 0)
            products.insert(events[i].block);
        else
            products.erase(events[i].block);
    }
    for (std::size_t i = reader.firstEvent; i < reader.endEvent; ++i)
        if (events[i].bytes < 0 && products.contains(events[i].block))
            return true;
    return false;
}

} // namespace remat::core::formula
