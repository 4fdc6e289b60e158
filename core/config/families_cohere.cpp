// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kEpsilon[] = {"layer_norm_eps"};
constexpr std::string_view kAttentionBias[] = {"attention_bias"};
constexpr std::string_view kLogitScale[] = {"logit_scale"};

void finishCohere(FamilyReading &reading)
{
    readRotaryExtras(reading);
    noteInterleavedRotary(reading);
    if (!reading.flag("use_qk_norm", false))
        return;
    reading.model.qkNorm = QkNorm::headLayer;
    reading.derive("use_qk_norm", "true",
                   "each head has weights of its own in cohere; one set is counted, the activations are the same");
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "cohere";
    table.source = "transformers, configuration_cohere.py";
    table.modelTypes = {"cohere"};
    table.architectures = {"CohereForCausalLM", "CohereModel"};
    table.form = rules::rotaryForm();
    table.form.norm = NormKind::layerNorm;
    table.form.parallelResidual = true;
    table.classSizes = rules::classSizes({40, 8192, 64, 0, 22528, 256000});
    table.implied = {{"block", "parallel",
                      "no key says so: attention and feed-forward of cohere share one norm and "
                      "run in parallel"},
                     {"bias of norms", "false", "no key says so: the LayerNorms of cohere have weights only"}};
    table.rules = rules::rotaryRows(
        {.positions = 8192, .epsilon = 1e-5, .epsilonKey = kEpsilon, .tied = true, .theta = 500000.0});
    rules::append(table,
                  {rules::headSizeFromWidth("head_dim"), rules::attentionBias(kAttentionBias, false),
                   rules::factor(kLogitScale, {&ModelConfig::logitScale}, 0.0625)});
    table.finish = finishCohere;
    return table;
}

} // namespace

const FamilyTable &cohereFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
