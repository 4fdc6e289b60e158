// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "advice/estimate.h"

#include <functional>

#include "core/advice/advice_models.h"
#include "model/parameter_inventory.h"
#include "model/static_memory.h"
#include "plan/planned_strategy.h"
#include "plan/working_set.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

const Strategy kNone;
constexpr const char *kMost = "budget:most"; // a plan between the smallest and none

/// One model under one workload, with what it costs.
struct Case
{
    std::string name;
    ModelConfig model;
    Workload workload;
    ChainCosts costs;
    ChainShape shape;

    Schedule scheduleOf(const std::string &strategy) const
    {
        if (strategy != kMost)
            return scheduleFor(parseStrategy(strategy).value(), shape, costs).value();
        const Bytes none = simulate(makeSchedule(kNone, shape).value(), costs)->peak;
        const Bytes least = smallestPlan(planChain(costs)).peak + planChain(costs).base;
        const Bytes budget = std::max((none + 2 * least) / 3, std::min(least + least / 50, none));
        const auto plan = scheduleFor(parseStrategy("budget:" + std::to_string(budget)).value(), shape, costs);
        return plan ? *plan : makeSchedule(kNone, shape).value(); // where what lies around the schedule sets the peak
    }
};

std::vector<std::pair<const char *, std::function<void(Workload &)>>> changes()
{
    return {{"plain", [](Workload &) {}},
            {"bf16", [](Workload &w) { w.dtype = Dtype::bf16; }},
            {"mixed, kept", [](Workload &w) { w.dtype = Dtype::mixedBf16, w.gradients = GradientRule::kept; }},
            {"sgd, two micro-batches", [](Workload &w) { w.optimizer = OptimizerKind::sgd, w.microBatches = 2; }},
            {"no optimizer", [](Workload &w) { w.optimizer = OptimizerKind::none; }},
            {"per tensor", [](Workload &w) { w.optimizer = OptimizerKind::adamwPerTensor; }},
            {"last block",
             [](Workload &w) {
                 w.train = {TrainKind::last, 1};
             }},
            {"adapters",
             [](Workload &w) {
                 w.train = {TrainKind::lora, 4};
             }},
            {"in the backward", [](Workload &w) { w.updateInBackward = true; }},
            {"chunks", [](Workload &w) { w.lossChunks = 4; }},
            {"one long sequence", [](Workload &w) { w.batch = 1, w.attention = AttentionKernel::math; }}};
}

/// Calls check(case) for every model and workload that a model does not refuse.
void eachCase(const std::function<void(const Case &)> &check)
{
    for (const std::string &name : modelNames())
        for (const auto &[what, change] : changes()) {
            Case each{name + ", " + what, modelNamed(name, 3), {}, {}, {}};
            each.workload.batch = 2;
            each.workload.seq = each.model.head == HeadKind::image ? 0 : 64;
            each.workload.threads = 1;
            change(each.workload);
            const auto workload = resolveWorkload(each.workload, each.model, 1);
            if (!workload)
                continue;
            each.workload = *workload;
            each.shape = chainShape(each.model, each.workload);
            auto formula = chainFormula(each.model, each.workload, plannableOptions(each.shape));
            QVERIFY2(formula, each.name.c_str());
            each.costs = std::move(formula->costs);
            check(each);
        }
}

const std::vector<std::string> kStrategies{
    "none",      "every:1", "segments:2",          "input-only", "sqrt",
    "recursive", "first:1", "selective:attention", "halves",     "every:1+selective:attention+mlp",
    kMost};

/// Weights that are stored, and those that are trained.
std::pair<Bytes, Bytes> weightBytes(const Case &each)
{
    const Bytes element = each.workload.dtype == Dtype::bf16 ? 2 : 4;
    Bytes all = 0;
    Bytes trained = 0;
    for (const Parameter &parameter : parameterInventory(each.model, each.workload.train)) {
        Bytes elements = 1;
        for (const std::int64_t size : parameter.shape)
            elements *= size;
        all += element * elements;
        trained += parameter.trainable ? element * elements : 0;
    }
    return {all, trained};
}

std::string problemOf(const Estimate &estimate, const Case &each, const Simulation &simulation)
{
    const MemoryParts &parts = estimate.parts;
    Bytes sum = 0;
    for (const Bytes part : {parts.weights, parts.optimizer, parts.gradients, parts.inputs, parts.activations,
                             parts.logits, parts.temporaries}) {
        if (part < 0)
            return "a part is negative";
        sum += part;
    }
    const auto [weights, trained] = weightBytes(each);
    if (sum != estimate.peak || parts.sum() != sum || estimate.peak != simulation.peak)
        return "the parts are " + std::to_string(sum) + ", the peak is " + std::to_string(simulation.peak);
    if (parts.weights != weights)
        return "the weights are " + std::to_string(weights);
    if (parts.gradients > trained)
        return "more gradients than weights";
    if (each.workload.gradients == GradientRule::kept && parts.gradients != trained)
        return "the gradients are kept";
    if (parts.optimizer < statesPerParameter(each.workload) * trained)
        return "too little for the optimizer";
    if ((estimate.peakOp == "L") != (estimate.peakWhere == "head and loss"))
        return "the loss has another name";
    if ((estimate.peakOp == "L" ? parts.temporaries : parts.logits) != 0)
        return "a part for the wrong op";
    if (estimate.peakOp == "L" && each.workload.microBatches == 1 && each.workload.gradients == GradientRule::freed
        && parts.gradients != 0)
        return "gradients before the first backward";
    if (estimate.peakOp == "optimizer" && (parts.activations != 0 || parts.gradients != trained))
        return "the update comes after everything";
    return {};
}

} // namespace

class tst_estimate : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parts_sumToThePeak()
    {
        int checked = 0;
        eachCase([&](const Case &each) {
            for (const std::string &strategy : kStrategies) {
                const Schedule schedule = each.scheduleOf(strategy);
                const auto estimate = estimateOf(each.model, each.workload, each.costs, schedule);
                QVERIFY(estimate);
                const std::string wrong = problemOf(*estimate, each, simulate(schedule, each.costs).value());
                QVERIFY2(wrong.empty(),
                         (each.name + ", " + strategy + " at " + estimate->peakOp + ": " + wrong).c_str());
                ++checked;
            }
        });
        QVERIFY2(checked > 900, qPrintable(QString::number(checked)));
    }

    void smallestPeak_isBelowEveryStrategy_andNotBelowTheBound()
    {
        eachCase([&](const Case &each) {
            const auto estimate = estimateOf(each.model, each.workload, each.costs, each.scheduleOf("none"));
            QVERIFY(estimate);
            const PlanChain chain = planChain(each.costs);
            QVERIFY2(estimate->smallestPeak >= workingSetBound(chain) + chain.base, each.name.c_str());
            QVERIFY2(estimate->smallestPeak >= chain.floor, each.name.c_str());
            QCOMPARE(estimate->maxSaving, estimate->peak - estimate->smallestPeak);
            QVERIFY(estimate->maxSaving >= 0);
            for (const std::string &strategy : kStrategies) {
                const Bytes peak = simulate(each.scheduleOf(strategy), each.costs).value().peak;
                QVERIFY2(estimate->smallestPeak <= peak,
                         (each.name + ", " + strategy + ": " + std::to_string(peak) + " < "
                          + std::to_string(estimate->smallestPeak))
                             .c_str());
            }
        });
    }

    /// What no schedule can save belongs to the workload: the same whatever schedule is asked about.
    void smallestPeak_dependsOnNoSchedule()
    {
        eachCase([&](const Case &each) {
            const auto none = estimateOf(each.model, each.workload, each.costs, each.scheduleOf("none"));
            const auto every = estimateOf(each.model, each.workload, each.costs, each.scheduleOf("every:1"));
            QVERIFY(none && every);
            QCOMPARE(every->smallestPeak, none->smallestPeak);
            QCOMPARE(every->maxSaving, none->maxSaving);
            QCOMPARE(every->smallestWhere, none->smallestWhere);
        });
    }

    void place_isNamed()
    {
        const ModelConfig gpt = modelNamed("gpt2_small", 2);
        const auto placeOf = [&](const Workload &workload, const char *strategy) {
            const auto formula = chainFormula(gpt, workload, {}).value();
            return estimateOf(gpt, workload, formula.costs,
                              makeSchedule(parseStrategy(strategy).value(), chainShape(gpt, workload)).value())
                .value();
        };
        const Estimate wide = placeOf(workloadOf(gpt, 8, 1024), "none"); // logits of 50257 words
        QCOMPARE(wide.peakOp, std::string("L"));
        QVERIFY(wide.parts.logits > wide.peak / 2);
        Workload scores = workloadOf(gpt, 16, 1024);
        scores.attention = AttentionKernel::math;
        scores.lossChunks = 64;
        const Estimate rebuilt = placeOf(scores, "every:1");
        QVERIFY2(rebuilt.peakWhere.find("layer ") != std::string::npos, rebuilt.peakWhere.c_str());
        QVERIFY2(rebuilt.peakWhere.ends_with("attention"), rebuilt.peakWhere.c_str());
    }

    void json_hasThePromisedKeys()
    {
        const ModelConfig gpt = modelNamed("gpt2_small", 2);
        const Workload workload = workloadOf(gpt, 2, 64);
        const auto formula = chainFormula(gpt, workload, {}).value();
        const Estimate estimate
            = estimateOf(gpt, workload, formula.costs, makeSchedule(kNone, chainShape(gpt, workload)).value()).value();
        const Json json = toJson(estimate);
        Bytes sum = 0;
        for (const char *part : {"weights", "optimizer", "gradients", "inputs", "activations", "logits", "temporaries"})
            sum += json.at("parts").at(part).get<Bytes>();
        QCOMPARE(int(json.at("parts").size()), 7);
        QCOMPARE(sum, json.at("peak_bytes").get<Bytes>());
        for (const char *key : {"peak_op", "peak_where", "activation_peak_bytes", "smallest_peak_bytes", "smallest_op",
                                "smallest_where", "max_saving_bytes", "approximate"})
            QVERIFY2(json.contains(key), key);
    }
};

REMAT_TEST(tst_estimate);
#include "tst_estimate.moc"
