// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/fake_backend.h"

#include <algorithm>

#include "schedule/liveness.h"
#include "schedule/simulator.h"
#include "schedule/strategy.h"

namespace remat::tests {

using namespace core;

namespace {

OptionCost option(Bytes saved, Bytes boundary, Bytes gradients, Nanoseconds ns)
{
    OptionCost cost;
    cost.saved = saved;
    cost.forwardSave = {boundary + saved, boundary + saved};
    cost.forwardSavePhantom = {saved, saved};
    cost.backwardFirst = {boundary + gradients, boundary};
    cost.backwardLater = {boundary + gradients, boundary};
    cost.forwardSaveNs = ns;
    cost.phantomNs = ns * 2 / 3;
    cost.backwardNs = 2 * ns;
    return cost;
}

StageCost stage(Bytes boundary, Bytes saved, Bytes gradients, Nanoseconds ns)
{
    StageCost cost;
    cost.output = boundary;
    cost.forward = {2 * boundary, 2 * boundary};
    cost.forwardNs = ns;
    cost.gradientGrowth = gradients;
    cost.options[""] = option(saved, boundary, gradients, ns);
    return cost;
}

class FakeWorkload final : public PreparedWorkload
{
public:
    FakeWorkload(ModelConfig model, Workload workload, std::shared_ptr<FakeBehaviour> behaviour)
        : m_model(std::move(model)),
          m_workload(std::move(workload)),
          m_behaviour(std::move(behaviour)),
          m_costs(fakeCosts(m_model, m_workload))
    {
    }

    Result<void> reset() override
    {
        ++m_behaviour->resets;
        m_steps = 0;
        return {};
    }

    Result<Proof> prove(const Schedule &schedule, bool asReference) override
    {
        ++(asReference ? m_behaviour->references : m_behaviour->proofs);
        if (m_behaviour->onProof)
            m_behaviour->onProof(schedule);
        Proof proof;
        auto outcome = run(schedule, {});
        if (!outcome)
            return outcome.error();
        proof.outcome = *outcome;
        proof.outcome.loss = 5.0;
        if (m_behaviour->wrongGradients && !asReference) {
            proof.differingElements = 3;
            proof.maxAbsDiff = 0.25;
            proof.firstDifference = "layers.0.attention.qkv.weight";
        }
        proof.missingGradients = m_behaviour->missingGradients;
        proof.firstMissing = "layers.0.attention.qkv.lora_a";
        return proof;
    }

    Result<StepOutcome> step(const Schedule &schedule, std::stop_token stop) override
    {
        ++m_behaviour->steps;
        m_behaviour->stepped.push_back(schedule);
        if (m_behaviour->onStep)
            m_behaviour->onStep(schedule);
        auto outcome = run(schedule, stop);
        if (outcome && outcome->status == RunStatus::done)
            ++m_steps;
        else
            m_steps = 0;
        return outcome;
    }

    Result<RecordedStep> recordStep(const Schedule &schedule, std::stop_token stop) override
    {
        ++m_behaviour->records;
        RecordedStep recorded;
        auto outcome = run(schedule, stop);
        if (!outcome)
            return outcome.error();
        recorded.outcome = *outcome;
        recorded.staticBytes = m_costs.staticBytes;
        // As a real engine: without a finished update before it there is no optimizer state, and the bytes differ.
        if (m_steps == 0)
            recorded.staticBytes /= 2;
        record(schedule, recorded);
        return recorded;
    }

    Environment environment() const override
    {
        Environment environment;
        environment.cpu = "fake processor";
        environment.cores = environment.threads = 2;
        environment.deviceName = "fake device";
        environment.budgetKind = "requested bytes";
        environment.budgetBytes = m_behaviour->budget;
        environment.allocator = "fake allocator";
        environment.clockMhz = 1234;
        environment.attentionWhy = m_behaviour->attentionWhy;
        environment.driver = "1.2.3";
        environment.processUsedBytes = 1000;
        return environment;
    }

    MemoryPressure pressure() const override { return m_behaviour->pressure(); }

private:
    Result<StepOutcome> run(const Schedule &schedule, const std::stop_token &stop)
    {
        StepOutcome outcome;
        if (stop.stop_requested()) {
            outcome.status = RunStatus::cancelled;
            return outcome;
        }
        if (m_behaviour->fails && m_behaviour->fails(schedule))
            return Error{ErrorCode::failed, "The engine broke on this schedule."};
        auto simulation = simulate(schedule, m_costs);
        if (!simulation)
            return simulation.error();
        if (m_behaviour->budget > 0 && simulation->peak > m_behaviour->budget) {
            const int op = simulation->ops[static_cast<std::size_t>(simulation->peakIndex)].op;
            outcome.status = RunStatus::doesNotFit;
            outcome.failure = m_behaviour->failure;
            outcome.reason = (op < 0 ? "optimizer" : toString(schedule.ops[static_cast<std::size_t>(op)])) + " needs "
                + std::to_string(simulation->peak - m_behaviour->budget) + " bytes more than the budget.";
            return outcome;
        }
        outcome.loss = 5.0 - 0.125 * m_steps;
        split(schedule, simulation->stepNs, outcome.split);
        outcome.skipped = m_behaviour->skips > 0;
        m_behaviour->skips -= outcome.skipped ? 1 : 0;
        return outcome;
    }

    void split(const Schedule &schedule, Nanoseconds stepNs, StepSplit &split) const
    {
        split.step = stepNs + stepNs * (m_steps % 3) / 200;
        const auto liveness = analyse(schedule, m_costs.firstTrainable);
        for (std::size_t i = 0; liveness && i < schedule.ops.size(); ++i) {
            const Op &op = schedule.ops[i];
            if (op.kind == OpKind::loss) {
                split.loss += m_costs.loss.ns;
                continue;
            }
            const StageCost &cost = m_costs.stages[static_cast<std::size_t>(op.stage)];
            if (op.kind == OpKind::backward)
                addBackward(schedule, op.stage, split);
            else
                (liveness->facts[i].recomputation ? split.recompute : split.forward)
                    += liveness->facts[i].phantomOutput ? cost.options.at("").phantomNs : cost.forwardNs;
        }
        split.recomputeAttention = split.recompute / 2;
        split.recomputeFeedForward = split.recompute / 4;
        split.recomputeNorm = split.recompute / 8;
        split.randomState = split.step / 100;
        split.optimizer = m_costs.optimizerNs;
        split.other = split.step - split.forward - split.recompute - split.backward - split.loss - split.optimizer;
    }

    /// What an option rebuilds is recomputation and no part of the backward.
    void addBackward(const Schedule &schedule, int stage, StepSplit &split) const
    {
        for (const Op &op : schedule.ops) {
            if (op.kind != OpKind::forwardSave || op.stage != stage)
                continue;
            const OptionCost &cost = m_costs.stages[static_cast<std::size_t>(stage)].options.at(op.option);
            split.backward += cost.backwardNs;
            split.recompute += cost.rebuildNs;
        }
    }

    void record(const Schedule &schedule, RecordedStep &recorded) const
    {
        const auto simulation = simulate(schedule, m_costs);
        const auto liveness = analyse(schedule, m_costs.firstTrainable);
        if (!simulation || !liveness)
            return;
        Recording &recording = recorded.recording;
        recording.names = {"fake::alloc", "fake::free"};
        recording.baseline[static_cast<std::size_t>(Category::parameter)] = recorded.staticBytes;
        for (const SimulatedOp &simulated : simulation->ops)
            recordOp(schedule, *liveness, simulated, recording);
    }

    void recordOp(const Schedule &schedule, const Liveness &liveness, const SimulatedOp &simulated,
                  Recording &recording) const
    {
        OpRecord op;
        op.code = "optimizer";
        op.phase = Phase::optimizer;
        if (simulated.op >= 0) {
            const auto index = static_cast<std::size_t>(simulated.op);
            op.code = toString(schedule.ops[index]);
            op.stage = schedule.ops[index].kind == OpKind::loss ? schedule.stages : schedule.ops[index].stage;
            op.phase = phaseOf(schedule.ops[index], liveness.facts[index]);
        }
        op.microBatch = simulated.microBatch;
        op.begin = simulated.begin;
        op.end = simulated.end;
        op.heldBefore = simulated.heldBefore;
        op.peak = simulated.peak;
        op.heldAfter = simulated.heldAfter;
        const auto index = static_cast<std::uint32_t>(recording.ops.size());
        recording.ops.push_back(op);
        const auto emit = [&](Nanoseconds ns, Category category, Bytes bytes) {
            if (bytes == 0)
                return;
            const auto block = static_cast<std::uint32_t>(recording.events.size());
            const auto name = static_cast<std::uint16_t>(bytes > 0 ? 0 : 1);
            recording.events.push_back({ns, bytes, block, index, name, category, op.phase});
        };
        const Bytes gradientsBefore = simulated.heldBefore - simulated.activationBefore;
        const Bytes gradientsPeak = simulated.peak - simulated.activationPeak;
        const Bytes gradientsAfter = simulated.heldAfter - simulated.activationAfter;
        emit(simulated.begin, Category::savedActivation, simulated.activationPeak - simulated.activationBefore);
        emit(simulated.begin, Category::parameterGradient, gradientsPeak - gradientsBefore);
        emit(simulated.end, Category::savedActivation, simulated.activationAfter - simulated.activationPeak);
        emit(simulated.end, Category::parameterGradient, gradientsAfter - gradientsPeak);
    }

    static Phase phaseOf(const Op &op, const OpFacts &facts)
    {
        if (op.kind == OpKind::loss)
            return Phase::loss;
        if (op.kind == OpKind::backward)
            return Phase::backward;
        return facts.recomputation ? Phase::recompute : Phase::forward;
    }

    ModelConfig m_model;
    Workload m_workload;
    std::shared_ptr<FakeBehaviour> m_behaviour;
    ChainCosts m_costs;
    int m_steps = 0;
};

/// Every step away from keep_all rebuilds an eighth of the saved bytes and costs a ninth of the forward's time.
void addOption(StageCost &stage, const std::string &id, int steps)
{
    OptionCost cost = stage.options.at("");
    cost.saved -= cost.saved / 8 * steps;
    cost.forwardSavePhantom = {cost.saved, cost.saved};
    cost.rebuildNs = stage.forwardNs / 9 * steps;
    for (Transient *transient : {&cost.backwardFirst, &cost.backwardLater}) {
        transient->total += stage.output / 4;
        transient->activation += stage.output / 4;
    }
    stage.options[id] = cost;
}

int stepsOf(StageKind half, const std::string &id)
{
    const auto &ids = optionIds(half);
    return id.empty() ? 0 : int(std::find(ids.begin(), ids.end(), id) - ids.begin());
}

std::vector<std::string> allOptions(const ChainShape &shape)
{
    std::vector<std::string> ids;
    for (const std::string_view attention : optionIds(StageKind::attention))
        for (const std::string_view feedForward : optionIds(StageKind::feedForward)) {
            StageOptions options;
            options.attention = attention == "keep_all" ? "" : attention;
            options.feedForward = feedForward == "keep_all" ? "" : feedForward;
            for (const StageKind kind : {StageKind::attention, StageKind::feedForward, StageKind::block})
                if (options.any() && (kind == StageKind::block) == (shape.stagesPerLayer == 1))
                    ids.push_back(options.idFor(kind));
        }
    return ids;
}

void addOptions(ChainCosts &costs, const ChainShape &shape, const std::vector<std::string> &ids)
{
    for (int stage = 0; stage < shape.stages(); ++stage) {
        const StageKind kind = shape.kindOf(stage);
        for (const std::string &id : ids) {
            const auto options = stageOptionsFrom(id);
            if (!options || options->idFor(kind).empty() || (kind == StageKind::block && options->idFor(kind) != id))
                continue;
            const int steps = (kind == StageKind::feedForward ? 0 : stepsOf(StageKind::attention, options->attention))
                + (kind == StageKind::attention ? 0 : stepsOf(StageKind::feedForward, options->feedForward));
            addOption(costs.stages[std::size_t(stage)], options->idFor(kind), steps);
        }
    }
}

void addBlock(ChainCosts &costs, const ModelConfig &model, Bytes boundary, Nanoseconds ns)
{
    const Bytes weights = model.width * model.width * 4;
    if (model.parallelResidual)
        return costs.stages.push_back(stage(boundary, 12 * boundary, 12 * weights, 3 * ns));
    costs.stages.push_back(stage(boundary, 5 * boundary, 4 * weights, ns));
    costs.stages.push_back(stage(boundary, 8 * boundary, 8 * weights, 2 * ns));
}

} // namespace

ChainCosts fakeCosts(const ModelConfig &model, const Workload &workload)
{
    return fakeCosts(model, workload, allOptions(chainShape(model)));
}

ChainCosts fakeCosts(const ModelConfig &model, const Workload &workload, const std::vector<std::string> &options)
{
    ChainCosts costs;
    const ChainShape shape = chainShape(model, workload);
    const Bytes boundary = workload.batch * workload.seq * model.width * 4;
    const Bytes weights = model.width * model.width * 4;
    const Nanoseconds ns = 1'000 * workload.batch * workload.seq;
    costs.firstTrainable = shape.firstTrainable;
    costs.stages.push_back(stage(boundary, 0, model.vocabulary * model.width * 4, ns / 10));
    for (int layer = 0; layer < model.layers; ++layer)
        addBlock(costs, model, boundary, ns);
    costs.stages.push_back(stage(boundary, boundary / 2, model.width * 4, ns / 10));
    addOptions(costs, shape, options);
    for (int stage = 0; stage < shape.firstTrainable; ++stage)
        costs.stages[std::size_t(stage)].gradientGrowth = 0;
    const Bytes logits = workload.batch * workload.seq * model.vocabulary * 4;
    costs.loss.first = costs.loss.later = {2 * logits + boundary, 2 * logits + boundary};
    costs.loss.ns = ns;
    costs.staticBytes = workload.batch * workload.seq * 8
        + 3 * (12 * weights * model.layers + 2 * model.vocabulary * model.width * 4);
    costs.optimizerNs = ns / 2;
    costs.otherNs = ns / 20;
    costs.microBatches = workload.microBatches;
    costs.gradientsKept = workload.gradients == GradientRule::kept;
    return costs;
}

ModelConfig tinyModel(int layers)
{
    ModelConfig model;
    model.name = "tiny";
    model.family = "nanogpt";
    model.layers = layers;
    model.width = 8;
    model.heads = model.kvHeads = 2;
    model.headSize = 4;
    model.ffnWidth = 32;
    model.vocabulary = 16;
    model.positions = 64;
    model.tiedHead = true;
    return model;
}

FakeBackend::FakeBackend(std::shared_ptr<FakeBehaviour> behaviour) : m_behaviour(std::move(behaviour)) { }

std::vector<DeviceInfo> FakeBackend::devices()
{
    return {{"cpu", "fake processor", 1 << 30, 1 << 29, true, ""},
            {"cuda:0", "fake GPU", 0, 0, false, "there is no driver"}};
}

Result<ChainCosts> FakeBackend::probe(const ModelConfig &model, const Workload &workload,
                                      const std::vector<std::string> &options, std::stop_token stop)
{
    ++m_behaviour->probes;
    m_behaviour->probedOptions = options;
    if (stop.stop_requested())
        return Error{ErrorCode::cancelled, "The probe was cancelled."};
    if (m_behaviour->probeDoesNotFit)
        return Error{ErrorCode::doesNotFit, "Not even one block fits."};
    return fakeCosts(model, workload, options);
}

Result<std::unique_ptr<PreparedWorkload>> FakeBackend::prepare(const ModelConfig &model, const Workload &workload)
{
    ++m_behaviour->prepares;
    if (!m_behaviour->failWith.empty())
        return Error{ErrorCode::failed, m_behaviour->failWith};
    const Bytes needed = fakeCosts(model, workload).staticBytes;
    if (m_behaviour->budget > 0 && needed > m_behaviour->budget)
        return Error{ErrorCode::doesNotFit, "The parameters alone do not fit into the budget."};
    return std::unique_ptr<PreparedWorkload>(std::make_unique<FakeWorkload>(model, workload, m_behaviour));
}

} // namespace remat::tests
