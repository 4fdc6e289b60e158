// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/plan_json.h"

namespace remat::core {

Json timeJson(Nanoseconds time, std::int64_t timeScale)
{
    if (time % timeScale == 0)
        return time / timeScale;
    return static_cast<double>(time) / static_cast<double>(timeScale);
}

Json toJson(const Plan &plan, std::int64_t timeScale)
{
    return {{"peak", plan.simulation.peak},
            {"time", timeJson(plan.simulation.stepNs, timeScale)},
            {"extra_forward", timeJson(plan.simulation.extraForwardNs, timeScale)},
            {"rule", plan.rule}};
}

Json toJson(const PlanAnswer &answer, const PlanContext &context)
{
    Json json{{"feasible", answer.feasible}};
    if (answer.feasible) {
        json.update(toJson(answer.plan, context.timeScale));
        json["schedule"] = toJson(PlanFile{answer.plan.schedule, context.workloadHash});
    } else {
        for (const char *key : {"time", "peak", "extra_forward", "schedule", "rule"})
            json[key] = nullptr;
    }
    json["min_feasible_budget"] = answer.minFeasibleBudget;
    json["binding_op"] = answer.bindingOp;
    json["binding"] = bindingWords(answer.bindingOp, context.stageNames);
    json["bound_time"] = answer.boundNs < 0 ? Json(nullptr) : timeJson(answer.boundNs, context.timeScale);
    json["planner"] = context.planner;
    json["budget"] = context.budget;
    json["source"] = toString(context.source);
    return json;
}

} // namespace remat::core
