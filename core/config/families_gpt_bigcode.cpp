// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

/// As gpt2 but for one key/value head that all query heads share.
void finishGptBigcode(FamilyReading &reading)
{
    if (!reading.flag("scale_attn_weights", true))
        reading.warn("scale_attn_weights", "scores are scaled by 1/sqrt(head size) here all the same");
    for (const std::string_view key : {"attention_softmax_in_fp32", "scale_attention_softmax_in_fp32"})
        if (reading.value(key) != nullptr)
            reading.ignore(key, "the softmax of half-precision scores is taken in fp32 in any case");
    ModelConfig &model = reading.model;
    model.kvHeads = reading.flag("multi_query", true) ? 1 : model.heads;
    reading.derive("multi_query", std::to_string(model.kvHeads), "key/value heads");
}

FamilyTable makeTable()
{
    FamilyTable table = gpt2Family();
    table.name = "gpt_bigcode";
    table.source = "transformers, configuration_gpt_bigcode.py";
    table.modelTypes = {"gpt_bigcode"};
    table.architectures = {"GPTBigCodeForCausalLM", "GPTBigCodeModel"};
    table.finish = finishGptBigcode;
    return table;
}

} // namespace

const FamilyTable &gptBigcodeFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
