// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <string>

#include "config/family_reading.h"

namespace remat::core {

void readGemmaEmbedding(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    model.embeddingScale = std::sqrt(static_cast<double>(model.width));
    reading.derive("embedding scale", std::to_string(model.embeddingScale),
                   "the square root of the width, as in gemma");
    // The library runs gemma with the tanh form whatever hidden_act says; only hidden_activation changes it.
    const Json *activation = reading.value("hidden_act");
    if (activation == nullptr)
        return;
    if (!activation->is_string())
        return reading.refuse("hidden_act", "allowed is the name of an activation, for example \"gelu_pytorch_tanh\"");
    if (*activation == "gelu_pytorch_tanh")
        reading.ignore("hidden_act", "hidden_activation says it");
    else
        reading.warn("hidden_act", "overridden: gemma runs gelu_pytorch_tanh unless hidden_activation says otherwise");
}

void readGemmaAttention(FamilyReading &reading, double assumedAttentionCap, double assumedFinalCap)
{
    constexpr double kMostCap = 1e6;
    ModelConfig &model = reading.model;
    const auto cap = [&](std::string_view key, double assumed) {
        const double found = reading.number(key, assumed, 0.0, kMostCap);
        return reading.isNull(key) ? 0.0 : found;
    };
    model.attentionSoftcap = cap("attn_logit_softcapping", assumedAttentionCap);
    model.finalSoftcap = cap("final_logit_softcapping", assumedFinalCap);
    const double scalar = reading.number("query_pre_attn_scalar", 256.0, 1e-6, kMostCap);
    model.attentionScale = 1.0 / std::sqrt(scalar);
    reading.derive("query_pre_attn_scalar", std::to_string(model.attentionScale),
                   "attention scores are multiplied by its inverse square root");
    if (reading.flag("use_bidirectional_attention", false))
        reading.refuse("use_bidirectional_attention", "only causal attention is run for this family; allowed is false");
}

} // namespace remat::core
