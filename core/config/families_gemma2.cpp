// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::int64_t kWindow = 4096;
constexpr std::int64_t kPeriod = 2;
constexpr double kAttentionCap = 50.0;
constexpr double kFinalCap = 30.0;

void finishGemma2(FamilyReading &reading)
{
    readRotaryExtras(reading);
    readGemmaEmbedding(reading);
    readGemmaAttention(reading, kAttentionCap, kFinalCap);
    if (reading.value("sliding_window_size") != nullptr)
        reading.ignore("sliding_window_size", "sliding_window says it");
    readWindowPattern(reading, kWindow, kPeriod);
}

/// As gemma, with norms on both sides of each half, capped logits, and a window in every second layer.
FamilyTable makeTable()
{
    FamilyTable table = gemmaFamily();
    table.name = "gemma2";
    table.source = "transformers, configuration_gemma2.py";
    table.modelTypes = {"gemma2"};
    table.architectures = {"Gemma2ForCausalLM", "Gemma2Model"};
    table.form.normPlacement = NormPlacement::sandwich;
    table.classSizes = rules::classSizes({26, 2304, 8, 4, 9216, 256000});
    table.implied = {{"norm weight", "1 + w", "no key says so: gemma2 stores the weights of its norms less one"},
                     {"norm placement", "sandwich", "no key says so: gemma2 has norms before and after each half"}};
    table.handles = {"attn_logit_softcapping", "final_logit_softcapping"};
    table.finish = finishGemma2;
    return table;
}

} // namespace

const FamilyTable &gemma2Family()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
