// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace remat::core {

enum class Activation { gelu, geluTanh, silu, relu };
enum class NormKind { layerNorm, rmsNorm };
enum class PositionKind { learned, rotary };

/// How far a config can be run: as it is, as its dense (unquantised) shape, its text part only, or not at all.
enum class Support { full, denseShape, textPart, refused };

/// One thing the reader did with a key: `key` as the file spells it, the value used or seen, and why.
struct ConfigNote
{
    std::string key;
    std::string value;
    std::string why;
};

/// A Transformer decoder as the rest of the program sees it, whatever family its file was written for.
/// A plain value; made by readModelConfig, never changed after except by scaledDown. Sizes are element counts.
struct ModelConfig
{
    std::string name;   // for people: file or folder name, e.g. "gpt2"
    std::string family; // "gpt2", "llama", "mistral", "qwen2", "qwen3", "gemma", "phi3", "nanogpt"
    Support support = Support::full;
    std::string supportReason;

    int layers = 0;
    std::int64_t width = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headSize = 0;
    std::int64_t ffnWidth = 0;
    std::int64_t vocabulary = 0;
    std::int64_t positions = 0; // longest sequence; rows of the position table where positions are learned

    Activation activation = Activation::gelu;
    bool gatedFfn = false; // activation(gate) * up, as in SwiGLU and GeGLU
    NormKind norm = NormKind::layerNorm;
    double normEpsilon = 1e-5;
    bool normUnitOffset = false; // weights stored as w - 1 (gemma): the norm multiplies by 1 + w
    bool qkNorm = false;         // an RMSNorm of head size on every query and key head (qwen3)
    PositionKind position = PositionKind::learned;
    double ropeTheta = 10000.0;
    double rotaryFraction = 1.0;    // share of the head size that is rotated
    double embeddingScale = 1.0;    // factor on the token embedding (gemma: sqrt(width))
    std::int64_t slidingWindow = 0; // 0: none; each position sees this many, itself included

    bool qkvBias = false;
    bool attentionOutBias = false;
    bool ffnBias = false;
    bool normBias = false; // layerNorm only
    bool headBias = false;
    bool tiedHead = false;

    double embeddingDropout = 0.0;
    double residualDropout = 0.0;
    double attentionDropout = 0.0;
    double initializerRange = 0.02;

    std::vector<ConfigNote> derived;   // computed from other keys
    std::vector<ConfigNote> defaulted; // absent in the file, the family's default taken
    std::vector<ConfigNote> ignored;   // seen and without effect on a training step's memory or time
    std::vector<ConfigNote> warnings;  // seen, and the user should know
};

} // namespace remat::core
