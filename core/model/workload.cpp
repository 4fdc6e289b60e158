// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "model/workload.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "config/model_limits.h"
#include "model/workload_limits.h"

namespace remat::core {

namespace {

constexpr int kMostMicroBatches = 65'536;
constexpr int kMostThreads = 4096;
constexpr std::int64_t kDefaultSeq = 256;
constexpr std::int64_t kByteValues = 256;

Error usage(std::string message)
{
    return {ErrorCode::usage, std::move(message)};
}

Error refused(std::string message)
{
    return {ErrorCode::refused, std::move(message)};
}

Result<void> checkCounts(const Workload &w, const ModelConfig &model)
{
    if (w.batch < 1 || w.batch > kMostSequences)
        return usage("The batch of " + std::to_string(w.batch) + " sequences is not possible; allowed are 1 to 65536.");
    if (w.seq < 1 || w.seq > model.positions)
        return usage("The sequence length " + std::to_string(w.seq) + " is not possible; " + quoteText(model.name)
                     + " has positions for 1 to " + std::to_string(model.positions) + " tokens.");
    if (model.head == HeadKind::image && w.seq != model.positions)
        return usage("The sequence length " + std::to_string(w.seq) + " is not possible; an image of "
                     + quoteText(model.name) + " is always " + std::to_string(model.positions)
                     + " tokens, so leave the length out.");
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
    if (w.lossChunks < 0)
        return usage("The loss is computed in at least one part of the tokens, for example chunked:4.");
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

bool isCuda(const Workload &w)
{
    return w.device.starts_with("cuda");
}

/// Kernels and element types that the device or the model does not have.
Result<void> checkKernels(const Workload &w, const ModelConfig &model)
{
    if (!isCuda(w) && (w.dtype == Dtype::fp16 || w.dtype == Dtype::mixedFp16))
        return refused(
            "The element type " + std::string(toString(w.dtype))
            + " needs a CUDA device: the processor's kernels compute in fp32 or bf16, so use mixed-bf16 or fp32.");
    if (w.attention == AttentionKernel::math || w.attention == AttentionKernel::sdpa)
        return {};
    const std::string kernel(toString(w.attention));
    if (!isCuda(w) && w.attention == AttentionKernel::efficient)
        return refused(
            "The attention kernel efficient exists on CUDA devices only; use flash, sdpa or math on the CPU.");
    if (model.attentionSoftcap > 0.0)
        return refused("The attention kernel " + kernel + " cannot cap the scores as " + quoteText(model.name)
                       + " does; only the explicit products can, so use --attention math.");
    if (!isCuda(w) && w.attentionDropout > 0.0)
        return refused(
            "The attention kernel flash has no dropout on the CPU; use --attention-dropout 0 or another kernel.");
    return {};
}

/// An update in the middle of the backward needs gradients that are complete then and needed no more.
Result<void> checkUpdateInBackward(const Workload &w, const ModelConfig &model)
{
    if (!w.updateInBackward)
        return {};
    const auto refuse = [](const std::string &why) {
        return refused("Parameters cannot be updated in the backward: " + why + "; leave out --update-in-backward.");
    };
    if (w.optimizer == OptimizerKind::none)
        return refuse("there is no optimizer");
    if (model.tiedHead && w.train.kind == TrainKind::all)
        return refuse("head and embedding share their weight, whose gradient is complete only at the end");
    if (w.lossChunks > 1 && w.train.kind != TrainKind::lora)
        return refuse("each of the " + std::to_string(w.lossChunks)
                      + " parts of the loss adds its share to the head's gradient");
    if (w.dtype == Dtype::fp16 || w.dtype == Dtype::mixedFp16)
        return refuse("gradients of a scaled loss are only known to be finite at the end");
    if (w.clip > 0.0)
        return refuse("clipping needs the norm of all gradients first");
    if (w.microBatches > 1)
        return refuse("gradients of " + std::to_string(w.microBatches) + " micro-batches are summed up first");
    if (w.gradients == GradientRule::kept)
        return refuse("it frees every gradient at once, and --grads kept asks to keep them");
    return {};
}

Result<void> checkTrain(const Workload &w, const ModelConfig &model)
{
    if (w.train.kind == TrainKind::last && (w.train.n < 1 || w.train.n > model.layers))
        return usage("The last " + std::to_string(w.train.n) + " blocks cannot be trained: " + quoteText(model.name)
                     + " has " + std::to_string(model.layers)
                     + ", so use last:1 to last:" + std::to_string(model.layers) + ".");
    if (w.train.kind == TrainKind::lora && (w.train.n < 1 || w.train.n > model.width))
        return usage("Adapters of rank " + std::to_string(w.train.n)
                     + " are not possible: the rank goes from 1 to the width of " + quoteText(model.name) + ", "
                     + std::to_string(model.width) + ".");
    return {};
}

Result<void> checkLoss(const Workload &w, const ModelConfig &model)
{
    if (w.lossChunks == 0)
        return {};
    if (model.head == HeadKind::sequence || model.head == HeadKind::image)
        return usage("The loss of " + quoteText(model.name)
                     + " cannot be computed in chunks: a class head has one row a sequence; use --loss full.");
    if (w.lossChunks > w.batch * w.seq)
        return usage("The loss cannot be computed in " + std::to_string(w.lossChunks) + " chunks: the batch has "
                     + std::to_string(w.batch * w.seq) + " tokens; use fewer.");
    return {};
}

Result<void> checkData(const Workload &w, const ModelConfig &model)
{
    if (w.data.empty())
        return usage("The data source is empty; give 'random' or the path of a file.");
    if (w.data == "random")
        return {};
    const std::string cannot = "The file " + quoteText(w.data) + " cannot be the data: ";
    if (model.head == HeadKind::image)
        return usage(cannot + quoteText(model.name) + " learns from images; use random data.");
    if (model.vocabulary < kByteValues)
        return usage(cannot + "bytes need a vocabulary of at least 256, and " + quoteText(model.name) + " has "
                     + std::to_string(model.vocabulary) + "; use random data.");
    return {};
}

void fillDefaults(Workload &w, const ModelConfig &model, int cores)
{
    if (w.seq == 0)
        w.seq = model.head == HeadKind::image ? model.positions : std::min(model.positions, kDefaultSeq);
    if (w.threads == 0)
        w.threads = std::max(1, cores);
    if (w.dropout < 0.0 && model.embeddingDropout == model.residualDropout)
        w.dropout = model.residualDropout;
    if (w.attentionDropout < 0.0)
        w.attentionDropout = model.attentionDropout;
    // No kernel but the explicit products caps scores.
    if (w.attention == AttentionKernel::sdpa && model.attentionSoftcap > 0.0)
        w.attention = AttentionKernel::math;
}

} // namespace

Result<Workload> resolveWorkload(Workload workload, const ModelConfig &model, int cores)
{
    fillDefaults(workload, model, cores);
    if (auto checked = checkCounts(workload, model); !checked)
        return checked.error();
    if (auto checked = checkRates(workload); !checked)
        return checked.error();
    if (!isDevice(workload.device))
        return usage("The device " + quoteText(workload.device)
                     + " is unknown; allowed are cpu and cuda:N, for example cuda:0.");
    for (const auto check : {checkKernels, checkUpdateInBackward, checkTrain, checkLoss, checkData})
        if (auto checked = check(workload, model); !checked)
            return checked.error();
    return workload;
}

ChainShape chainShape(const ModelConfig &model, const Workload &workload)
{
    ChainShape shape = chainShape(model);
    if (workload.train.kind == TrainKind::last)
        shape.firstTrainable = shape.firstStageOf(model.layers - workload.train.n);
    if (workload.train.kind == TrainKind::lora)
        shape.firstTrainable = 1;
    return shape;
}

} // namespace remat::core
