// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <charconv>

#include "base/text.h"
#include "model/workload.h"

namespace remat::core {

namespace {

constexpr int kMostOfAnything = 1'000'000;

Error usage(std::string message)
{
    return {ErrorCode::usage, std::move(message)};
}

/// The number behind a prefix such as "last:"; 0 where the text is another or its number is no positive one.
int numberAfter(std::string_view prefix, std::string_view text)
{
    if (!text.starts_with(prefix))
        return 0;
    int number = 0;
    const char *end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + prefix.size(), end, number);
    return read.ec == std::errc() && read.ptr == end && number >= 1 && number <= kMostOfAnything ? number : 0;
}

} // namespace

std::string optimizerText(const Workload &workload)
{
    switch (workload.optimizer) {
    case OptimizerKind::none:
        return "none";
    case OptimizerKind::adamw:
        return "adamw";
    case OptimizerKind::adamwPerTensor:
        return "adamw-per-tensor";
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
    else if (text == "adamw-per-tensor")
        workload.optimizer = OptimizerKind::adamwPerTensor;
    else
        return usage("The optimizer " + quoteText(text)
                     + " is unknown; allowed are none, sgd, sgd:MOMENTUM, adamw and adamw-per-tensor.");
    workload.momentum = momentum;
    return {};
}

std::string trainText(const Workload &workload)
{
    switch (workload.train.kind) {
    case TrainKind::all:
        break;
    case TrainKind::last:
        return "last:" + std::to_string(workload.train.n);
    case TrainKind::lora:
        return "lora:" + std::to_string(workload.train.n);
    }
    return "all";
}

Result<void> parseTrain(std::string_view text, Workload &workload)
{
    if (text == "all")
        workload.train = {};
    else if (const int blocks = numberAfter("last:", text); blocks > 0)
        workload.train = {TrainKind::last, blocks};
    else if (const int rank = numberAfter("lora:", text); rank > 0)
        workload.train = {TrainKind::lora, rank};
    else
        return usage("What is trained, " + quoteText(text)
                     + ", is unknown; allowed are all, last:N and lora:RANK with a number from 1, for example last:2.");
    return {};
}

std::string lossText(const Workload &workload)
{
    return workload.lossChunks == 0 ? "full" : "chunked:" + std::to_string(workload.lossChunks);
}

Result<void> parseLoss(std::string_view text, Workload &workload)
{
    if (text == "full")
        workload.lossChunks = 0;
    else if (const int chunks = numberAfter("chunked:", text); chunks > 0)
        workload.lossChunks = chunks;
    else
        return usage("The loss " + quoteText(text)
                     + " is unknown; allowed are full and chunked:N with a number from 1, for example chunked:4.");
    return {};
}

Bytes computeElementSize(Dtype dtype)
{
    return dtype == Dtype::fp32 ? 4 : 2;
}

Bytes weightElementSize(Dtype dtype)
{
    return dtype == Dtype::fp32 || isMixed(dtype) ? 4 : 2;
}

bool isMixed(Dtype dtype)
{
    return dtype == Dtype::mixedBf16 || dtype == Dtype::mixedFp16;
}

} // namespace remat::core
