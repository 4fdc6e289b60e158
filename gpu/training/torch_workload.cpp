// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/torch_workload.h"

#include <ATen/core/grad_mode.h>

#include <chrono>
#include <utility>

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include "memory/free_space.h"
#include "memory/recording_builder.h"
#include "model/static_memory.h"
#include "torch_guard.h"

namespace remat::gpu {

using core::Category;
using core::Error;
using core::Phase;
using core::Result;

namespace {

/// "Out of memory in E4 (recompute): asked for …. The allocator had …": what, where, how much, and why it was too little.
std::string outOfMemoryReason(const StepTrace &trace, const std::string &message, const core::AllocatorState &state)
{
    return "Out of memory in " + trace.current() + ": " + message + "." + freeSpaceText(state);
}

} // namespace

TorchWorkload::TorchWorkload(core::ModelConfig model, core::Workload workload, DeviceParts &parts)
    : m_config(std::move(model)), m_workload(std::move(workload)), m_parts(parts)
{
}

TorchWorkload::~TorchWorkload() = default;

Result<std::unique_ptr<TorchWorkload>> TorchWorkload::make(const core::ModelConfig &model,
                                                           const core::Workload &workload, DeviceParts &parts)
{
    using Made = std::unique_ptr<TorchWorkload>;
    return contained<Made>("The model", [&]() -> Result<Made> {
        Made made(new TorchWorkload(model, workload, parts));
        MemoryRecorder &recorder = parts.recorder();
        recorder.setBudget(workload.memoryBudget);
        static_cast<void>(recorder.takeFailure());
        Result<void> failure;
        auto built = guardedResult("The model", [&] {
            recorder.setHint(Category::input);
            auto batches = BatchSource::open(workload, model, parts.device());
            if (!batches) {
                failure = batches.error();
                return;
            }
            made->build(std::move(*batches));
        });
        recorder.setHint(Category::other);
        if (!failure)
            return failure.error();
        if (!built)
            return Error{built.error().code, built.error().message + freeSpaceText(recorder.takeFailure())};
        return made;
    });
}

void TorchWorkload::build(BatchSource &&batches)
{
    m_batches = std::make_unique<BatchSource>(std::move(batches));
    m_parts.recorder().setHint(Category::parameter);
    m_parameters = std::make_unique<ParameterStore>(m_config, m_workload, m_parts.device());
    m_parts.recorder().setHint(Category::constant);
    m_model = std::make_unique<TransformerModel>(m_config, m_workload, *m_parameters, m_parts.device());
    m_optimizer = std::make_unique<Optimizer>(m_workload, m_parameters->trainable(), m_model->one());
    if (m_workload.updateInBackward)
        hookUpdates();
    seedGenerator(m_parts.device(), m_workload.seed);
}

/// Each parameter is updated where its gradient is complete, and the gradient goes at once.
class TorchWorkload::UpdateHook final : public torch::autograd::PostAccumulateGradHook
{
public:
    UpdateHook(TorchWorkload &owner, std::size_t parameter) : m_owner(owner), m_parameter(parameter) { }
    void operator()(const torch::autograd::Variable &) override
    {
        if (!m_owner.m_updates)
            return;
        const at::Tensor &gradient = m_owner.m_optimizer->parameters()[m_parameter].grad();
        if (!gradient.defined())
            return; // a node that rebuilds hands on nothing here and the gradient elsewhere
        m_owner.m_parts.recorder().tag(gradient.storage().data(), Category::parameterGradient);
        m_owner.m_optimizer->updateAlone(m_parameter);
    }

private:
    TorchWorkload &m_owner;
    std::size_t m_parameter;
};

void TorchWorkload::hookUpdates()
{
    const auto &parameters = m_optimizer->parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i)
        torch::autograd::impl::set_post_acc_grad_hooks(parameters[i], std::make_unique<UpdateHook>(*this, i));
}

core::ChainShape TorchWorkload::shape() const
{
    return core::chainShape(m_config, m_workload);
}

Result<void> TorchWorkload::reset()
{
    return guardedResult("Resetting the model", [&] {
        dropGradients();
        m_optimizer->reset();
        m_parameters->initialise();
        seedGenerator(m_parts.device(), m_workload.seed);
        m_steps = 0;
    });
}

void TorchWorkload::dropGradients()
{
    for (at::Tensor parameter : m_parameters->tensors())
        parameter.mutable_grad().reset();
}

/// Leaves nothing of a step that failed. Throws where the device is lost: a CUDA error stays for the rest of the process.
void TorchWorkload::cleanUp(const RandomState &before)
{
    if (std::exchange(m_updates, false)) {
        // Some parameters are updated and others are not: back to the start, with the steps that follow.
        m_optimizer->reset();
        m_parameters->initialise();
    }
    m_model->forgetAll();
    m_parts.recorder().setHint(Category::other);
    dropGradients();
    dropUnfinishedBackward(m_model->tick());
    before.restore(m_parts.device());
}

Result<core::StepOutcome> TorchWorkload::attempt(StepTrace &trace, const std::function<void()> &work)
{
    const RandomState before = RandomState::of(m_parts.device());
    static_cast<void>(m_parts.recorder().takeFailure()); // one that LibTorch got over
    const Guarded result = guarded(work);
    core::StepOutcome outcome;
    if (result.end == Guarded::End::done) {
        outcome.split = trace.split();
        outcome.loss = m_model->lastLoss();
        outcome.skipped = m_optimizer->skippedLast();
        return outcome;
    }
    const Guarded cleaned = guarded([&] { cleanUp(before); });
    if (cleaned.end != Guarded::End::done)
        return Error{core::ErrorCode::failed,
                     "LibTorch failed in " + trace.current() + ": " + result.message
                         + ". The device cannot be used any more in this process (" + cleaned.message
                         + "); measure the rest in a new one."};
    switch (result.end) {
    case Guarded::End::outOfMemory:
        outcome.status = core::RunStatus::doesNotFit;
        outcome.failure = m_parts.recorder().takeFailure();
        outcome.reason = outOfMemoryReason(trace, result.message, outcome.failure);
        return outcome;
    case Guarded::End::cancelled:
        outcome.status = core::RunStatus::cancelled;
        outcome.reason = "Cancelled in " + trace.current() + ".";
        return outcome;
    default:
        return Error{core::ErrorCode::failed, "LibTorch failed in " + trace.current() + ": " + result.message + "."};
    }
}

void TorchWorkload::forwardBackward(const core::Schedule &schedule, const core::Liveness &liveness, StepTrace &trace)
{
    StageProvider &stages = m_wrapper ? *m_wrapper : *m_model;
    for (int microBatch = 0; microBatch < m_workload.microBatches; ++microBatch) {
        trace.beginMicroBatch(microBatch);
        m_model->setTargets(m_batches->targets(microBatch), microBatch);
        execute(schedule, liveness,
                {stages, trace, m_batches->inputs(microBatch), m_model->tick(), m_model->one(), m_parts.device(),
                 m_restoreRandomState});
    }
}

void TorchWorkload::wholeStep(const core::Schedule &schedule, const core::Liveness &liveness, StepTrace &trace)
{
    trace.begin();
    if (m_workload.gradients == core::GradientRule::kept) {
        trace.beginSection("zero", Phase::other);
        const at::NoGradGuard noGraph;
        for (const at::Tensor &parameter : m_parameters->tensors())
            if (at::Tensor gradient = parameter.grad(); gradient.defined())
                gradient.zero_();
        trace.endSection();
    }
    if (m_workload.updateInBackward)
        createOptimizerState();
    m_updates = m_workload.updateInBackward;
    forwardBackward(schedule, liveness, trace);
    m_updates = false;
    if (core::needsLossScale(m_workload.dtype)) {
        trace.beginSection("unscale", Phase::optimizer);
        m_optimizer->unscale();
        trace.endSection();
    }
    if (m_workload.clip > 0) {
        trace.beginSection("clip", Phase::optimizer);
        m_optimizer->clip();
        trace.endSection();
    }
    trace.beginSection("optimizer", Phase::optimizer);
    if (!m_workload.updateInBackward) {
        createOptimizerState();
        m_optimizer->step();
    }
    if (m_workload.gradients == core::GradientRule::freed)
        dropGradients();
    trace.endSection();
    trace.end();
    m_parts.synchronise();
}

void TorchWorkload::createOptimizerState()
{
    m_parts.recorder().setHint(Category::optimizerState);
    m_optimizer->createState();
    m_parts.recorder().setHint(Category::other);
}

/// A trained parameter without a gradient would silently stay as it is.
void TorchWorkload::countMissing(core::Proof &proof) const
{
    const auto &inventory = m_parameters->inventory();
    for (std::size_t i = 0; i < inventory.size(); ++i) {
        if (!inventory[i].trainable || m_parameters->tensors()[i].grad().defined())
            continue;
        if (proof.missingGradients++ == 0)
            proof.firstMissing = inventory[i].name;
    }
}

Result<core::Proof> TorchWorkload::prove(const core::Schedule &schedule, bool asReference)
{
    return contained<core::Proof>("The proof", [&] { return proveOnce(schedule, asReference); });
}

Result<core::StepOutcome> TorchWorkload::step(const core::Schedule &schedule, std::stop_token stop)
{
    return contained<core::StepOutcome>("The step", [&] { return stepOnce(schedule, std::move(stop)); });
}

Result<core::RecordedStep> TorchWorkload::recordStep(const core::Schedule &schedule, std::stop_token stop)
{
    return contained<core::RecordedStep>("The recorded step", [&] { return recordOnce(schedule, std::move(stop)); });
}

Result<core::Proof> TorchWorkload::proveOnce(const core::Schedule &schedule, bool asReference)
{
    const auto liveness = core::analyse(schedule, shape().firstTrainable);
    if (!liveness)
        return liveness.error();
    StepTrace trace({schedule, *liveness, shape(), m_parts.timer(), nullptr, m_parts.ranges()}, {});
    const RandomState outer = RandomState::of(m_parts.device());
    core::Proof proof;
    const auto outcome = attempt(trace, [&] {
        m_batches->fill(0);
        seedGenerator(m_parts.device(), m_workload.seed + 1);
        trace.begin();
        forwardBackward(schedule, *liveness, trace);
        trace.end();
        if (asReference)
            m_reference.keep(m_parameters->tensors(), m_model->lastLoss());
    });
    if (!outcome)
        return outcome.error();
    proof.outcome = *outcome;
    if (proof.outcome.status == core::RunStatus::done)
        countMissing(proof);
    if (proof.outcome.status == core::RunStatus::done && !m_reference.empty()) {
        std::vector<std::string> names;
        for (const core::Parameter &parameter : m_parameters->inventory())
            names.push_back(parameter.name);
        const Difference difference = m_reference.compare(m_parameters->tensors(), m_model->lastLoss(), names);
        proof.differingElements = difference.elements;
        proof.maxAbsDiff = difference.largest;
        proof.firstDifference = difference.first;
    }
    dropGradients();
    outer.restore(m_parts.device());
    return proof;
}

Result<core::StepOutcome> TorchWorkload::stepOnce(const core::Schedule &schedule, std::stop_token stop)
{
    const auto liveness = core::analyse(schedule, shape().firstTrainable);
    if (!liveness)
        return liveness.error();
    m_batches->fill(m_steps);
    StepTrace trace({schedule, *liveness, shape(), m_parts.timer(), nullptr, m_parts.ranges()}, std::move(stop));
    auto outcome = attempt(trace, [&] { wholeStep(schedule, *liveness, trace); });
    if (outcome && outcome->status == core::RunStatus::done) {
        ++m_steps;
        m_lastRecords = trace.records();
    }
    return outcome;
}

void TorchWorkload::declareBlocks(MemoryRecorder &recorder) const
{
    const auto declare = [&](const at::Tensor &tensor, Category category) {
        if (tensor.defined() && tensor.has_storage())
            recorder.declare(tensor.storage().data(), static_cast<core::Bytes>(tensor.storage().nbytes()), category);
    };
    for (const at::Tensor &parameter : m_parameters->tensors()) {
        declare(parameter, Category::parameter);
        declare(parameter.grad(), Category::parameterGradient);
    }
    for (const at::Tensor &state : m_optimizer->state())
        declare(state, Category::optimizerState);
    for (const at::Tensor &constant : m_model->constants())
        declare(constant, Category::constant);
    for (int i = 0; i < m_workload.microBatches; ++i) {
        declare(m_batches->inputs(i), Category::input);
        declare(m_batches->targets(i), Category::input);
    }
}

Result<core::RecordedStep> TorchWorkload::recordOnce(const core::Schedule &schedule, std::stop_token stop)
{
    const auto liveness = core::analyse(schedule, shape().firstTrainable);
    if (!liveness)
        return liveness.error();
    m_batches->fill(m_steps);
    m_parts.settle();
    MemoryRecorder &recorder = m_parts.recorder();
    declareBlocks(recorder);
    core::RecordedStep recorded;
    recorded.staticBytes = recorder.held();
    const auto baseline = recorder.heldByCategory();
    StepTrace trace({schedule, *liveness, shape(), m_parts.timer(), &recorder, m_parts.ranges()}, std::move(stop));
    trace.watchGradients(&m_parameters->tensors());
    const core::Nanoseconds begin = std::chrono::steady_clock::now().time_since_epoch().count();
    auto outcome = attempt(trace, [&] { wholeStep(schedule, *liveness, trace); });
    if (!outcome)
        return outcome.error();
    recorded.outcome = *outcome;
    if (recorded.outcome.status != core::RunStatus::done)
        return recorded;
    ++m_steps;
    if (recorder.log().overflowed())
        return Error{core::ErrorCode::failed,
                     "The step made more memory events than a recording can hold ("
                         + std::to_string(recorder.log().size()) + "); record fewer layers or micro-batches."};
    recorded.recording = buildRecording(recorder.log(), trace.records(), baseline, begin);
    recorded.recording.names = recorder.names();
    recorded.recording.synchronised = !m_parts.device().is_cpu();
    recorded.allocatedPeakBytes = recorder.allocatorPeaks().allocated;
    recorded.reservedPeakBytes = recorder.allocatorPeaks().reserved;
    return recorded;
}

} // namespace remat::gpu
