// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kActivation[] = {"activation"};
constexpr std::string_view kDropout[] = {"dropout"};
constexpr std::string_view kAttentionDropout[] = {"attention_dropout"};
constexpr std::string_view kTied[] = {"tie_weights_", "tie_word_embeddings"};
constexpr std::string_view kFfnWidth[] = {"hidden_dim"}; // the model's width in other formats

void finishDistilbert(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    if (reading.flag("sinusoidal_pos_embds", false)) {
        model.position = PositionKind::sinusoidal;
        reading.derive("sinusoidal_pos_embds", "true", "positions are fixed and not counted as weights");
    }
    for (const std::string_view key : {"qa_dropout", "seq_classif_dropout"})
        if (reading.value(key) != nullptr)
            reading.ignore(key, "there is no dropout before the head here");
    readEncoderHead(reading, Activation::relu);
}

FamilyTable makeTable()
{
    FamilyTable table = bertFamily();
    table.name = "distilbert";
    table.source = "transformers, configuration_distilbert.py";
    table.modelTypes = {"distilbert"};
    table.architectures = {"DistilBertForMaskedLM", "DistilBertForSequenceClassification", "DistilBertModel",
                           "DistilBertForTokenClassification", "DistilBertForQuestionAnswering"};
    table.form.normEpsilon = 1e-12;
    table.implied = {{"norm placement", "post", "no key says so: distilbert normalises after each sum"},
                     {"attention", "both directions", "no key says so: distilbert is an encoder"},
                     {"bias", "true", "no key says so: all projections and norms of distilbert have biases"},
                     {"norm epsilon", "1e-12", "no key says so: that of distilbert"},
                     {"dropout", "after both halves", "distilbert itself has none after attention"}};
    table.rules = {rules::layers("n_layers"),
                   rules::width("dim"),
                   rules::heads("n_heads"),
                   rules::kvHeads("num_key_value_heads"),
                   rules::headSizeFromWidth("head_dim"),
                   rules::ffnWidth("hidden_dim"),
                   rules::vocabulary("vocab_size"),
                   rules::positions("max_position_embeddings", 512),
                   rules::activation(kActivation, Activation::gelu),
                   rules::dropout(kDropout, {&ModelConfig::embeddingDropout, &ModelConfig::residualDropout}, 0.1),
                   rules::dropout(kAttentionDropout, {&ModelConfig::attentionDropout}, 0.1),
                   rules::flag(kTied, {&ModelConfig::tiedHead}, true),
                   rules::initializerRange(0.02)};
    rules::setSpellings(table, "hidden_dim", kFfnWidth);
    table.finish = finishDistilbert;
    return table;
}

} // namespace

const FamilyTable &distilbertFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
