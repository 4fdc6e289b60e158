// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace remat::core {

/// The choices that a ModelConfig is made of. Plain values.

enum class Activation { gelu, geluTanh, silu, relu, reluSquared, tanh };
enum class NormKind { layerNorm, rmsNorm };
enum class PositionKind { none, learned, sinusoidal, rotary, alibi };

/// Where the norms of a half block f stand: pre: x + f(norm x), post: norm(x + f x), sandwich: x + norm(f(norm x)),
/// branch: x + norm(f x).
enum class NormPlacement { pre, post, sandwich, branch };

/// A norm on queries and keys: none, an RMSNorm or LayerNorm per head (weights of head size; one per head in stablelm,
/// which changes no shape of an activation), or an RMSNorm over all heads together.
enum class QkNorm { none, headRms, headLayer, wholeRms };

/// What is learnt: next token; masked tokens through a transform (dense, activation, norm) before the head; a class
/// from the first position through a pooler (dense, tanh or relu); a class of an image's first position, without a pooler.
enum class HeadKind { causal, masked, sequence, image };

/// Rotary frequencies of longer contexts; the kinds are those of the field's configs.
enum class RopeKind { plain, linear, llama3, yarn, longrope };
struct RopeScaling
{
    RopeKind kind = RopeKind::plain;
    double factor = 1.0;
    double lowFactor = 1.0;  // llama3
    double highFactor = 4.0; // llama3
    double betaFast = 32.0;  // yarn
    double betaSlow = 1.0;   // yarn
    double attention = 1.0;  // factor on cosines and sines (yarn, longrope)
    double originalPositions = 0.0;
    std::vector<double> factors; // longrope: one per rotated pair (the short ones)
};

/// What may differ from layer to layer.
struct LayerForm
{
    bool windowed = false; // sees slidingWindow positions only
    bool experts = false;  // mixture of experts in the place of the dense feed-forward
    bool rotary = true;    // where positions are rotary at all

    friend bool operator==(const LayerForm &, const LayerForm &) = default;
};

/// The mixture of a feed-forward half: `count` experts of width `width`; the best `perToken` of a softmax over the
/// router's scores serve a token; 0 experts: dense.
struct Experts
{
    std::int64_t count = 0;
    std::int64_t perToken = 0;
    std::int64_t width = 0;
    std::int64_t sharedWidth = 0; // one more, dense, for every token; 0: none
    bool normaliseTopK = true;    // the chosen probabilities are divided by their sum
    bool sharedGate = false;      // the shared expert is multiplied by a sigmoid of one more score
};

} // namespace remat::core
