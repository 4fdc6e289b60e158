// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_list.h"

#include <array>

namespace remat::core {

namespace {

constexpr std::array kTables = {
    gpt2Family,     gptBigcodeFamily,  gptNeoFamily,    gptNeoxFamily,    optFamily,    bloomFamily,    falconFamily,
    llamaFamily,    llamaParamsFamily, mistralFamily,   mixtralFamily,    qwenFamily,   qwen2Family,    qwen2MoeFamily,
    qwen3Family,    qwen3MoeFamily,    gemmaFamily,     gemma2Family,     gemma3Family, phiFamily,      phi3Family,
    stablelmFamily, starcoder2Family,  olmoFamily,      olmo2Family,      olmo3Family,  cohereFamily,   cohere2Family,
    exaoneFamily,   exaone4Family,     internlm2Family, chatglmFamily,    dbrxFamily,   deepseekFamily, nanogptFamily,
    megatronFamily, bertFamily,        robertaFamily,   distilbertFamily, vitFamily};

} // namespace

std::span<const FamilyTable *const> familyTables()
{
    static const auto tables = [] {
        std::array<const FamilyTable *, kTables.size()> made{};
        for (std::size_t i = 0; i < kTables.size(); ++i)
            made[i] = &kTables[i]();
        return made;
    }();
    return tables;
}

std::string familyNames()
{
    std::string names;
    std::string_view last;
    for (const FamilyTable *table : familyTables()) {
        if (table->name != last)
            names += (names.empty() ? "" : ", ") + std::string(table->name);
        last = table->name;
    }
    return names;
}

} // namespace remat::core
