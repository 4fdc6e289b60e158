// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kActivation[] = {"activation", "hidden_act"};
constexpr std::string_view kEpsilon[] = {"layer_norm_epsilon"};
constexpr std::string_view kResidualDropout[] = {"hidden_dropout"};
constexpr std::string_view kBias[] = {"bias"};

/// New decoders group key/value heads; the first ones had one for all heads, or one for each.
void readHeads(FamilyReading &reading, bool isNew)
{
    ModelConfig &model = reading.model;
    const bool isMultiQuery = reading.flag("multi_query", true);
    if (isNew)
        return;
    model.kvHeads = isMultiQuery ? 1 : model.heads;
    reading.derive("multi_query", std::to_string(model.kvHeads), "key/value heads");
}

void finishFalcon(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    readRotaryExtras(reading);
    const bool isNew = reading.flag("new_decoder_architecture", false);
    readHeads(reading, isNew);
    const bool isParallel = reading.flag("parallel_attn", true);
    model.parallelResidual = isNew || isParallel;
    const std::int64_t norms = reading.count("num_ln_in_parallel_attn", 1, 2).value_or(isNew ? 2 : 1);
    model.parallelTwoNorms = model.parallelResidual && isNew && norms == 2;
    reading.derive("block", model.parallelResidual ? "parallel" : "sequential",
                   model.parallelTwoNorms ? "with a norm for each branch"
                                          : "from parallel_attn and "
                                            "new_decoder_architecture");
    if (reading.flag("alibi", false)) {
        model.position = PositionKind::alibi;
        reading.derive(
            "alibi", "true",
            "scores are lowered by the distance, whose slopes are not divided by the root of the head size here");
    }
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "falcon";
    table.source = "transformers, configuration_falcon.py";
    table.modelTypes = {"falcon", "RefinedWeb", "RefinedWebModel"};
    table.architectures = {"FalconForCausalLM", "FalconModel", "RWForCausalLM"};
    table.form = rules::rotaryForm();
    table.form.norm = NormKind::layerNorm;
    table.form.gatedFfn = false;
    table.form.normBias = true;
    table.handles = {"alibi", "parallel_attn"};
    table.rules = rules::rotaryRows({.positions = 2048,
                                     .epsilon = 1e-5,
                                     .epsilonKey = kEpsilon,
                                     .tied = true,
                                     .activation = Activation::gelu,
                                     .activationKey = kActivation});
    for (KeyRule &rule : table.rules)
        if (rule.own == "intermediate_size")
            rule = rules::ffnWidthFourfold("ffn_hidden_size");
    rules::append(
        table,
        {rules::headSizeFromWidth("head_dim"), rules::dropout(kResidualDropout, {&ModelConfig::residualDropout}, 0.0),
         rules::flag(kBias, {&ModelConfig::qkvBias, &ModelConfig::attentionOutBias, &ModelConfig::ffnBias}, false)});
    table.finish = finishFalcon;
    return table;
}

} // namespace

const FamilyTable &falconFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
