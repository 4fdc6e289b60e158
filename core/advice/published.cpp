// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/published.h"

#include <algorithm>
#include <cmath>

#include "model/parameter_inventory.h"

namespace remat::core {

namespace {

constexpr const char *kPaper = "arXiv 2205.05198, table 2 and section 4.3";
constexpr const char *kPlaybook = "Ultra-Scale Playbook, src/memory.js";
constexpr const char *kCookbook = "EleutherAI/cookbook, calc/calc_transformer_mem.py";
constexpr const char *kAgentcalc = "agentcalc.com, gradient checkpointing memory tradeoff";

/// The symbols of the papers, as numbers.
struct Symbols
{
    double s = 0, b = 0, h = 0, a = 0, L = 0, v = 0, F = 0;
    double e = 0;          // bytes of an activation
    double parameters = 0; // tied once
    double sbh() const { return s * b * h; }
};

Symbols symbolsOf(const ModelConfig &model, const Workload &workload)
{
    Symbols x;
    x.s = static_cast<double>(workload.seq);
    x.b = static_cast<double>(workload.batch);
    x.h = static_cast<double>(model.width);
    x.a = static_cast<double>(model.heads);
    x.L = model.layers;
    x.v = static_cast<double>(model.vocabulary);
    x.F = static_cast<double>(model.ffnWidth);
    x.e = static_cast<double>(computeElementSize(workload.dtype));
    x.parameters = static_cast<double>(countParameters(model).total);
    return x;
}

/// Costs may hold only those options that somebody probed.
bool hasCosts(const Schedule &schedule, const ChainCosts &costs)
{
    return std::all_of(schedule.ops.begin(), schedule.ops.end(), [&](const Op &op) {
        const auto stage = static_cast<std::size_t>(op.stage);
        return op.kind != OpKind::forwardSave || stage >= costs.stages.size()
            || costs.stages[stage].options.contains(op.option);
    });
}

double ratio(std::int64_t of, std::int64_t none)
{
    return none > 0 ? static_cast<double>(of) / static_cast<double>(none) : 1.0;
}

template <typename Values>
AgainstNone ratios(const Values &of, const Values &none, bool measured)
{
    return {ratio(of.peak, none.peak), ratio(of.activationPeak, none.activationPeak), ratio(of.step, none.step),
            measured};
}

Expected predictedOf(const ReferencePoint &point)
{
    return point.measured ? point.expected : Expected{{}, point.peak, point.activationPeak, point.step, 0.0};
}

/// Collects values for strategies that have a reference.
class Collector
{
public:
    explicit Collector(const Reference &reference) : m_reference(reference) { }

    void bytes(const char *name, const char *source, const char *formula, const std::string &strategy, double value,
               bool everything = false)
    {
        const auto known = m_reference.find(strategy);
        if (known == m_reference.end())
            return;
        const Bytes ours = everything ? known->second.peak : known->second.activationPeak;
        m_values.push_back({name, source, formula, strategy, everything ? "peak" : "activation peak",
                            PublishedValue::Quantity::bytes, value, static_cast<double>(ours), known->second.measured});
    }

    void timeFactor(const char *name, const char *source, const char *formula, const std::string &strategy,
                    double value)
    {
        const auto share = againstNone(m_reference, strategy);
        if (share && m_reference.at("none").step > 0)
            m_values.push_back({name, source, formula, strategy, "step time against none",
                                PublishedValue::Quantity::timeFactor, value, share->step, share->measured});
    }

    [[nodiscard]] std::vector<PublishedValue> take() { return std::move(m_values); }

private:
    const Reference &m_reference;
    std::vector<PublishedValue> m_values;
};

/// 16-bit, dropout masks of one byte; extras of section 4.3 for one pipeline stage.
void addKorthikanti(Collector &list, const Symbols &x)
{
    const char *name = "Korthikanti et al. 2022";
    const double extras = 5 * x.sbh() + 4 * x.s * x.b * x.v;
    list.bytes(name, kPaper, "L·sbh(34 + 5as/h) + 5sbh + 4sbv", "none",
               x.L * x.sbh() * (34 + 5 * x.a * x.s / x.h) + extras);
    list.bytes(name, kPaper, "L·34sbh + 5sbh + 4sbv", "selective:attention", x.L * 34 * x.sbh() + extras);
    list.bytes(name, kPaper, "L·2sbh + 5sbh + 4sbv", "every:1", x.L * 2 * x.sbh() + extras);
}

/// With tensor, pipeline and data parallelism of 1; the script has no other recomputation than selective.
void addMegatron(Collector &list, const Symbols &x)
{
    const char *name = "Megatron-LM script";
    const char *source = "megatron/training/theoretical_memory_usage.py";
    const double activations
        = x.L * x.sbh() * (18 + 4 * x.F / x.h) + 8 * x.s * x.b + x.sbh() + 4 * x.sbh() * (1 + x.v / x.h);
    list.bytes(name, source, "L·sbh(18 + 4F/h) + 8sb + sbh + 4sbh(1 + v/h)", "selective:attention", activations);
    list.bytes(name, source, "18 bytes a parameter + the above", "selective:attention", 18 * x.parameters + activations,
               true);
}

void addCookbook(Collector &list, const Symbols &x)
{
    const char *name = "EleutherAI cookbook";
    list.bytes(name, kCookbook, "L·sbh(34 + 5as/h)", "none", x.L * x.sbh() * (34 + 5 * x.a * x.s / x.h));
    list.bytes(name, kCookbook, "--checkpoint-activations: L·34sbh", "every:1", x.L * 34 * x.sbh());
}

void addAccelerate(Collector &list, const Symbols &x, const Workload &workload)
{
    const auto element = static_cast<double>(weightElementSize(workload.dtype));
    list.bytes("accelerate estimate-memory", "huggingface/accelerate", "training with Adam: 4 × the model", "none",
               4 * element * x.parameters, true);
}

void addAgentcalc(Collector &list, const Symbols &x)
{
    const char *name = "agentcalc.com";
    list.bytes(name, kAgentcalc, "2·h·s·L·b·e", "none", 2 * x.sbh() * x.L * x.e);
    for (const int interval : {1, 2, 4}) {
        const std::string strategy = interval == 1 ? "every:1" : "segments:" + std::to_string(interval);
        list.bytes(name, kAgentcalc, "2·h·s·I·b·e", strategy, 2 * x.sbh() * interval * x.e);
        list.timeFactor(name, kAgentcalc, "1 + L/(2I)", strategy, 1 + x.L / (2.0 * interval));
    }
}

/// Without parallelism; "mixed" as the page's switch has it: 2 bytes, else 4.
void addPlaybook(Collector &list, const Symbols &x, const ModelConfig &model)
{
    const char *name = "Ultra-Scale Playbook calculator";
    const double sb = x.s * x.b;
    const double wide = model.gatedFfn ? 4 : model.activation == Activation::relu ? 1 : 2;
    const double feed = x.sbh() * x.e + wide * sb * x.F * x.e + x.sbh();
    const double projections = x.sbh() * (5 * x.e + 1);
    const double scores = (2 * x.e + 1) * x.a * x.s * x.s * x.b;
    const double norms = 2 * x.sbh() * x.e;
    const double edges = x.sbh() + 2 * x.sbh() * x.e + 4 * sb * x.v;
    list.bytes(name, kPlaybook, "L·(attention + scores + feed-forward + norms) + edges", "none",
               x.L * (projections + scores + feed + norms) + edges);
    list.bytes(name, kPlaybook, "the same without scores", "selective:attention",
               x.L * (projections + feed + norms) + edges);
    list.bytes(name, kPlaybook, "L·sbh·e + edges", "every:1", x.L * x.sbh() * x.e + edges);
}

/// What calculators make of Chen et al.: the activations of √L layers, and one more forward, a flat third.
void addSquareRoot(Collector &list, const Symbols &x)
{
    const char *source = "after arXiv 1604.06174; torchedup.dev, tooljolt.com";
    const double layer = x.sbh() * (34 + 5 * x.a * x.s / x.h) * x.e / 2;
    list.bytes("√L rule", source, "round(√L) × the activations of a layer", "sqrt", std::round(std::sqrt(x.L)) * layer);
    list.timeFactor("√L rule", source, "1.33", "sqrt", 1.33);
    list.timeFactor("one more forward", "rule of thumb: backward = 2 × forward", "4/3", "every:1", 4.0 / 3.0);
}

} // namespace

std::vector<std::string> referenceStrategies(const ChainShape &shape)
{
    std::vector<std::string> names{"none", "every:1", "sqrt", "input-only", "selective:attention"};
    for (const int n : {2, 4})
        if (n < shape.layers)
            names.push_back("segments:" + std::to_string(n));
    if (shape.layers > 4)
        names.push_back("every:4");
    return names;
}

Result<Reference> referenceOf(const ModelConfig &model, const Workload &workload, const ChainCosts &costs,
                              const std::vector<Point> &points)
{
    Reference reference;
    for (const std::string &name : referenceStrategies(chainShape(model, workload))) {
        const auto strategy = parseStrategy(name);
        if (!strategy)
            return strategy.error();
        const auto schedule = makeSchedule(*strategy, chainShape(model, workload));
        if (schedule && !hasCosts(*schedule, costs))
            continue;
        const auto expected = expect(*strategy, model, workload, costs);
        if (!expected)
            return expected.error();
        reference[name] = {expected->peak, expected->activationPeak, expected->step, false};
    }
    for (const Point &point : points)
        if (point.status == RunStatus::done && point.step.n > 0)
            reference[point.strategy] = {point.peakBytes, point.activationPeakBytes, point.step.median, true,
                                         predictedOf(reference[point.strategy])};
    return reference;
}

std::optional<AgainstNone> againstNone(const Reference &reference, const std::string &strategy)
{
    const auto none = reference.find("none");
    const auto of = reference.find(strategy);
    if (none == reference.end() || of == reference.end())
        return std::nullopt;
    if (none->second.measured == of->second.measured)
        return ratios(of->second, none->second, of->second.measured);
    const Expected predictedNone = predictedOf(none->second);
    const Expected predicted = predictedOf(of->second);
    if (predictedNone.step <= 0 || predicted.step <= 0)
        return std::nullopt;
    return ratios(predicted, predictedNone, false);
}

std::vector<PublishedValue> publishedValues(const ModelConfig &model, const Workload &workload,
                                            const Reference &reference)
{
    const Symbols x = symbolsOf(model, workload);
    Collector list(reference);
    addKorthikanti(list, x);
    addMegatron(list, x);
    addCookbook(list, x);
    addAccelerate(list, x, workload);
    addAgentcalc(list, x);
    addPlaybook(list, x, model);
    addSquareRoot(list, x);
    return list.take();
}

Json toJson(const std::vector<PublishedValue> &values)
{
    Json list = Json::array();
    for (const PublishedValue &value : values)
        list.push_back({{"name", value.name},
                        {"source", value.source},
                        {"formula", value.formula},
                        {"strategy", value.strategy},
                        {"what", value.what},
                        {"value", value.value},
                        {"ours", value.ours},
                        {"measured", value.measured},
                        {"error", value.error()}});
    return list;
}

} // namespace remat::core
