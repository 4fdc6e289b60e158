// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_choice.h"

#include <algorithm>
#include <initializer_list>

#include "base/text.h"
#include "config/config_values.h"
#include "config/family_list.h"
#include "config/refused_types.h"

namespace remat::core {

namespace {

Error refusal(const std::string &file, const std::string &rest)
{
    return {ErrorCode::refused, file + ": " + rest + "."};
}

bool hasAll(const Json &object, std::initializer_list<const char *> keys)
{
    return std::all_of(keys.begin(), keys.end(), [&](const char *key) { return object.contains(key); });
}

/// Meta's params.json goes by the name of its family but has keys of its own.
bool isLlamaParams(const Json &object)
{
    return hasAll(object, {"dim", "n_layers", "n_heads", "norm_eps"}) && !object.contains("hidden_size");
}

const FamilyTable *tableNamed(const std::string &name, const Json &object)
{
    if (name == llamaFamily().name && isLlamaParams(object))
        return &llamaParamsFamily();
    for (const FamilyTable *table : familyTables())
        if (table->name == name)
            return table;
    return nullptr;
}

template <typename List>
bool lists(const List &list, const std::string &text)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

const std::string *textAt(const Json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? &found->get_ref<const std::string &>() : nullptr;
}

const std::string *firstArchitecture(const Json &object)
{
    const auto found = object.find("architectures");
    if (found == object.end() || !found->is_array() || found->empty() || !found->front().is_string())
        return nullptr;
    return &found->front().get_ref<const std::string &>();
}

std::string unsupported(const std::string &type, const Json &object)
{
    std::string text = "model_type is " + quoteText(type);
    if (const std::string_view why = whyRefused(type); !why.empty())
        return text + "; " + std::string(why);
    text += ", which is unknown; supported are " + familyNames()
        + " (--family NAME reads it as one of these, where its blocks are the same)";
    for (const std::string_view key : keys::experts())
        if (object.contains(std::string(key)))
            text += "; this one is a mixture of experts, with " + std::string(key) + " = "
                + shortText(object[std::string(key)]);
    return text;
}

std::string nothingFits(const Json &object)
{
    const auto lacks = [&](keys::Aliases spellings) {
        return std::none_of(spellings.begin(), spellings.end(),
                            [&](std::string_view key) { return object.contains(std::string(key)); });
    };
    std::string missing;
    const auto add = [&](keys::Aliases spellings, const char *what) {
        if (lacks(spellings))
            missing += (missing.empty() ? "" : ", ") + std::string(what);
    };
    add(keys::width(), "a width (hidden_size, n_embd, …)");
    add(keys::layers(), "a depth (num_hidden_layers, n_layer, …)");
    add(keys::heads(), "heads (num_attention_heads, n_head, …)");
    if (!missing.empty())
        return "this is no model config, as it lacks " + missing;
    return "the keys model_type and architectures are absent and the others fit no single family; name it with "
           "--family: "
        + familyNames();
}

/// Old files of RoBERTa name neither type nor class; 514 positions with one token type are found nowhere else.
bool isLegacyRoberta(const Json &object)
{
    const auto is = [&](const char *key, std::int64_t value) {
        const auto found = object.find(key);
        return found != object.end() && found->is_number_integer() && *found == value;
    };
    return hasAll(object, {"hidden_size", "intermediate_size", "layer_norm_eps"}) && is("max_position_embeddings", 514)
        && is("type_vocab_size", 1);
}

/// By keys that only one kind of file has. The table and the reason go to the caller as a note.
const FamilyTable *byKeys(const Json &object, std::string &why)
{
    if (hasAll(object, {"block_size", "n_layer", "n_head", "n_embd"})) {
        why = "inferred from block_size with n_layer, n_head and n_embd";
        return &nanogptFamily();
    }
    if (hasAll(object, {"n_vocab", "n_ctx", "n_embd", "n_head", "n_layer"})) {
        why = "inferred from n_vocab, n_ctx, n_embd, n_head and n_layer: hparams.json of the first GPT-2 release";
        return &gpt2Family();
    }
    if (isLlamaParams(object)) {
        why = "inferred from dim, n_layers, n_heads and norm_eps: params.json as Meta writes it";
        return &llamaParamsFamily();
    }
    if (hasAll(object, {"hidden", "attn_heads", "num_blocks", "seq_size"})) {
        why = "inferred from hidden, attn_heads, num_blocks and seq_size: an application file of Calculon";
        return &megatronFamily();
    }
    if (hasAll(object, {"hidden_dim", "n_head", "num_layers"})) {
        why = "inferred from hidden_dim, n_head and num_layers: a model file of llm-analysis";
        return &megatronFamily();
    }
    if (hasAll(object, {"num_layers", "hidden_size", "num_attention_heads", "seq_length"})) {
        why = "inferred from num_layers, hidden_size, num_attention_heads and seq_length: arguments of Megatron-LM";
        return &megatronFamily();
    }
    if (isLegacyRoberta(object)) {
        why = "inferred from max_position_embeddings = 514 (512 and an offset of 2) and type_vocab_size = 1";
        return &robertaFamily();
    }
    return nullptr;
}

Result<FamilyChoice> chooseAsked(const Json &object, const std::string &asked)
{
    FamilyChoice choice;
    choice.table = tableNamed(asked, object);
    if (choice.table == nullptr)
        return Error{ErrorCode::usage,
                     "The family " + quoteText(asked) + " is unknown; supported are " + familyNames() + "."};
    const std::string *type = textAt(object, "model_type");
    if (type != nullptr && *type != asked)
        choice.warnings.push_back({"model_type", cleanUtf8(*type), "overridden: read as " + asked + ", as asked for"});
    return choice;
}

} // namespace

Result<FamilyChoice> chooseFamily(const Json &object, const std::string &file, const std::string &asked)
{
    if (!asked.empty())
        return chooseAsked(object, asked);
    const auto type = object.find("model_type");
    if (type != object.end() && !type->is_null() && !type->is_string())
        return refusal(file,
                       "model_type is " + shortText(*type) + "; allowed is the name of a family: " + familyNames());
    const std::string *name = textAt(object, "model_type");
    if (name != nullptr && !name->empty()) {
        for (const FamilyTable *table : familyTables())
            if (lists(table->modelTypes, *name))
                return FamilyChoice{table, {}, {}};
        return refusal(file, unsupported(*name, object));
    }
    const std::string *architecture = firstArchitecture(object);
    if (architecture != nullptr) {
        for (const FamilyTable *table : familyTables())
            if (lists(table->architectures, *architecture))
                return FamilyChoice{
                    table, {{"family", std::string(table->name), "inferred from architectures: " + *architecture}}, {}};
        return refusal(file,
                       "architectures names " + quoteText(*architecture) + "; supported families are " + familyNames());
    }
    std::string why;
    if (const FamilyTable *table = byKeys(object, why); table != nullptr)
        return FamilyChoice{table, {{"family", std::string(table->name), why}}, {}};
    return refusal(file, nothingFits(object));
}

} // namespace remat::core
