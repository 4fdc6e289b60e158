// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cstdio>
#include <cstdlib>
#include <random>

#include "advice/forecast.h"
#include "bench/bench.h"
#include "config/config_reader.h"
#include "plan/chain_table.h"
#include "plan/planner.h"
#include "plan/slots.h"

using namespace remat;
using namespace remat::core;

namespace {

/// A row with the time that it must stay below.
bench::Row against(bench::Row row, double milliseconds)
{
    char note[64];
    std::snprintf(note, sizeof note, "target < %g ms: %s", milliseconds,
                  static_cast<double>(row.time.median) < milliseconds * 1e6 ? "met" : "MISSED");
    row.note = note;
    return row;
}

/// Stages that are all unlike, as in a convolutional network: nothing is shared.
ChainCosts unlikeStages(int count)
{
    std::mt19937_64 random(11);
    const auto pick
        = [&](std::uint64_t low, std::uint64_t high) { return static_cast<Bytes>(low + random() % (high - low + 1)); };
    ChainCosts costs;
    costs.input = 1 << 20;
    for (int i = 0; i < count; ++i) {
        StageCost stage;
        stage.output = pick(1 << 19, 1 << 21);
        stage.forward = {stage.output, stage.output};
        stage.forwardNs = pick(100'000, 900'000);
        OptionCost &option = stage.options[""];
        option.saved = pick(1 << 21, 1 << 24);
        option.forwardSave = {option.saved + stage.output, option.saved + stage.output};
        option.forwardSavePhantom = option.forwardSave;
        option.forwardSaveNs = option.phantomNs = stage.forwardNs;
        option.backwardNs = 2 * stage.forwardNs;
        costs.stages.push_back(stage);
    }
    return costs;
}

ModelConfig llama(int layers)
{
    auto model = bench::orExit(readModelConfig(std::string(REMAT_BENCH_DATA) + "/configs/llama_70b.json"));
    return bench::orExit(scaledDown(std::move(model), layers, 1.0));
}

Workload workloadOf(const ModelConfig &model)
{
    Workload workload;
    workload.batch = 1;
    workload.seq = 2048;
    workload.dtype = Dtype::bf16;
    return bench::orExit(resolveWorkload(workload, model, 1));
}

/// Half blocks with three options each: keep all, and two that rebuild a part.
ChainCosts halfBlocks(int layers)
{
    const ModelConfig model = llama(layers);
    const Workload workload = workloadOf(model);
    auto formula = bench::orExit(chainFormula(model, workload, {"drop_core", "drop_qkv", "lean_mlp", "drop_up"}));
    fillTimes(formula.costs, formula.work, bench::orExit(deviceNamed("a100-80gb")), workload.dtype);
    return std::move(formula.costs);
}

/// What `remat plan` does with a config, from the file to the schedule.
void planFromNothing(double share)
{
    const ModelConfig model = llama(80);
    const Workload workload = workloadOf(model);
    auto forecast = bench::orExit(formulaForecast(model, workload, bench::orExit(deviceNamed("h100"))));
    const Bytes budget = forecast.costs.staticBytes + static_cast<Bytes>(share * 1e11);
    auto planner = bench::orExit(Planner::make(
        PlannerKind::optimal, planProblem(std::move(forecast.costs), chainShape(model, workload)), {budget, 0}));
    static_cast<void>(planner.plan(budget));
}

void addTables(std::vector<bench::Row> &rows)
{
    struct Size
    {
        int count;
        double milliseconds;
    };
    for (const auto &[stages, milliseconds] : {Size{12, 2}, Size{32, 16}, Size{96, 250}}) {
        const PlanChain chain = planChain(unlikeStages(stages));
        rows.push_back(against(bench::timed("full DP, 1 option, 500 slots, " + std::to_string(stages) + " stages", 9,
                                            [&] {
                                                static_cast<void>(bench::orExit(ChainTable::make(chain, {500, 0})));
                                            }),
                               milliseconds));
    }
    for (const auto &[layers, milliseconds] : {Size{32, 60}, Size{80, 500}}) {
        const PlanChain chain = planChain(halfBlocks(layers));
        const int slots = static_cast<int>(16 * saveAllPeak(chain, 1) / chain.boundary(1));
        bench::Row row = against(bench::timed("full DP, 3 options, w / 16, " + std::to_string(layers) + " blocks", 7,
                                              [&] {
                                                  static_cast<void>(bench::orExit(ChainTable::make(chain, {slots, 0})));
                                              }),
                                 milliseconds);
        row.note += ", " + std::to_string(slots) + " slots";
        rows.push_back(std::move(row));
    }
}

/// A line that is dragged from the smallest budget to the largest: another plan at every step, none asked for twice.
void addDragging(std::vector<bench::Row> &rows)
{
    constexpr int kSteps = 200;
    constexpr double kFrame = 1000.0 / 60.0;
    const ModelConfig model = llama(80);
    auto planner = bench::orExit(
        Planner::make(PlannerKind::optimal, planProblem(halfBlocks(80), chainShape(model, workloadOf(model)))));
    auto everything = bench::orExit(
        Planner::make(PlannerKind::saveAll, planProblem(halfBlocks(80), chainShape(model, workloadOf(model)))));
    const Bytes least = planner.plan(0).minFeasibleBudget;
    const Bytes most = everything.plan(0).minFeasibleBudget;
    int step = 0;
    rows.push_back(against(bench::timed("a plan while the budget is dragged, 80 blocks", kSteps,
                                        [&] {
                                            static_cast<void>(planner.plan(least + (most - least) * step / kSteps));
                                            ++step;
                                        }),
                           kFrame));
}

void addWhole(std::vector<bench::Row> &rows)
{
    int round = 0;
    rows.push_back(against(
        bench::timed("plan for a 70B config from nothing", 6, [&] { planFromNothing(0.05 + 0.1 * (round++ % 6)); }),
        1000));
    const ModelConfig model = llama(80);
    const Workload workload = workloadOf(model);
    const auto forecast = bench::orExit(formulaForecast(model, workload, bench::orExit(deviceNamed("h100"))));
    const Bytes budget = forecast.costs.staticBytes + Bytes(20'000'000'000);
    rows.push_back(against(bench::timed("plan for a 70B config, costs cached", 6,
                                        [&] {
                                            auto planner = bench::orExit(Planner::make(
                                                PlannerKind::optimal,
                                                planProblem(forecast.costs, chainShape(model, workload)), {budget, 0}));
                                            static_cast<void>(planner.plan(budget));
                                        }),
                           100));
}

} // namespace

int benchPlan(bool json)
{
    std::vector<bench::Row> rows;
    addTables(rows);
    addDragging(rows);
    addWhole(rows);
    bench::print(rows, json);
    return 0;
}
