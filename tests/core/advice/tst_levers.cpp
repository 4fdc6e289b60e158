// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "advice/levers.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/advice/advice_models.h"
#include "plan/planner.h"
#include "support/fake_backend.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

/// Every lever as somebody at the command line would pull it, by kind.
const std::vector<std::pair<LeverKind, std::vector<std::string>>> &typed()
{
    static const std::vector<std::pair<LeverKind, std::vector<std::string>>> list{
        {LeverKind::chunkedLoss, {"--loss chunked:2", "--loss chunked:4", "--loss chunked:8", "--loss chunked:16"}},
        {LeverKind::updateInBackward, {"--update-in-backward"}},
        {LeverKind::bf16, {"--dtype bf16"}},
        {LeverKind::mixedBf16, {"--dtype mixed-bf16"}},
        {LeverKind::accumulation, {"--batch 1 --micro-batches"}},
        {LeverKind::fusedAttention, {"--attention sdpa"}}};
    return list;
}

/// A lever that changes nothing is none.
bool hasEffect(LeverKind kind, const Workload &now)
{
    switch (kind) {
    case LeverKind::chunkedLoss:
        return now.lossChunks == 0;
    case LeverKind::updateInBackward:
        return !now.updateInBackward;
    case LeverKind::bf16:
    case LeverKind::mixedBf16:
        return now.dtype == Dtype::fp32;
    case LeverKind::accumulation:
        return now.batch > 1;
    case LeverKind::fusedAttention:
        return now.attention == AttentionKernel::math && now.attentionDropout == 0.0;
    }
    return false;
}

struct Recomputed
{
    Workload workload;
    Bytes peak = 0;
    Bytes smallest = 0;
    Nanoseconds step = 0;
};

std::optional<Recomputed> recomputed(const ModelConfig &model, const Workload &workload, const CostsAt &costsAt)
{
    const auto again = resolveWorkload(workload, model, workload.threads);
    if (!again)
        return std::nullopt;
    const auto forecast = costsAt(model, *again).value();
    const Simulation none = simulationOf("none", model, *again, forecast.costs);
    // The planner's own answer: the smallest budget that it can serve.
    auto planner = Planner::make(PlannerKind::optimal, planProblem(forecast.costs, chainShape(model, *again))).value();
    return Recomputed{*again, none.peak, planner.plan(0).minFeasibleBudget, none.stepNs};
}

Workload pulled(const std::string &option, const Workload &now)
{
    std::vector<std::string> words = wordsOf(option);
    if (words.back() == "--micro-batches")
        words.push_back(std::to_string(now.batch * now.microBatches));
    // Without a type in the words the present one stays, unlike at the start of a command.
    Workload changed = withArguments(now, words);
    if (option.find("--dtype") == std::string::npos)
        changed.dtype = now.dtype;
    return changed;
}

double gainOf(const Recomputed &lever, const Recomputed &now)
{
    return std::max(1.0 - double(lever.peak) / double(now.peak), 1.0 - double(lever.smallest) / double(now.smallest));
}

std::vector<Workload> workloadsOf(const ModelConfig &model)
{
    std::vector<Workload> list;
    const auto add = [&](const std::function<void(Workload &)> &change) {
        Workload workload = workloadOf(model, 8, 256);
        workload.attentionDropout = 0.0;
        change(workload);
        if (auto made = resolveWorkload(workload, model, 1))
            list.push_back(*made);
    };
    add([](Workload &) {});
    add([](Workload &w) { w.attention = AttentionKernel::math; });
    add([](Workload &w) { w.attention = AttentionKernel::math, w.attentionDropout = 0.1; });
    add([](Workload &w) { w.dtype = Dtype::bf16, w.batch = 1; });
    add([](Workload &w) { w.lossChunks = 8, w.clip = 1.0; });
    add([](Workload &w) { w.microBatches = 2, w.optimizer = OptimizerKind::sgd; });
    add([](Workload &w) { w.train = {TrainKind::lora, 8}; });
    add([](Workload &w) { w.optimizer = OptimizerKind::none; });
    return list;
}

/// Empty where the listed levers are those that help, each with what it really does.
std::string problemOf(const Limits &limits, const ModelConfig &model, const Workload &workload, const CostsAt &costsAt)
{
    const Recomputed now = *recomputed(model, workload, costsAt);
    double before = 1.0;
    std::set<LeverKind> listed;
    for (const Lever &lever : limits.levers) {
        const auto then = recomputed(model, pulled(lever.option, workload), costsAt);
        if (!then || workloadHash(model, then->workload) != workloadHash(model, lever.workload))
            return lever.option + " leads to another workload";
        if (then->peak != lever.peak || then->smallest != lever.smallestPeak || then->step != lever.step)
            return lever.option + " has other numbers";
        const double gain = gainOf(*then, now);
        if (gain < 0.03 || gain > before)
            return lever.option + " is no lever, or in the wrong place";
        if (!hasEffect(lever.kind, workload) || !listed.insert(lever.kind).second)
            return lever.option + " changes nothing, or stands twice";
        before = gain;
    }
    for (const auto &[kind, options] : typed())
        for (const std::string &option : options) {
            const auto then = recomputed(model, pulled(option, workload), costsAt);
            if (hasEffect(kind, workload) && then && gainOf(*then, now) >= 0.03 && !listed.contains(kind))
                return option + " is missing";
        }
    return {};
}

/// The fewest chunks that help and gain all but two points of what the best number of chunks gains.
std::string problemOfStrength(const Limits &limits, const ModelConfig &model, const Workload &workload,
                              const CostsAt &costsAt)
{
    const auto listed = std::find_if(limits.levers.begin(), limits.levers.end(),
                                     [](const Lever &lever) { return lever.kind == LeverKind::chunkedLoss; });
    if (listed == limits.levers.end())
        return {};
    const Recomputed now = *recomputed(model, workload, costsAt);
    std::map<int, double> gains;
    double best = 0.0;
    for (int chunks = 2; chunks <= 16; chunks *= 2) {
        const auto other = recomputed(model, pulled("--loss chunked:" + std::to_string(chunks), workload), costsAt);
        best = std::max(best, gains[chunks] = gainOf(*other, now));
    }
    for (const auto &[chunks, gain] : gains)
        if (gain >= 0.03 && gain >= best - 0.02)
            return chunks == listed->workload.lossChunks ? "" : std::to_string(chunks) + " chunks would do";
    return "no number of chunks would do";
}

} // namespace

class tst_levers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void levers_areThoseThatHelp()
    {
        std::set<LeverKind> seen;
        for (const char *name : {"gpt2_small", "llama_8b", "vit_base", "phi_2", "gemma2_9b"}) {
            const ModelConfig model = modelNamed(name, 2);
            for (const Workload &workload : workloadsOf(model)) {
                const CostsAt costsAt = byFormula();
                const auto limits = limitsOf(model, workload, costsAt);
                QVERIFY2(limits, limits ? "" : limits.error().message.c_str());
                std::string wrong = problemOf(*limits, model, workload, costsAt);
                if (wrong.empty())
                    wrong = problemOfStrength(*limits, model, workload, costsAt);
                QVERIFY2(wrong.empty(), (name + textOf(workload) + ": " + wrong).c_str());
                for (const Lever &lever : limits->levers)
                    seen.insert(lever.kind);
            }
        }
        QCOMPARE(seen.size(), typed().size());
    }

    void refusedLevers_areAbsent()
    {
        const ModelConfig tied = modelNamed("gpt2_small", 2);
        const Workload workload = workloadOf(tied, 8, 256);
        const Limits limits = limitsOf(tied, workload, byFormula()).value();
        for (const Lever &lever : limits.levers)
            QVERIFY(lever.kind != LeverKind::updateInBackward); // head and embedding share their weight
        const ModelConfig llama = modelNamed("llama_8b", 2);
        const auto offersUpdate = [&](const Workload &of) {
            const Limits there = limitsOf(llama, of, byFormula()).value();
            for (const Lever &lever : there.levers)
                if (lever.kind == LeverKind::updateInBackward)
                    return true;
            return false;
        };
        Workload single = workloadOf(llama, 1, 64);
        QVERIFY(offersUpdate(single));
        single.clip = 1.0;
        QVERIFY(!offersUpdate(single));
        single.clip = 0.0;
        single.microBatches = 2;
        QVERIFY(!offersUpdate(single));
    }

    /// The most that a workload may have, times the most that it may have.
    void accumulation_beyondWhatIsAllowed_isAbsent()
    {
        const ModelConfig model = tinyModel(2);
        Workload workload = workloadOf(model, 65536, 8);
        workload.microBatches = 65536;
        const auto limits = limitsOf(model, workload, byFake());
        QVERIFY(limits);
        for (const Lever &lever : limits->levers)
            QVERIFY(lever.kind != LeverKind::accumulation);
    }

    void shares_areThoseOfTheParts()
    {
        for (const char *name : {"gpt2_small", "llama_8b", "vit_base", "phi_2", "gemma2_9b"}) {
            const ModelConfig model = modelNamed(name, 2);
            for (const Workload &workload : workloadsOf(model)) {
                const Limits limits = limitsOf(model, workload, byFormula()).value();
                const Recomputed now = *recomputed(model, workload, byFormula());
                QCOMPARE(limits.estimate.peak, now.peak);
                QCOMPARE(limits.estimate.smallestPeak, now.smallest);
                QCOMPARE(limits.step, now.step);
                const double peak = double(now.peak);
                QVERIFY(std::abs(limits.saving * peak - double(now.peak - now.smallest)) < 1);
                QCOMPARE(limits.hardlyMatters, 4 * (now.peak - now.smallest) < now.peak);
                const MemoryParts &parts = limits.estimate.parts;
                QVERIFY(std::abs(limits.logits * peak - double(parts.logits)) < 1);
                QVERIFY(std::abs(limits.optimizer * peak - double(parts.optimizer)) < 1);
                QVERIFY(std::abs(limits.states * peak - double(parts.weights + parts.optimizer + parts.gradients)) < 1);
                QCOMPARE(limits.floorIsLoss, limits.estimate.smallestWhere == "head and loss");
                const auto all = sentences(limits);
                const bool heavy = 10 * parts.logits > 3 * now.peak;
                QCOMPARE(all.size(), 1U + (heavy ? 1U : 0U) + (limits.floorIsLoss ? 1U : 0U) + limits.levers.size());
                QCOMPARE(all[1 % all.size()].starts_with("Head and loss alone need"), heavy);
                QCOMPARE(all[0].starts_with("Checkpointing hardly matters here"), limits.hardlyMatters);
                for (const std::string &text : all)
                    QVERIFY2(text.ends_with('.'), text.c_str());
                for (std::size_t i = 0; i < limits.levers.size(); ++i) {
                    const std::string &text = all[all.size() - limits.levers.size() + i];
                    QVERIFY2(text.starts_with(limits.levers[i].option + ": "), text.c_str());
                    QVERIFY(text.find("→ " + formatBytes(limits.levers[i].peak)) != std::string::npos);
                }
            }
        }
    }

    void floor_ofALargeVocabulary_isTheLoss()
    {
        const ModelConfig model = modelNamed("llama_8b", 2);
        Workload workload = workloadOf(model, 16, 256); // 128256 words
        workload.optimizer = OptimizerKind::none;
        const Limits limits = limitsOf(model, workload, byFormula()).value();
        QVERIFY(limits.floorIsLoss && limits.hardlyMatters);
        const auto chunks = std::find_if(limits.levers.begin(), limits.levers.end(),
                                         [](const Lever &lever) { return lever.kind == LeverKind::chunkedLoss; });
        QVERIFY(chunks != limits.levers.end() && 10 * chunks->peak < 9 * limits.estimate.peak);
        const auto all = sentences(limits);
        QVERIFY(std::any_of(all.begin(), all.end(), [](const std::string &text) {
            return text.find("only a chunked loss") != std::string::npos;
        }));
    }

    void json_hasALeverEach()
    {
        const ModelConfig model = modelNamed("gpt2_small", 2);
        const Limits limits = limitsOf(model, workloadOf(model, 8, 256), byFormula()).value();
        const Json json = toJson(limits);
        QCOMPARE(json.at("levers").size(), limits.levers.size());
        QVERIFY(limits.levers.size() >= 3);
        std::set<std::string> names;
        for (const Json &lever : json.at("levers"))
            names.insert(lever.at("lever").get<std::string>());
        QCOMPARE(names.size(), limits.levers.size());
        QVERIFY(!names.contains(""));
        QCOMPARE(json.at("sentences").size(), sentences(limits).size());
    }

    void errors_areThoseOfTheCosts()
    {
        const ModelConfig model = tinyModel(2);
        const Workload workload = workloadOf(model, 2, 8);
        const CostsAt broken = [](const ModelConfig &, const Workload &) -> Result<Forecast> {
            return Error{ErrorCode::failed, "The probe broke."};
        };
        const auto limits = limitsOf(model, workload, broken);
        QVERIFY(!limits && limits.error().message == "The probe broke.");
        for (const ErrorCode code :
             {ErrorCode::usage, ErrorCode::refused, ErrorCode::doesNotFit, ErrorCode::failed, ErrorCode::cancelled}) {
            const CostsAt once = [&](const ModelConfig &of, const Workload &at) -> Result<Forecast> {
                if (workloadHash(of, at) != workloadHash(model, workload))
                    return Error{code, "Not with this."};
                return byFake()(of, at);
            };
            const auto without = limitsOf(model, workload, once);
            if (code == ErrorCode::failed || code == ErrorCode::cancelled)
                QVERIFY(!without && without.error().code == code);
            else
                QVERIFY(without && without->levers.empty());
        }
    }

private:
    static std::string textOf(const Workload &workload) { return " " + toJson(workload).dump(); }
};

REMAT_TEST(tst_levers);
#include "tst_levers.moc"
