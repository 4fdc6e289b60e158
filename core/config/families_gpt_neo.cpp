// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "config/config_values.h"
#include "config/model_limits.h"

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kActivation[] = {"activation_function", "hidden_act"};
constexpr std::string_view kEpsilon[] = {"layer_norm_epsilon"};
constexpr std::string_view kEmbeddingDropout[] = {"embed_dropout"};
constexpr std::string_view kResidualDropout[] = {"resid_dropout"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kTied[] = {"tie_word_embeddings"};
constexpr std::int64_t kWindow = 256;

/// attention_types is a list of pairs: the kinds of some layers, and how often they repeat.
std::vector<bool> localLayers(FamilyReading &reading, const Json &types)
{
    std::vector<bool> local;
    for (const Json &entry : types) {
        const bool isPair = entry.is_array() && entry.size() == 2 && entry[0].is_array() && !entry[0].empty();
        const auto times = isPair ? wholeNumber(entry[1]) : std::nullopt;
        if (!times || *times < 1 || *times > kMostLayers) {
            reading.refuseSentence("attention_types holds " + shortText(entry)
                                   + "; allowed are pairs such as [[\"global\", \"local\"], 12]");
            return {};
        }
        for (std::int64_t turn = 0; turn < *times && local.size() <= kMostLayers; ++turn)
            for (const Json &kind : entry[0])
                local.push_back(isText(kind, "local"));
    }
    return local;
}

void finishGptNeo(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    model.attentionScale = 1.0;
    const std::int64_t window = reading.count("window_size", 1, std::int64_t(1) << 27).value_or(kWindow);
    const Json *types = reading.value("attention_types");
    if (reading.value("attention_layers") != nullptr)
        reading.ignore("attention_layers", "attention_types says it");
    std::vector<bool> local;
    if (types != nullptr && types->is_array()) {
        local = localLayers(reading, *types);
    } else {
        reading.assume("attention_types", "global, local", "absent; every second layer has a window");
        for (int layer = 0; layer < model.layers; ++layer)
            local.push_back(layer % 2 == 1);
    }
    if (local.size() != static_cast<std::size_t>(model.layers))
        return reading.refuseSentence("attention_types names " + std::to_string(local.size()) + " layers of "
                                      + std::to_string(model.layers) + "; each layer needs one kind");
    if (window >= model.positions)
        return;
    model.slidingWindow = window;
    std::vector<LayerForm> &forms = spreadLayerForms(model);
    for (std::size_t layer = 0; layer < forms.size(); ++layer)
        forms[layer].windowed = local[layer];
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "gpt_neo";
    table.source = "transformers, configuration_gpt_neo.py";
    table.modelTypes = {"gpt_neo"};
    table.architectures = {"GPTNeoForCausalLM", "GPTNeoModel"};
    table.form.attentionOutBias = table.form.ffnBias = table.form.normBias = true;
    table.implied = {{"bias", "all but query, key and value", "no key says so: gpt_neo has no biases there"},
                     {"attention scale", "1", "no key says so: gpt_neo does not scale its scores"}};
    table.rules = {rules::layers("num_layers"),
                   rules::width("hidden_size"),
                   rules::heads("num_heads"),
                   rules::kvHeads("num_key_value_heads"),
                   rules::headSizeFromWidth("head_dim"),
                   rules::ffnWidthFourfold("intermediate_size"),
                   rules::vocabulary("vocab_size"),
                   rules::positions("max_position_embeddings", 2048),
                   rules::activation(kActivation, Activation::geluTanh),
                   rules::normEpsilon(kEpsilon, 1e-5),
                   rules::dropout(kEmbeddingDropout, {&ModelConfig::embeddingDropout}, 0.0),
                   rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0),
                   rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.0),
                   rules::flag(kTied, {&ModelConfig::tiedHead}, true),
                   rules::initializerRange(0.02)};
    table.finish = finishGptNeo;
    return table;
}

} // namespace

const FamilyTable &gptNeoFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
