// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/command_line.h"

#include <algorithm>
#include <charconv>

namespace remat::core {

namespace {

std::string numberText(double value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value);
    return {text, end.ptr};
}

std::string option(std::string_view name, const std::string &value)
{
    return " --" + std::string(name) + " " + shellWord(value);
}

} // namespace

std::string shellWord(const std::string &text)
{
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
            || std::string_view("-_./:,+=@%").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain))
        return text;
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string sizeWord(Bytes bytes)
{
    for (const auto &[unit, shift] : {std::pair{"GiB", 30}, std::pair{"MiB", 20}, std::pair{"KiB", 10}})
        if (bytes > 0 && bytes % (Bytes(1) << shift) == 0)
            return std::to_string(bytes >> shift) + unit;
    return std::to_string(bytes);
}

std::string workloadArguments(const Workload &workload, const ModelConfig &model, int cores)
{
    std::string text = option("batch", std::to_string(workload.batch)) + option("seq", std::to_string(workload.seq));
    const Workload plain;
    const auto resolved = resolveWorkload(plain, model, cores);
    const Workload &usual = resolved ? *resolved : plain;
    const auto add = [&](bool differs, std::string_view name, const std::string &value) {
        if (differs)
            text += option(name, value);
    };
    add(workload.microBatches != 1, "micro-batches", std::to_string(workload.microBatches));
    // The command line's own default follows the device.
    const Dtype usualDtype = workload.device == "cpu" ? Dtype::fp32 : Dtype::bf16;
    add(workload.dtype != usualDtype, "dtype", std::string(toString(workload.dtype)));
    add(workload.attention != usual.attention, "attention", std::string(toString(workload.attention)));
    add(workload.dropout != usual.dropout, "dropout", numberText(workload.dropout));
    add(workload.attentionDropout != usual.attentionDropout, "attention-dropout",
        numberText(workload.attentionDropout));
    add(optimizerText(workload) != optimizerText(usual), "optimizer", optimizerText(workload));
    if (workload.updateInBackward)
        text += " --update-in-backward";
    add(lossText(workload) != lossText(usual), "loss", lossText(workload));
    add(trainText(workload) != trainText(usual), "train", trainText(workload));
    add(workload.gradients != usual.gradients, "grads", std::string(toString(workload.gradients)));
    add(workload.clip > 0.0, "clip", numberText(workload.clip));
    add(workload.data != usual.data, "data", workload.data);
    add(workload.seed != usual.seed, "seed", std::to_string(workload.seed));
    add(workload.device != usual.device, "device", workload.device);
    add(workload.threads != usual.threads, "threads", std::to_string(workload.threads));
    add(workload.memoryBudget > 0, "memory-budget", sizeWord(workload.memoryBudget));
    return text;
}

} // namespace remat::core
