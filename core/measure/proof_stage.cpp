// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/sweep_run.h"

#include <algorithm>

namespace remat::core {

namespace {

Result<Schedule> scheduleNamed(const std::string &text, const ChainShape &shape)
{
    auto strategy = parseStrategy(text);
    if (!strategy)
        return strategy.error();
    return makeSchedule(*strategy, shape);
}

/// A sibling with fewer blocks than are trained trains them all.
Workload workloadOf(const SweepPlan &plan, int layers)
{
    Workload workload = plan.workload;
    if (workload.train.kind == TrainKind::last)
        workload.train.n = std::min(workload.train.n, layers);
    return workload;
}

Equality equalityOf(const Proof &proof, const std::string &reference)
{
    Equality equality;
    equality.checked = true;
    equality.reference = reference;
    equality.differingElements = proof.differingElements;
    equality.maxAbsDiff = proof.maxAbsDiff;
    if (proof.differingElements != 0)
        equality.why
            = std::to_string(proof.differingElements) + " elements differ, the first in " + proof.firstDifference + ".";
    return equality;
}

/// Training would go on and never change these parameters: nobody should get numbers for that.
StepOutcome withoutGradient(const Proof &proof)
{
    StepOutcome outcome;
    outcome.status = RunStatus::failed;
    outcome.reason = std::to_string(proof.missingGradients)
        + " trainable parameters have no gradient after the backward, the first is " + proof.firstMissing + ".";
    return outcome;
}

} // namespace

ProofStage::ProofStage(const SweepPlan &plan, TrainingBackend &backend, Before before, Finish finish)
    : m_plan(plan), m_backend(backend), m_before(std::move(before)), m_finish(std::move(finish))
{
}

Result<void> ProofStage::run(std::unique_ptr<PreparedWorkload> &prepared, std::vector<SweepRun> &runs)
{
    for (const char *strategy : {"none", "every:1"}) {
        auto taken = takeReference(*prepared, strategy);
        if (!taken)
            return taken.error();
        if (*taken)
            return proveAll(*prepared, runs);
    }
    return proveOnSibling(prepared, runs);
}

Result<bool> ProofStage::takeReference(PreparedWorkload &prepared, const std::string &strategy)
{
    auto schedule = scheduleNamed(strategy, chainShape(m_plan.model, m_plan.workload));
    if (!schedule)
        return schedule.error();
    auto proof = prepared.prove(*schedule, true);
    if (!proof)
        return proof.error();
    if (proof->outcome.status == RunStatus::done) {
        m_reference = strategy;
        return true;
    }
    m_whyNot = proof->outcome.reason;
    return false;
}

Result<void> ProofStage::proveAll(PreparedWorkload &prepared, std::vector<SweepRun> &runs)
{
    for (SweepRun &run : runs) {
        if (run.final)
            continue;
        auto goOn = m_before(run);
        if (!goOn)
            return goOn.error();
        if (!*goOn)
            return {};
        auto proof = prepared.prove(run.schedule, false);
        if (!proof && proof.error().code == ErrorCode::cancelled)
            return proof.error();
        if (!proof) {
            Proof failed;
            failed.outcome.status = RunStatus::failed;
            failed.outcome.reason = proof.error().message;
            proof = failed;
        }
        if (proof->outcome.status != RunStatus::done) {
            run.point.equality.why = "The run ended before it could be compared.";
            if (auto finished = m_finish(run, proof->outcome); !finished)
                return finished.error();
            continue;
        }
        run.point.loss = proof->outcome.loss;
        run.point.missingGradients = proof->missingGradients;
        if (proof->missingGradients > 0) {
            if (auto finished = m_finish(run, withoutGradient(*proof)); !finished)
                return finished.error();
            continue;
        }
        run.point.equality = equalityOf(*proof, m_reference);
    }
    return {};
}

Result<void> ProofStage::proveOnSibling(std::unique_ptr<PreparedWorkload> &prepared, std::vector<SweepRun> &runs)
{
    prepared.reset(); // both models at once would not fit
    int fits = 0;
    int tooDeep = m_plan.model.layers;
    while (tooDeep - fits > 1) {
        const int middle = fits + (tooDeep - fits) / 2;
        auto sibling = siblingThatFits(middle);
        if (!sibling)
            return sibling.error();
        (*sibling != nullptr ? fits : tooDeep) = middle;
    }
    std::unique_ptr<PreparedWorkload> sibling;
    if (fits > 0) {
        auto made = siblingThatFits(fits);
        if (!made)
            return made.error();
        sibling = std::move(*made);
    }
    for (SweepRun &run : runs) {
        if (run.final)
            continue;
        auto goOn = m_before(run);
        if (!goOn)
            return goOn.error();
        if (!*goOn)
            return {};
        if (sibling == nullptr) {
            run.point.equality.why = "No reference fits, not even with one layer: " + m_whyNot;
            continue;
        }
        if (auto compared = compareOnSibling(*sibling, fits, run); !compared)
            return compared.error();
    }
    sibling.reset();
    auto again = m_backend.prepare(m_plan.model, m_plan.workload);
    if (!again)
        return again.error();
    prepared = std::move(*again);
    return {};
}

Result<std::unique_ptr<PreparedWorkload>> ProofStage::siblingThatFits(int layers)
{
    auto model = scaledDown(m_plan.model, layers, 1.0);
    if (!model)
        return model.error();
    const Workload workload = workloadOf(m_plan, layers);
    auto sibling = m_backend.prepare(*model, workload);
    if (!sibling && sibling.error().code == ErrorCode::doesNotFit)
        return std::unique_ptr<PreparedWorkload>();
    if (!sibling)
        return sibling.error();
    auto schedule = scheduleNamed("none", chainShape(*model, workload));
    if (!schedule)
        return schedule.error();
    auto proof = (*sibling)->prove(*schedule, true);
    if (!proof)
        return proof.error();
    if (proof->outcome.status != RunStatus::done) {
        m_whyNot = proof->outcome.reason;
        return std::unique_ptr<PreparedWorkload>();
    }
    m_reference = "none, " + std::to_string(layers) + " of " + std::to_string(m_plan.model.layers) + " layers";
    return std::move(*sibling);
}

Result<void> ProofStage::compareOnSibling(PreparedWorkload &sibling, int layers, SweepRun &run)
{
    ModelConfig model = m_plan.model;
    model.layers = layers;
    auto schedule = makeSchedule(run.strategy, chainShape(model, workloadOf(m_plan, layers)));
    if (!schedule) {
        run.point.equality.why = "No reference fits on the whole model, and on " + std::to_string(layers)
            + " layers the strategy does not exist: " + schedule.error().message;
        return {};
    }
    auto proof = sibling.prove(*schedule, false);
    if (!proof)
        return proof.error();
    if (proof->outcome.status == RunStatus::done)
        run.point.equality = equalityOf(*proof, m_reference);
    else
        run.point.equality.why
            = "The comparison on " + std::to_string(layers) + " layers failed: " + proof->outcome.reason;
    return {};
}

} // namespace remat::core
