// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu/support/engine_fixture.h"

#include <cstdio>
#include <cstdlib>

#include "torch_backend.h"

namespace remat::tests {

using namespace core;

namespace {

[[noreturn]] void die(const std::string &message)
{
    std::fprintf(stderr, "%s\n", message.c_str());
    std::abort();
}

ModelConfig tinyBase(int layers)
{
    ModelConfig model;
    model.name = "tiny";
    model.layers = layers;
    model.width = 32;
    model.heads = model.kvHeads = 4;
    model.headSize = 8;
    model.ffnWidth = 80;
    model.vocabulary = 96;
    model.positions = 16;
    return model;
}

ModelConfig tinyRotary(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.kvHeads = 2;
    model.activation = Activation::silu;
    model.gatedFfn = true;
    model.norm = NormKind::rmsNorm;
    model.position = PositionKind::rotary;
    return model;
}

} // namespace

TrainingBackend &engine()
{
    static auto *backend = gpu::makeTorchBackend({}).release(); // tensors may outlive static objects
    return *backend;
}

gpu::DeviceParts &cpuDevice()
{
    static_cast<void>(engine());
    static auto *parts = gpu::cpuParts().release();
    return *parts;
}

ModelConfig tinyGpt(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.family = "gpt2";
    model.activation = Activation::geluTanh;
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = true;
    model.tiedHead = true;
    model.embeddingDropout = model.residualDropout = 0.1;
    return model;
}

ModelConfig tinyLlama(int layers)
{
    ModelConfig model = tinyRotary(layers);
    model.family = "llama";
    model.rotaryFraction = 0.5;
    return model;
}

ModelConfig tinyGemma(int layers)
{
    ModelConfig model = tinyRotary(layers);
    model.family = "gemma";
    model.activation = Activation::geluTanh;
    model.headSize = 12; // heads * headSize is not the width
    model.normUnitOffset = true;
    model.embeddingScale = 5.656854249;
    model.tiedHead = true;
    return model;
}

ModelConfig tinyQwen3(int layers)
{
    ModelConfig model = tinyRotary(layers);
    model.family = "qwen3";
    model.qkNorm = true;
    model.slidingWindow = 5;
    model.attentionDropout = 0.1;
    return model;
}

Workload tinyWorkload(const ModelConfig &model)
{
    Workload workload;
    workload.batch = 2;
    workload.threads = 1;
    auto resolved = resolveWorkload(workload, model, 1);
    if (!resolved)
        die(resolved.error().message);
    return *resolved;
}

std::unique_ptr<gpu::TorchWorkload> prepared(const ModelConfig &model, const Workload &workload)
{
    static_cast<void>(engine().prepare(model, workload)); // sets the threads
    auto made = gpu::TorchWorkload::make(model, workload, cpuDevice());
    if (!made)
        die(made.error().message);
    return std::move(*made);
}

Schedule scheduleOf(const std::string &strategy, int layers, const std::string &option)
{
    auto parsed = parseStrategy(strategy);
    auto schedule = parsed ? makeSchedule(*parsed, layers, option) : Result<Schedule>(parsed.error());
    if (!schedule)
        die(schedule.error().message);
    return *schedule;
}

std::vector<std::string> strategiesFor(int layers)
{
    std::vector<std::string> all = {"none",     "every:1", "segments:2", "sequential:2", "first:1",   "last:1",
                                    "layers:1", "sqrt",    "halves",     "recursive",    "input-only"};
    if (layers >= 3)
        all.insert(all.end(), {"every:2", "every:3", "segments:3", "sequential:3", "first:2", "last:2", "layers:0,2"});
    return all;
}

} // namespace remat::tests
