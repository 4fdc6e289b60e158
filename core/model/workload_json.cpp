// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <array>

#include "base/text.h"
#include "model/json_members.h"
#include "model/workload.h"

namespace remat::core {

namespace {

constexpr std::array<std::pair<Dtype, std::string_view>, 5> kDtypes = {{{Dtype::fp32, "fp32"},
                                                                        {Dtype::bf16, "bf16"},
                                                                        {Dtype::fp16, "fp16"},
                                                                        {Dtype::mixedBf16, "mixed-bf16"},
                                                                        {Dtype::mixedFp16, "mixed-fp16"}}};
constexpr std::array<std::pair<AttentionKernel, std::string_view>, 4> kKernels
    = {{{AttentionKernel::math, "math"},
        {AttentionKernel::sdpa, "sdpa"},
        {AttentionKernel::flash, "flash"},
        {AttentionKernel::efficient, "efficient"}}};
constexpr std::array<std::pair<GradientRule, std::string_view>, 2> kRules
    = {{{GradientRule::freed, "freed"}, {GradientRule::kept, "kept"}}};

template <typename E>
Result<E> fromName(Names<E> names, std::string_view text, const char *what)
{
    std::string allowed;
    for (const auto &[value, name] : names) {
        if (name == text)
            return value;
        allowed += (allowed.empty() ? "" : ", ") + std::string(name);
    }
    return Error{ErrorCode::usage,
                 "The " + std::string(what) + " " + quoteText(text) + " is unknown; allowed are " + allowed + "."};
}

std::string fnv1a(std::string_view text)
{
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 1099511628211ULL;
    }
    std::string digits(16, '0');
    for (std::size_t i = digits.size(); i-- > 0; hash >>= 4)
        digits[i] = "0123456789abcdef"[hash & 15U];
    return digits;
}

} // namespace

std::string_view toString(Dtype dtype)
{
    return nameOf<Dtype>(kDtypes, dtype);
}
std::string_view toString(AttentionKernel kernel)
{
    return nameOf<AttentionKernel>(kKernels, kernel);
}
std::string_view toString(GradientRule rule)
{
    return nameOf<GradientRule>(kRules, rule);
}

Result<Dtype> dtypeFrom(std::string_view text)
{
    return fromName<Dtype>(kDtypes, text, "element type");
}
Result<AttentionKernel> attentionFrom(std::string_view text)
{
    return fromName<AttentionKernel>(kKernels, text, "attention kernel");
}

Json toJson(const Workload &w)
{
    return {{"batch", w.batch},
            {"seq", w.seq},
            {"micro_batches", w.microBatches},
            {"dtype", toString(w.dtype)},
            {"attention", toString(w.attention)},
            {"dropout", w.dropout},
            {"attention_dropout", w.attentionDropout},
            {"optimizer", optimizerText(w)},
            {"grads", toString(w.gradients)},
            {"update_in_backward", w.updateInBackward},
            {"loss", lossText(w)},
            {"train", trainText(w)},
            {"clip", w.clip},
            {"data", cleanUtf8(w.data)},
            {"seed", w.seed},
            {"device", w.device},
            {"threads", w.threads},
            {"memory_budget", w.memoryBudget}};
}

Result<Workload> workloadFromJson(const Json &json)
{
    Workload w;
    std::string optimizer = optimizerText(w);
    std::string loss = lossText(w);
    std::string train = trainText(w);
    Fields fields(json, "The workload");
    fields.read("batch", w.batch).read("seq", w.seq).read("micro_batches", w.microBatches);
    fields.readName<Dtype>("dtype", kDtypes, w.dtype).readName<AttentionKernel>("attention", kKernels, w.attention);
    fields.read("dropout", w.dropout).read("attention_dropout", w.attentionDropout).read("optimizer", optimizer);
    fields.readName<GradientRule>("grads", kRules, w.gradients).read("clip", w.clip).read("data", w.data);
    fields.read("update_in_backward", w.updateInBackward).read("loss", loss).read("train", train);
    fields.read("seed", w.seed).read("device", w.device).read("threads", w.threads);
    fields.read("memory_budget", w.memoryBudget);
    if (fields.error())
        return *fields.error();
    if (auto parsed = parseOptimizer(optimizer, w); !parsed)
        return parsed.error();
    if (auto parsed = parseLoss(loss, w); !parsed)
        return parsed.error();
    if (auto parsed = parseTrain(train, w); !parsed)
        return parsed.error();
    return w;
}

std::string workloadHash(const ModelConfig &model, const Workload &workload)
{
    Json shape = toJson(model);
    // Names and remarks say nothing about the step, and a budget only says whether it may run.
    for (const char *key : {"name", "support", "reason", "derived", "defaulted", "ignored", "warnings"})
        shape.erase(key);
    Json step = toJson(workload);
    step.erase("memory_budget");
    return fnv1a(shape.dump() + step.dump());
}

} // namespace remat::core
