// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "core/advice/advice_models.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include <QtGlobal>

#include "config/config_reader.h"
#include "plan/planned_strategy.h"
#include "support/fake_backend.h"

namespace remat::tests {

using namespace core;

namespace {

template <typename T>
T orFail(Result<T> result)
{
    if (!result)
        qFatal("%s", result.error().message.c_str());
    return std::move(*result);
}

void orFail(const Result<void> &result)
{
    if (!result)
        qFatal("%s", result.error().message.c_str());
}

} // namespace

const std::vector<std::string> &modelNames()
{
    static const std::vector<std::string> names{"gpt2_small", "llama_8b", "bert_base_classifier",
                                                "phi_2",      "vit_base", "mixtral_8x7b",
                                                "gemma2_9b",  "olmo2_7b", "bloom_560m"};
    return names;
}

ModelConfig modelNamed(const std::string &name, int layers)
{
    auto model = orFail(readModelConfig(std::string(REMAT_TEST_DATA) + "/configs/" + name + ".json"));
    return orFail(scaledDown(std::move(model), layers, 1.0));
}

Workload resolved(Workload workload, const ModelConfig &model)
{
    workload.threads = 1;
    return orFail(resolveWorkload(workload, model, 1));
}

Workload workloadOf(const ModelConfig &model, std::int64_t batch, std::int64_t seq)
{
    Workload workload;
    workload.batch = batch;
    workload.seq = model.head == HeadKind::image ? 0 : seq;
    return resolved(workload, model);
}

CostsAt byFormula(const char *device)
{
    return [peaks = orFail(deviceNamed(device))](const ModelConfig &model, const Workload &workload) {
        return formulaForecast(model, workload, peaks);
    };
}

CostsAt byFake(Nanoseconds onceAStep)
{
    return [onceAStep](const ModelConfig &model, const Workload &workload) -> Result<Forecast> {
        ChainCosts costs = fakeCosts(model, workload, plannableOptions(chainShape(model, workload)));
        costs.otherNs += onceAStep;
        return Forecast{std::move(costs), false, false};
    };
}

Simulation simulationOf(const std::string &strategy, const ModelConfig &model, const Workload &workload,
                        const ChainCosts &costs)
{
    const auto schedule = orFail(scheduleFor(orFail(parseStrategy(strategy)), chainShape(model, workload), costs));
    return orFail(simulate(schedule, costs));
}

std::vector<std::string> wordsOf(const std::string &command)
{
    std::vector<std::string> words;
    bool quoted = false;
    bool inside = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (!quoted && c == ' ') {
            inside = false;
            continue;
        }
        if (!inside)
            words.emplace_back();
        inside = true;
        if (c == '\'')
            quoted = !quoted;
        else
            words.back() += !quoted && c == '\\' ? command[++i] : c;
    }
    return words;
}

Workload withArguments(Workload start, const std::vector<std::string> &words)
{
    using Set = std::function<void(Workload &, const std::string &)>;
    const auto number = [](const std::string &text) { return std::strtoll(text.c_str(), nullptr, 10); };
    const auto real = [](const std::string &text) { return std::strtod(text.c_str(), nullptr); };
    const std::map<std::string, Set> options{
        {"--batch", [&](Workload &w, const std::string &v) { w.batch = number(v); }},
        {"--seq", [&](Workload &w, const std::string &v) { w.seq = number(v); }},
        {"--micro-batches", [&](Workload &w, const std::string &v) { w.microBatches = int(number(v)); }},
        {"--dtype", [](Workload &w, const std::string &v) { w.dtype = orFail(dtypeFrom(v)); }},
        {"--attention", [](Workload &w, const std::string &v) { w.attention = orFail(attentionFrom(v)); }},
        {"--dropout", [&](Workload &w, const std::string &v) { w.dropout = real(v); }},
        {"--attention-dropout", [&](Workload &w, const std::string &v) { w.attentionDropout = real(v); }},
        {"--optimizer", [](Workload &w, const std::string &v) { orFail(parseOptimizer(v, w)); }},
        {"--loss", [](Workload &w, const std::string &v) { orFail(parseLoss(v, w)); }},
        {"--train", [](Workload &w, const std::string &v) { orFail(parseTrain(v, w)); }},
        {"--grads",
         [](Workload &w, const std::string &v) {
             w.gradients = v == "kept" ? GradientRule::kept : GradientRule::freed;
         }},
        {"--clip", [&](Workload &w, const std::string &v) { w.clip = real(v); }},
        {"--data", [](Workload &w, const std::string &v) { w.data = v; }},
        {"--seed", [](Workload &w, const std::string &v) { w.seed = std::strtoull(v.c_str(), nullptr, 10); }},
        {"--device", [](Workload &w, const std::string &v) { w.device = v; }},
        {"--threads", [&](Workload &w, const std::string &v) { w.threads = int(number(v)); }},
        {"--memory-budget", [](Workload &w, const std::string &v) { w.memoryBudget = orFail(parseBytes(v)); }},
        {"--strategy", [](Workload &, const std::string &) {}}};
    std::set<std::string> typed;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--update-in-backward") {
            start.updateInBackward = true;
            continue;
        }
        const auto option = options.find(words[i]);
        if (option == options.end() || i + 1 == words.size())
            qFatal("'%s' is no option of a workload", words[i].c_str());
        typed.insert(words[i]);
        option->second(start, words[++i]);
    }
    if (!typed.contains("--dtype"))
        start.dtype = start.device == "cpu" ? Dtype::fp32 : Dtype::bf16; // the command line's default
    return start;
}

} // namespace remat::tests
