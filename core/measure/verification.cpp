// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/verification.h"

#include <bit>

#include "measure/json_fields.h"
#include "plan/planned_strategy.h"

namespace remat::core {

namespace {

Error stepError(RunStatus status, const std::string &reason, const std::string &strategy)
{
    if (status == RunStatus::cancelled)
        return {ErrorCode::cancelled, "The verification was cancelled."};
    const ErrorCode code = status == RunStatus::doesNotFit ? ErrorCode::doesNotFit : ErrorCode::failed;
    return {code, "The strategy " + strategy + " could not be run: " + reason};
}

/// The first of `none` and `every:1` whose forward-backward fits becomes the reference.
Result<std::pair<std::string, Schedule>> takeReference(PreparedWorkload &prepared, const ChainShape &shape)
{
    std::string reason;
    for (const char *text : {"none", "every:1"}) {
        auto strategy = parseStrategy(text);
        if (!strategy)
            return strategy.error();
        auto schedule = makeSchedule(*strategy, shape);
        if (!schedule)
            return schedule.error();
        auto proof = prepared.prove(*schedule, true);
        if (!proof)
            return proof.error();
        if (proof->outcome.status == RunStatus::done)
            return std::pair<std::string, Schedule>(text, std::move(*schedule));
        if (proof->outcome.status != RunStatus::doesNotFit)
            return stepError(proof->outcome.status, proof->outcome.reason, text);
        reason = proof->outcome.reason;
    }
    return Error{ErrorCode::doesNotFit, "Neither none nor every:1 fits as the reference: " + reason};
}

/// The schedule to be verified; a budget is planned from costs probed for it.
Result<Schedule> plannedOrNamed(const SweepPlan &plan, TrainingBackend &backend, const std::stop_token &stop)
{
    const Strategy &strategy = plan.strategies.front();
    const ChainShape shape = chainShape(plan.model, plan.workload);
    if (strategy.kind != StrategyKind::budget)
        return makeSchedule(strategy, shape);
    const auto costs = backend.probe(plan.model, plan.workload, plannableOptions(shape), stop);
    return costs ? scheduleFor(strategy, shape, *costs) : costs.error();
}

Result<std::vector<double>> lossesOf(PreparedWorkload &prepared, const Schedule &schedule, const std::string &strategy,
                                     int steps, const std::function<bool(int)> &goOn)
{
    if (auto reset = prepared.reset(); !reset)
        return reset.error();
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
        if (!goOn(i))
            return stepError(RunStatus::cancelled, {}, strategy);
        auto outcome = prepared.step(schedule, {});
        if (!outcome)
            return outcome.error();
        if (outcome->status != RunStatus::done)
            return stepError(outcome->status, outcome->reason, strategy);
        losses.push_back(outcome->loss);
    }
    return losses;
}

} // namespace

bool Verification::equal() const
{
    if (differingElements != 0 || referenceLosses.size() != scheduleLosses.size())
        return false;
    for (std::size_t i = 0; i < referenceLosses.size(); ++i) {
        if (std::bit_cast<std::uint64_t>(referenceLosses[i]) != std::bit_cast<std::uint64_t>(scheduleLosses[i]))
            return false;
    }
    return true;
}

Json toJson(const Verification &verification)
{
    return {{"strategy", verification.strategy},
            {"reference", verification.reference},
            {"steps", verification.steps},
            {"differing_elements", verification.differingElements},
            {"max_abs_diff", verification.maxAbsDiff},
            {"why", verification.why.empty() ? Json(nullptr) : Json(verification.why)},
            {"losses", {{"reference", verification.referenceLosses}, {"schedule", verification.scheduleLosses}}}};
}

Result<Verification> verificationFromJson(const Json &json)
{
    Verification verification;
    JsonFields fields(json, "The verification");
    fields.read("strategy", verification.strategy);
    fields.read("reference", verification.reference);
    fields.read("steps", verification.steps);
    fields.read("differing_elements", verification.differingElements);
    fields.read("max_abs_diff", verification.maxAbsDiff);
    fields.read("why", verification.why);
    if (const Json *losses = fields.object("losses")) {
        JsonFields inner(*losses, "The field 'losses' of the verification");
        for (auto [key, target] : {std::pair{"reference", &verification.referenceLosses},
                                   std::pair{"schedule", &verification.scheduleLosses}}) {
            const Json *array = inner.array(key);
            for (const Json &loss : array != nullptr ? *array : Json::array())
                target->push_back(loss.is_number() ? loss.get<double>() : 0.0);
        }
        if (!inner.ok())
            return inner.error();
    }
    if (!fields.ok())
        return fields.error();
    return verification;
}

Result<Verification> verifySchedule(const SweepPlan &plan, int steps, TrainingBackend &backend,
                                    const std::function<void(const Progress &)> &progress, std::stop_token stop)
{
    const Strategy &strategy = plan.strategies.front();
    const ChainShape shape = chainShape(plan.model, plan.workload);
    auto schedule = plannedOrNamed(plan, backend, stop);
    if (!schedule)
        return schedule.error();
    progress({"preparing", strategy.text, 0, 1, 0, 0, -1});
    auto prepared = backend.prepare(plan.model, plan.workload);
    if (!prepared)
        return prepared.error();
    auto reference = takeReference(**prepared, shape);
    if (!reference)
        return reference.error();
    auto proof = (*prepared)->prove(*schedule, false);
    if (!proof)
        return proof.error();
    if (proof->outcome.status != RunStatus::done)
        return stepError(proof->outcome.status, proof->outcome.reason, strategy.text);
    if (proof->missingGradients > 0)
        return Error{ErrorCode::failed,
                     "The strategy " + strategy.text + " leaves " + std::to_string(proof->missingGradients)
                         + " trainable parameters without a gradient, the first is " + proof->firstMissing + "."};
    Verification found;
    found.strategy = strategy.text;
    found.reference = reference->first;
    found.steps = steps;
    found.differingElements = proof->differingElements;
    found.maxAbsDiff = proof->maxAbsDiff;
    found.why = proof->firstDifference;
    int done = 0;
    const auto goOn = [&](int) {
        progress({"proof", strategy.text, 0, 1, done++, 2 * steps, -1});
        return !stop.stop_requested();
    };
    auto referenceLosses = lossesOf(**prepared, reference->second, reference->first, steps, goOn);
    if (!referenceLosses)
        return referenceLosses.error();
    auto scheduleLosses = lossesOf(**prepared, *schedule, strategy.text, steps, goOn);
    if (!scheduleLosses)
        return scheduleLosses.error();
    found.referenceLosses = std::move(*referenceLosses);
    found.scheduleLosses = std::move(*scheduleLosses);
    return found;
}

} // namespace remat::core
