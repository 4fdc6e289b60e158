// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kTied[] = {"tie_word_embeddings"};
constexpr std::string_view kTypes[] = {"type_vocab_size"};

void finishBert(FamilyReading &reading)
{
    if (reading.text("position_embedding_type", "absolute") != "absolute")
        return reading.refuse("position_embedding_type",
                              "positions inside attention are not supported; allowed is \"absolute\"");
    if (reading.flag("is_decoder", false))
        return reading.refuse("is_decoder", "this family is run as an encoder; allowed is false");
    if (reading.value("chunk_size_feed_forward") != nullptr)
        reading.ignore("chunk_size_feed_forward", "the feed-forward half is computed at once");
    readEncoderHead(reading, Activation::tanh);
}

ModelConfig form()
{
    ModelConfig form;
    form.normPlacement = NormPlacement::post;
    form.embeddingNorm = true;
    form.finalNorm = false;
    form.qkvBias = form.attentionOutBias = form.ffnBias = form.normBias = true;
    return form;
}

KeyRule tokenTypes()
{
    KeyRule rule;
    rule.own = kTypes[0];
    rule.spellings = kTypes;
    rule.members = {&ModelConfig::tokenTypes};
    rule.whenAbsent = WhenAbsent::assume;
    rule.assumed = std::int64_t(2);
    return rule;
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "bert";
    table.source = "transformers, configuration_bert.py";
    table.modelTypes = {"bert"};
    table.architectures = {"BertForMaskedLM", "BertForPreTraining",         "BertForSequenceClassification",
                           "BertModel",       "BertForTokenClassification", "BertForQuestionAnswering"};
    table.form = form();
    table.implied = {{"norm placement", "post", "no key says so: bert normalises after each sum"},
                     {"attention", "both directions", "no key says so: bert is an encoder"},
                     {"bias", "true", "no key says so: all projections and norms of bert have biases"}};
    table.rules = rules::encoderRows(0.1);
    rules::append(table,
                  {rules::vocabulary("vocab_size"), rules::positions("max_position_embeddings", 512), tokenTypes(),
                   rules::flag(kTied, {&ModelConfig::tiedHead}, true)});
    table.finish = finishBert;
    return table;
}

} // namespace

const FamilyTable &bertFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
