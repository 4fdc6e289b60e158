// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include "command.h"
#include "cost_source.h"
#include "plan/plan_json.h"
#include "plan/planned_strategy.h"
#include "point_table.h"
#include "store/session.h"

namespace remat::app {

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

struct Options
{
    WorkloadOptions workload;
    std::string chain;
    std::string budget;
    std::string planner = "optimal";
    std::string output;
    std::string on = "a100-80gb";
    std::int64_t sessionWorkload = 0;
    int front = 0;
    bool probe = false;
    bool planners = false;
    bool json = false;
};

Result<CostsForPlan> costsFor(const Options &options)
{
    if (options.chain.empty() == options.workload.config.empty())
        return Error{ErrorCode::usage, "remat plan: give either a CONFIG, a SESSION or --chain FILE."};
    if (!options.chain.empty())
        return costsOfChain(options.chain);
    if (core::looksLikeSession(options.workload.config)) {
        if (options.probe)
            return Error{ErrorCode::usage, "remat plan: the costs of a session are probed already; leave out --probe."};
        if (auto alone = options.workload.besideSession({}); !alone)
            return alone.error();
        return costsOfSession(options.workload.config, options.sessionWorkload);
    }
    if (options.probe)
        return costsOfConfig(options.workload, nullptr);
    const auto device = core::deviceNamed(options.on);
    return device ? costsOfConfig(options.workload, &*device) : Result<CostsForPlan>(device.error());
}

Result<core::Bytes> budgetFor(const Options &options, const CostsForPlan &source)
{
    const auto rule = core::parseBudget(options.budget);
    if (!rule)
        return rule.error();
    if (source.isChain && rule->percent >= 0.0)
        return Error{ErrorCode::usage, "remat plan: the budget of a chain is a number in the chain's own unit."};
    return core::budgetBytes(*rule, source.costs, source.shape);
}

std::string timeText(core::Nanoseconds time, const CostsForPlan &source)
{
    return source.isChain ? core::timeJson(time, source.timeScale).dump() : core::formatDuration(time);
}

std::string sizeText(core::Bytes size, const CostsForPlan &source)
{
    return source.isChain ? std::to_string(size) : core::formatBytes(size);
}

bool isOptimal(const std::string &planner)
{
    const auto kind = core::plannerFrom(planner);
    return kind && *kind == core::PlannerKind::optimal;
}

void printAnswer(const core::PlanAnswer &answer, const CostsForPlan &source, const std::string &planner)
{
    const core::Simulation &simulation = answer.plan.simulation;
    std::printf("peak %s, time %s, of it recomputation %s (%s; costs: %s)\n", sizeText(simulation.peak, source).c_str(),
                timeText(simulation.stepNs, source).c_str(), timeText(simulation.extraForwardNs, source).c_str(),
                answer.plan.rule.c_str(), std::string(toString(source.costs.source)).c_str());
    if (answer.boundNs > 0)
        std::printf("no schedule within this budget can be faster than %s; this one is %.1f %% above that bound\n",
                    timeText(answer.boundNs, source).c_str(),
                    100.0 * static_cast<double>(simulation.stepNs - answer.boundNs)
                        / static_cast<double>(answer.boundNs));
    std::printf("smallest possible budget%s: %s, set by %s\n", isOptimal(planner) ? "" : (" of " + planner).c_str(),
                sizeText(answer.minFeasibleBudget, source).c_str(),
                core::bindingWords(answer.bindingOp, source.stageNames).c_str());
    if (source.shape.layers > 0)
        std::printf("blocks run again: %zu of %d; %d checkpoints; %td stages that rebuild parts of themselves\n",
                    recomputedLayers(answer.plan.schedule, source.shape).size(), source.shape.layers,
                    simulation.keptBoundaries,
                    std::count_if(answer.plan.schedule.ops.begin(), answer.plan.schedule.ops.end(),
                                  [](const core::Op &op) { return !op.option.empty(); }));
    if (!source.roughTimes.empty())
        std::printf("Times are rough: the published peaks of %s, which real steps do not reach.\n",
                    source.roughTimes.c_str());
}

int printFront(core::Planner &planner, const CostsForPlan &source, const Options &options)
{
    core::Json list = core::Json::array();
    std::vector<std::vector<std::string>> rows{{"peak", "time", "recomputation", "plan"}};
    for (const core::Plan &plan : planner.front(options.front)) {
        list.push_back(toJson(plan, source.timeScale));
        rows.push_back({sizeText(plan.simulation.peak, source), timeText(plan.simulation.stepNs, source),
                        timeText(plan.simulation.extraForwardNs, source), plan.rule});
    }
    if (options.json)
        printJson({{"front", std::move(list)}, {"planner", options.planner}});
    else
        std::fputs(table(rows).c_str(), stdout);
    return exitDone;
}

int writePlan(const core::Json &answer, const std::string &path)
{
    std::ofstream file(path, std::ios::binary);
    file << answer.at("schedule").dump() << '\n';
    if (file.flush())
        return exitDone;
    return fail({ErrorCode::failed, "The plan could not be written to '" + path + "'; check the folder."});
}

int listPlanners(bool json)
{
    core::Json list = core::Json::array();
    std::vector<std::vector<std::string>> rows{{"planner", "rule"}};
    for (const core::PlannerInfo &info : core::plannerTable()) {
        list.push_back({{"planner", info.name}, {"rule", info.rule}});
        rows.push_back({std::string(info.name), std::string(info.rule)});
    }
    json ? printJson({{"planners", std::move(list)}}) : (void)std::fputs(table(rows).c_str(), stdout);
    return exitDone;
}

/// Only the optimal planner speaks for every schedule; another one speaks for its own plans.
std::string infeasibleWords(const core::PlanAnswer &answer, const CostsForPlan &source, const std::string &planner,
                            core::Bytes budget)
{
    const core::Bytes smallest = answer.minFeasibleBudget;
    const std::string within = sizeText(budget, source);
    if (!isOptimal(planner)) {
        if (smallest <= budget)
            return "The plan of " + planner + " for " + within + " needs more than that, though it has one of "
                + sizeText(smallest, source) + ": it judges by sums that mislead; use --planner optimal.";
        return "No plan of " + planner + " fits " + within + ": the smallest peak among them is "
            + sizeText(smallest, source) + ", set by " + core::bindingWords(answer.bindingOp, source.stageNames)
            + "; allow at least that much, or use --planner optimal.";
    }
    if (!source.isChain)
        return infeasibleSentence(answer, budget, source.stageNames);
    return "No schedule fits " + within + ": the smallest peak is " + sizeText(smallest, source) + ", set by "
        + core::bindingWords(answer.bindingOp, {}) + "; allow at least that much.";
}

int answerBudget(core::Planner &planner, const CostsForPlan &source, const Options &options, core::Bytes budget)
{
    const core::PlanAnswer answer = planner.plan(budget);
    const core::PlanContext context{options.planner,  source.workloadHash, budget,
                                    source.timeScale, source.costs.source, source.stageNames};
    const core::Json json = toJson(answer, context);
    if (options.json)
        printJson(json);
    else if (answer.feasible)
        printAnswer(answer, source, options.planner);
    if (!answer.feasible) {
        return fail({ErrorCode::doesNotFit, infeasibleWords(answer, source, options.planner, budget)});
    }
    return options.output.empty() ? static_cast<int>(exitDone) : writePlan(json, options.output);
}

int runPlan(const Options &options)
{
    if (options.planners)
        return listPlanners(options.json);
    const auto kind = core::plannerFrom(options.planner);
    if (!kind)
        return fail(kind.error());
    if (options.budget.empty() == (options.front == 0))
        return fail({ErrorCode::usage, "remat plan: give either --budget or --front; see remat plan --help."});
    const auto source = costsFor(options);
    if (!source)
        return fail(source.error());
    core::PlannerLimits limits;
    if (options.front == 0) {
        const auto budget = budgetFor(options, *source);
        if (!budget)
            return fail(budget.error());
        limits.largest = *budget;
    }
    auto planner = core::Planner::make(*kind, source->problem(), limits);
    if (!planner)
        return fail(planner.error());
    return options.front > 0 ? printFront(*planner, *source, options)
                             : answerBudget(*planner, *source, options, limits.largest);
}

} // namespace

void addPlanCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = addCommand(app, "plan", "Find the fastest schedule within a budget",
                                   "remat plan config.json --batch 8 --budget 4GiB -o plan.json");
    options->workload.addTo(*command);
    command->get_option("CONFIG")->required(false)->description(
        "model config, or a session whose probed costs are taken");
    command->add_option("--chain", options->chain, "plan for an abstract chain in a file instead");
    command->add_option("--budget", options->budget,
                        "most bytes at the peak (4GiB), or 30%: static part and 30 % of the activation peak of none");
    command->add_option("--planner", options->planner, "see --planners")->capture_default_str();
    command->add_option("--front", options->front, "print at most so many points of the Pareto front instead")
        ->check(CLI::Range(2, 1000));
    command->add_option("--workload", options->sessionWorkload, "workload of a session (default: the last one)");
    command->add_flag("--probe", options->probe, "probe the costs on the device instead of taking the formula's");
    command
        ->add_option("--on", options->on,
                     "published peaks that the formula's rough times are taken from; see estimate --devices")
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "write the plan to a file, for --strategy file:FILE");
    command->add_flag("--planners", options->planners, "list the planners instead");
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runPlan(*options); }; });
}

} // namespace remat::app
