// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "model/workload.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "config/model_limits.h"

namespace remat::core {

namespace {

constexpr std::int64_t kMostSequences = 65'536;
constexpr std::int64_t kMostTokens = std::int64_t(1) << 30;
constexpr int kMostMicroBatches = 65'536;
constexpr int kMostThreads = 4096;
constexpr std::int64_t kDefaultSeq = 256;
constexpr std::int64_t kByteValues = 256;

Error usage(std::string message)
{
    return {ErrorCode::usage, std::move(message)};
}

Result<void> checkCounts(const Workload &w, const ModelConfig &model)
{
    if (w.batch < 1 || w.batch > kMostSequences)
        return usage("The batch of " + std::to_string(w.batch) + " sequences is not possible; allowed are 1 to 65536.");
    if (w.seq < 1 || w.seq > model.positions)
        return usage("The sequence length " + std::to_string(w.seq) + " is not possible; " + quoteText(model.name)
                     + " has positions for 1 to " + std::to_string(model.positions) + " tokens.");
    if (w.batch * w.seq > kMostTokens)
        return usage("A batch of " + std::to_string(w.batch) + " sequences of " + std::to_string(w.seq)
                     + " tokens is not possible; allowed are at most 2^30 tokens, so lower the batch or the length.");
    if (w.microBatches < 1 || w.microBatches > kMostMicroBatches)
        return usage("The number of micro-batches is " + std::to_string(w.microBatches) + "; allowed are 1 to 65536.");
    if (w.threads < 1 || w.threads > kMostThreads)
        return usage("The number of threads is " + std::to_string(w.threads) + "; allowed are 1 to 4096.");
    if (w.memoryBudget < 0)
        return usage("The memory budget is negative; give a size such as 4GiB.");
    return {};
}

Result<void> checkRates(const Workload &w)
{
    // A negative dropout means "as the config says" and was replaced where one number can say it.
    if (!(w.dropout < 1.0) || !(w.attentionDropout < 1.0))
        return usage("A dropout must be at least 0 and below 1, for example 0.1.");
    if (!(w.momentum >= 0.0 && w.momentum < 1.0))
        return usage("The momentum of sgd must be at least 0 and below 1, for example sgd:0.9.");
    if (!(w.clip >= 0.0) || !std::isfinite(w.clip))
        return usage("The gradient norm to clip at must be a positive number, or 0 for no clipping.");
    return {};
}

bool isDevice(std::string_view text)
{
    constexpr std::string_view kCuda = "cuda:";
    if (text == "cpu")
        return true;
    if (!text.starts_with(kCuda) || text.size() == kCuda.size() || text.size() > kCuda.size() + 4)
        return false;
    return std::all_of(text.begin() + kCuda.size(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::int64_t scaled(std::int64_t value, double factor, std::int64_t multiple)
{
    const double steps = std::round(static_cast<double>(value) * factor / static_cast<double>(multiple));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(steps)) * multiple;
}

void scaleHidden(ModelConfig &model, double factor)
{
    const ModelConfig before = model;
    const bool headsFillWidth = model.width == model.heads * model.headSize;
    const bool scaledEmbedding = model.embeddingScale != 1.0;
    model.kvHeads = scaled(model.kvHeads, factor, 1);
    // Query heads come in whole groups, one group per key/value head.
    model.heads = before.kvHeads == before.heads ? model.kvHeads : scaled(model.heads, factor, model.kvHeads);
    model.width = headsFillWidth ? model.heads * model.headSize : scaled(model.width, factor, model.headSize);
    model.ffnWidth = scaled(model.ffnWidth, factor, model.headSize);
    if (scaledEmbedding)
        model.embeddingScale = std::sqrt(static_cast<double>(model.width));
    const std::string why = "scaled by " + std::to_string(factor) + " in whole heads, head size kept";
    const auto note = [&](const char *key, std::int64_t from, std::int64_t to) {
        model.derived.push_back({key, std::to_string(to), why + "; the config has " + std::to_string(from)});
    };
    note("width", before.width, model.width);
    note("heads", before.heads, model.heads);
    note("kv_heads", before.kvHeads, model.kvHeads);
    note("ffn_width", before.ffnWidth, model.ffnWidth);
}

} // namespace

Result<Workload> resolveWorkload(Workload workload, const ModelConfig &model, int cores)
{
    if (workload.seq == 0)
        workload.seq = std::min(model.positions, kDefaultSeq);
    if (workload.threads == 0)
        workload.threads = std::max(1, cores);
    if (workload.dropout < 0.0 && model.embeddingDropout == model.residualDropout)
        workload.dropout = model.residualDropout;
    if (workload.attentionDropout < 0.0)
        workload.attentionDropout = model.attentionDropout;
    if (auto checked = checkCounts(workload, model); !checked)
        return checked.error();
    if (auto checked = checkRates(workload); !checked)
        return checked.error();
    if (!isDevice(workload.device))
        return usage("The device " + quoteText(workload.device)
                     + " is unknown; allowed are cpu and cuda:N, for example cuda:0.");
    if (workload.data.empty())
        return usage("The data source is empty; give 'random' or the path of a file.");
    if (workload.data != "random" && model.vocabulary < kByteValues)
        return usage("The file " + quoteText(workload.data)
                     + " cannot be the data: bytes need a vocabulary of at least 256, and " + quoteText(model.name)
                     + " has " + std::to_string(model.vocabulary) + "; use random data.");
    return workload;
}

Result<ModelConfig> scaledDown(ModelConfig model, int layers, double hiddenScale)
{
    if (layers < 0 || layers > kMostLayers)
        return usage("The number of layers is " + std::to_string(layers) + "; allowed are 1 to "
                     + std::to_string(kMostLayers) + ", or 0 for the config's own.");
    if (!(hiddenScale > 0.0 && hiddenScale <= 1.0))
        return usage("The hidden scale is " + std::to_string(hiddenScale) + "; allowed are numbers above 0 up to 1.");
    if (layers > 0 && layers != model.layers) {
        model.derived.push_back(
            {"layers", std::to_string(layers), "asked for; the config has " + std::to_string(model.layers)});
        model.layers = layers;
    }
    if (hiddenScale < 1.0)
        scaleHidden(model, hiddenScale);
    if (const std::string problem = shapeProblem(model); !problem.empty())
        return usage("The smaller sibling of " + quoteText(model.name) + " " + problem + "; choose another scale.");
    return model;
}

std::string optimizerText(const Workload &workload)
{
    switch (workload.optimizer) {
    case OptimizerKind::none:
        return "none";
    case OptimizerKind::adamw:
        return "adamw";
    case OptimizerKind::sgd:
        break;
    }
    if (workload.momentum == 0.0)
        return "sgd";
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, workload.momentum);
    return "sgd:" + std::string(text, end.ptr);
}

Result<void> parseOptimizer(std::string_view text, Workload &workload)
{
    constexpr std::string_view kMomentum = "sgd:";
    double momentum = 0.0;
    if (text.starts_with(kMomentum)) {
        const char *end = text.data() + text.size();
        const auto read = std::from_chars(text.data() + kMomentum.size(), end, momentum);
        if (read.ec != std::errc() || read.ptr != end || !(momentum >= 0.0 && momentum < 1.0))
            return usage("The optimizer " + quoteText(text) + " has no momentum between 0 and 1, for example sgd:0.9.");
        text = "sgd";
    }
    if (text == "none")
        workload.optimizer = OptimizerKind::none;
    else if (text == "sgd")
        workload.optimizer = OptimizerKind::sgd;
    else if (text == "adamw")
        workload.optimizer = OptimizerKind::adamw;
    else
        return usage("The optimizer " + quoteText(text)
                     + " is unknown; allowed are none, sgd, sgd:MOMENTUM and adamw.");
    workload.momentum = momentum;
    return {};
}

} // namespace remat::core
