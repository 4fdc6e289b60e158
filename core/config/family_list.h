// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/family_table.h"

namespace remat::core {

/// The tables, one file each; in the order in which messages name the families.
[[nodiscard]] const FamilyTable &gpt2Family();
[[nodiscard]] const FamilyTable &gptBigcodeFamily();
[[nodiscard]] const FamilyTable &gptNeoFamily();
[[nodiscard]] const FamilyTable &gptNeoxFamily();
[[nodiscard]] const FamilyTable &optFamily();
[[nodiscard]] const FamilyTable &bloomFamily();
[[nodiscard]] const FamilyTable &falconFamily();
[[nodiscard]] const FamilyTable &llamaFamily();
[[nodiscard]] const FamilyTable &llamaParamsFamily();
[[nodiscard]] const FamilyTable &mistralFamily();
[[nodiscard]] const FamilyTable &mixtralFamily();
[[nodiscard]] const FamilyTable &qwenFamily();
[[nodiscard]] const FamilyTable &qwen2Family();
[[nodiscard]] const FamilyTable &qwen2MoeFamily();
[[nodiscard]] const FamilyTable &qwen3Family();
[[nodiscard]] const FamilyTable &qwen3MoeFamily();
[[nodiscard]] const FamilyTable &gemmaFamily();
[[nodiscard]] const FamilyTable &gemma2Family();
[[nodiscard]] const FamilyTable &gemma3Family();
[[nodiscard]] const FamilyTable &phiFamily();
[[nodiscard]] const FamilyTable &phi3Family();
[[nodiscard]] const FamilyTable &stablelmFamily();
[[nodiscard]] const FamilyTable &starcoder2Family();
[[nodiscard]] const FamilyTable &olmoFamily();
[[nodiscard]] const FamilyTable &olmo2Family();
[[nodiscard]] const FamilyTable &olmo3Family();
[[nodiscard]] const FamilyTable &cohereFamily();
[[nodiscard]] const FamilyTable &cohere2Family();
[[nodiscard]] const FamilyTable &exaoneFamily();
[[nodiscard]] const FamilyTable &exaone4Family();
[[nodiscard]] const FamilyTable &internlm2Family();
[[nodiscard]] const FamilyTable &chatglmFamily();
[[nodiscard]] const FamilyTable &dbrxFamily();
[[nodiscard]] const FamilyTable &deepseekFamily();
[[nodiscard]] const FamilyTable &nanogptFamily();
[[nodiscard]] const FamilyTable &megatronFamily();
[[nodiscard]] const FamilyTable &bertFamily();
[[nodiscard]] const FamilyTable &robertaFamily();
[[nodiscard]] const FamilyTable &distilbertFamily();
[[nodiscard]] const FamilyTable &vitFamily();

} // namespace remat::core
