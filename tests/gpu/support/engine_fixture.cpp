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
    model.qkNorm = QkNorm::headRms;
    model.slidingWindow = 5;
    model.attentionDropout = 0.1;
    return model;
}

ModelConfig tinyBert(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.family = "bert";
    model.head = HeadKind::masked;
    model.normPlacement = NormPlacement::post;
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = model.headBias = true;
    model.embeddingNorm = true;
    model.finalNorm = false;
    model.tokenTypes = 2;
    model.normEpsilon = 1e-6;
    model.headNormEpsilon = 1e-3;
    model.tiedHead = true;
    return model;
}

ModelConfig tinyClassifier(int layers)
{
    ModelConfig model = tinyBert(layers);
    model.family = "roberta";
    model.head = HeadKind::sequence;
    model.classes = 5;
    model.tokenTypes = 1;
    model.positionOffset = 2;
    model.tiedHead = false;
    return model;
}

ModelConfig tinyVit(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.family = "vit";
    model.head = HeadKind::image;
    model.vocabulary = 0;
    model.classes = 7;
    model.patchSize = 4;
    model.channels = 3;
    model.positions = 10; // nine patches and the class token
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = model.headBias = true;
    return model;
}

ModelConfig tinyNeox(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.family = "gpt_neox";
    model.position = PositionKind::rotary;
    model.rotaryFraction = 0.25;
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = true;
    model.parallelResidual = model.parallelTwoNorms = true;
    return model;
}

ModelConfig tinyPhi(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.family = "phi";
    model.position = PositionKind::rotary;
    model.rotaryFraction = 0.5;
    model.activation = Activation::geluTanh;
    model.ffnWidth = 37;
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = model.headBias = true;
    model.parallelResidual = true;
    return model;
}

ModelConfig tinyGemma2(int layers)
{
    ModelConfig model = tinyGemma(layers);
    model.family = "gemma2";
    model.normPlacement = NormPlacement::sandwich;
    model.attentionSoftcap = 2.0;
    model.finalSoftcap = 1.5;
    model.attentionScale = 0.5;
    model.slidingWindow = 5;
    for (int layer = 0; layer < layers; ++layer)
        model.layerForms.push_back({layer % 2 == 0, false, true});
    return model;
}

ModelConfig tinyOlmo2(int layers)
{
    ModelConfig model = tinyRotary(layers);
    model.family = "olmo2";
    model.normPlacement = NormPlacement::branch;
    model.qkNorm = QkNorm::wholeRms;
    return model;
}

ModelConfig tinyBloom(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.family = "bloom";
    model.width = 48;
    model.heads = model.kvHeads = 6; // no power of two
    model.position = PositionKind::alibi;
    model.activation = Activation::geluTanh;
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = true;
    model.embeddingNorm = true;
    model.tiedHead = true;
    return model;
}

ModelConfig tinyOpt(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.family = "opt";
    model.activation = Activation::relu;
    model.positionOffset = 2;
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = true;
    model.tiedHead = true;
    return model;
}

ModelConfig tinyMixtral(int layers)
{
    ModelConfig model = tinyRotary(layers);
    model.family = "mixtral";
    model.experts = {5, 2, 24, 0, true, false};
    return model;
}

ModelConfig tinyQwenMoe(int layers)
{
    ModelConfig model = tinyRotary(layers);
    model.family = "qwen2_moe";
    model.qkvBias = true;
    model.experts = {6, 3, 20, 28, false, true};
    for (int layer = 0; layer < layers; ++layer) // the first one is dense
        model.layerForms.push_back({false, layer > 0 || layers == 1, true});
    return model;
}

ModelConfig tinyGptNeo(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.family = "gpt_neo";
    model.activation = Activation::geluTanh;
    model.attentionScale = 1.0;
    model.attentionOutBias = model.ffnBias = model.normBias = true;
    model.tiedHead = true;
    model.slidingWindow = 6;
    for (int layer = 0; layer < layers; ++layer)
        model.layerForms.push_back({layer % 2 == 1, false, true});
    return model;
}

ModelConfig tinyCohere(int layers)
{
    ModelConfig model = tinyBase(layers);
    model.family = "cohere";
    model.kvHeads = 1;
    model.position = PositionKind::rotary;
    model.activation = Activation::silu;
    model.gatedFfn = true;
    model.qkNorm = QkNorm::headLayer;
    model.parallelResidual = true;
    model.logitScale = 0.0625;
    model.tiedHead = true;
    return model;
}

std::vector<NamedModel> allTinyModels(int layers)
{
    return {{"gpt", tinyGpt(layers)},       {"llama", tinyLlama(layers)},     {"gemma", tinyGemma(layers)},
            {"qwen3", tinyQwen3(layers)},   {"bert", tinyBert(layers)},       {"classifier", tinyClassifier(layers)},
            {"vit", tinyVit(layers)},       {"neox", tinyNeox(layers)},       {"phi", tinyPhi(layers)},
            {"gemma2", tinyGemma2(layers)}, {"olmo2", tinyOlmo2(layers)},     {"bloom", tinyBloom(layers)},
            {"opt", tinyOpt(layers)},       {"mixtral", tinyMixtral(layers)}, {"qwenMoe", tinyQwenMoe(layers)},
            {"gptNeo", tinyGptNeo(layers)}, {"cohere", tinyCohere(layers)}};
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

Schedule scheduleOf(const std::string &strategy, const ChainShape &shape)
{
    auto parsed = parseStrategy(strategy);
    auto schedule = parsed ? makeSchedule(*parsed, shape) : Result<Schedule>(parsed.error());
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
