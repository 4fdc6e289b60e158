// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "base/text.h"
#include "config/config_values.h"
#include "config/family_reading.h"
#include "config/model_limits.h"

namespace remat::core {

namespace {

struct ForeignKey
{
    std::string_view key;
    std::string_view allowed;
};

// Each changes the structure of a block when it is set to anything but null, false, 0 or an empty list.
constexpr ForeignKey kForeign[] = {
    {"is_encoder_decoder", "models of an encoder and a decoder are not run; allowed are decoders and encoders alone"},
    {"add_cross_attention", "only models without cross-attention are supported"},
    {"cross_attention_layers", "only models without cross-attention are supported"},
    {"kv_lora_rank", "only plain multi-head and grouped-query attention is supported, not latent attention"},
    {"q_lora_rank", "only plain multi-head and grouped-query attention is supported, not latent attention"},
    {"position_encoding_2d", "positions in two dimensions are not supported; allowed is false"},
    {"apply_residual_connection_post_layernorm", "a residual taken after the norm is not supported; allowed is false"},
    {"attn_logit_softcapping", "capped attention logits are not part of this family; allowed is null"},
    {"final_logit_softcapping", "capped logits are not part of this family; allowed is null"},
    {"alibi", "linear biases in attention are not part of this family; allowed is false"},
    {"use_parallel_residual", "attention and feed-forward in parallel are not part of this family; allowed is false"},
    {"parallel_residual", "attention and feed-forward in parallel are not part of this family; allowed is false"},
    {"parallel_attn", "attention and feed-forward in parallel are not part of this family; allowed is false"},
    {"attn_output_gate", "gated attention outputs are not supported; allowed is false"},
    {"moe", "mixtures of experts are not part of this family; allowed is a dense feed-forward half"},
};

std::string className(FamilyReading &reading)
{
    const Json *architectures = reading.value("architectures");
    const bool isNamed = architectures != nullptr && architectures->is_array() && !architectures->empty()
        && architectures->front().is_string();
    return isNamed ? architectures->front().get<std::string>() : std::string();
}

} // namespace

void refuseForeignStructure(FamilyReading &reading)
{
    for (const ForeignKey &foreign : kForeign) {
        const Json *json = reading.handles(foreign.key) ? nullptr : reading.value(foreign.key);
        if (json != nullptr && !isUnset(*json))
            return reading.refuse(foreign.key, foreign.allowed);
    }
    for (const std::string_view key : keys::experts()) {
        const Json *json = reading.handles("experts") ? nullptr : reading.value(key);
        if (json != nullptr && !isUnset(*json))
            return reading.refuse(key,
                                  "mixtures of experts are not part of this family; allowed is a dense feed-forward "
                                  "half");
    }
    const Json *kinds = reading.value("layer_types");
    if (kinds == nullptr)
        return;
    if (!kinds->is_array() || kinds->size() > static_cast<std::size_t>(kMostLayers))
        return reading.refuse("layer_types", "allowed is a list with the kind of each layer");
    for (const Json &kind : *kinds)
        if (!isText(kind, "full_attention") && !isText(kind, "sliding_attention"))
            return reading.refuseSentence("layer_types holds " + shortText(kind)
                                          + "; allowed are full_attention and sliding_attention");
}

std::int64_t readClasses(FamilyReading &reading)
{
    constexpr std::int64_t kMostClasses = std::int64_t(1) << 20;
    if (const auto given = reading.count("num_labels", 1, kMostClasses))
        return *given;
    const Json *labels = reading.value("id2label");
    if (labels != nullptr && labels->is_object() && !labels->empty()) {
        reading.derive("classes", std::to_string(labels->size()), "the entries of id2label");
        return static_cast<std::int64_t>(labels->size());
    }
    constexpr std::int64_t kAssumed = 2;
    reading.assume("num_labels", std::to_string(kAssumed), "absent; the default of transformers");
    return kAssumed;
}

void readEncoderHead(FamilyReading &reading, Activation pooler)
{
    ModelConfig &model = reading.model;
    const std::string name = className(reading);
    model.headBias = true;
    if (name.ends_with("ForSequenceClassification")) {
        model.head = HeadKind::sequence;
        model.poolerActivation = pooler;
        model.tiedHead = false;
        reading.dropAssumed("tie_word_embeddings");
        model.classes = readClasses(reading);
        return reading.derive("head", "sequence", "architectures names " + cleanUtf8(name));
    }
    model.head = HeadKind::masked;
    if (name.ends_with("ForMaskedLM") || name.ends_with("ForPreTraining"))
        return reading.derive("head", "masked", "architectures names " + cleanUtf8(name));
    reading.assume("head", "masked", "no head that is known here is named; masked tokens are learnt");
    if (!name.empty())
        reading.warn("architectures", "this class has another head or none; the masked-token head is run and counted");
}

void readRemarks(FamilyReading &reading)
{
    if (const Json *quantised = reading.value("quantization_config"); quantised != nullptr && !isUnset(*quantised)) {
        const auto method = quantised->is_object() ? quantised->find("quant_method") : quantised->end();
        const std::string with
            = quantised->is_object() && method != quantised->end() ? " with " + shortText(*method) : "";
        const std::string part = reading.model.supportReason.empty() ? "" : reading.model.supportReason + " ";
        if (reading.model.support == Support::full)
            reading.model.support = Support::denseShape;
        reading.model.supportReason
            = part + "The weights are quantised" + with + "; what is run and counted is the dense, unquantised shape.";
        reading.warn("quantization_config", "the dense, unquantised shape is run and counted");
    }
    for (const std::string_view key : keys::checkpointing()) {
        const Json *json = reading.value(key);
        if (json == nullptr)
            continue;
        if (!isUnset(*json))
            reading.warn(key, "the file asks for activation checkpointing; the strategy every:1 does that");
        else
            reading.ignore(key, "the file asks for no activation checkpointing; the strategy decides");
    }
    const std::string name = className(reading);
    if (reading.model.isCausal() && !name.empty() && !name.ends_with("ForCausalLM") && !name.ends_with("LMHeadModel")
        && !name.ends_with("ForConditionalGeneration"))
        reading.warn("architectures",
                     "this class has another head or none; the language-model head is run and counted");
}

} // namespace remat::core
