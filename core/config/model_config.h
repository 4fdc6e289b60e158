// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/model_parts.h"

namespace remat::core {

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
    std::string family; // "gpt2", "llama", …: see familyNames()
    Support support = Support::full;
    std::string supportReason;

    int layers = 0;
    std::int64_t width = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headSize = 0;
    std::int64_t ffnWidth = 0;
    std::int64_t vocabulary = 0;
    std::int64_t positions = 0;      // longest sequence; patches + 1 for images, whose sequence has just that length
    std::int64_t positionOffset = 0; // rows of the position table that no sequence uses (opt, roberta: 2)
    std::int64_t tokenTypes = 0;     // rows of a table of token types that is added to the embedding (bert)
    HeadKind head = HeadKind::causal;
    std::int64_t classes = 0;   // sequence and image heads
    std::int64_t patchSize = 0; // image: square patches of `channels` channels are the tokens
    std::int64_t channels = 0;
    Activation poolerActivation = Activation::tanh; // sequence head

    Activation activation = Activation::gelu;
    bool gatedFfn = false; // activation(gate) * up, as in SwiGLU and GeGLU
    NormKind norm = NormKind::layerNorm;
    double normEpsilon = 1e-5;
    bool normUnitOffset = false; // weights stored as w - 1 (gemma): the norm multiplies by 1 + w
    bool normWeight = true;      // false: the norms have no parameters at all (olmo)
    NormPlacement normPlacement = NormPlacement::pre;
    bool parallelResidual = false; // x + attention(norm x) + feedForward(norm x): one stage a block
    bool parallelTwoNorms = false; // the two branches have a norm each
    bool embeddingNorm = false;    // bloom, bert
    bool finalNorm = true;         // false: post-norm encoders, whose last block ends in one
    QkNorm qkNorm = QkNorm::none;
    double qkvClip = 0.0;          // products are clamped to [-x, x]; 0: not (olmo, dbrx)
    double attentionSoftcap = 0.0; // x -> cap * tanh(x / cap); 0: none. Only the explicit kernel can (gemma2)
    double finalSoftcap = 0.0;
    double attentionScale = 0.0;  // factor on q k^T; 0: 1 / sqrt(head size)
    double logitScale = 1.0;      // factor on the logits (cohere)
    double headNormEpsilon = 0.0; // masked head's norm; 0: as normEpsilon
    PositionKind position = PositionKind::learned;
    double ropeTheta = 10000.0;
    double ropeThetaWindowed = 0.0; // base of windowed layers; 0: the same (gemma3)
    RopeScaling ropeScaling;        // not for windowed layers with a base of their own
    double rotaryFraction = 1.0;    // share of the head size that is rotated
    double embeddingScale = 1.0;    // factor on the token embedding (gemma: sqrt(width))
    std::int64_t slidingWindow = 0; // 0: none; each position sees this many, itself included
    Experts experts;
    std::vector<LayerForm> layerForms; // one per layer, or empty: all layers are as formOf says

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

    /// The form of a layer: its own entry, or windowed where there is a window and experts where there are some.
    [[nodiscard]] LayerForm formOf(int layer) const
    {
        if (!layerForms.empty())
            return layerForms[static_cast<std::size_t>(layer)];
        return {slidingWindow > 0, experts.count > 0, true};
    }
    [[nodiscard]] bool isCausal() const { return head == HeadKind::causal; }

    std::vector<ConfigNote> derived;   // computed from other keys
    std::vector<ConfigNote> defaulted; // absent in the file, the family's default taken
    std::vector<ConfigNote> ignored;   // seen and without effect on a training step's memory or time
    std::vector<ConfigNote> warnings;  // seen, and the user should know
};

} // namespace remat::core
