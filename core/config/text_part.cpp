// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/text_part.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "config/config_values.h"
#include "config/key_aliases.h"

namespace remat::core {

namespace {

/// What transformers takes for a text part that does not name its type (the sub_configs of the outer classes).
struct UsualPart
{
    std::string_view outer;
    std::string_view inner;
};
constexpr std::array<UsualPart, 14> kUsualParts = {{{"llava", "llama"},
                                                    {"llava_next", "llama"},
                                                    {"vipllava", "llama"},
                                                    {"video_llava", "llama"},
                                                    {"idefics2", "mistral"},
                                                    {"idefics3", "llama"},
                                                    {"smolvlm", "llama"},
                                                    {"mistral3", "mistral"},
                                                    {"paligemma", "gemma"},
                                                    {"gemma3", "gemma3_text"},
                                                    {"qwen2_vl", "qwen2"},
                                                    {"qwen2_5_vl", "qwen2"},
                                                    {"qwen3_vl", "qwen3"},
                                                    {"internvl", "qwen2"}}};

// What holds for the whole model and is written at its outer level only.
constexpr std::array<const char *, 4> kOuterKeys
    = {"tie_word_embeddings", "quantization_config", "vocab_size", "gradient_checkpointing"};

constexpr std::array<const char *, 5> kOtherParts
    = {"vision_config", "audio_config", "visual", "vision_tower_config", "speech_config"};

std::string textOf(const Json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// "model" is a common word: it counts only where the object has a width and heads.
bool describesModel(const Json &object)
{
    const auto has = [&](keys::Aliases spellings) {
        return std::any_of(spellings.begin(), spellings.end(),
                           [&](std::string_view key) { return object.contains(std::string(key)); });
    };
    return has(keys::width()) && has(keys::heads());
}

std::string usualType(const std::string &outer)
{
    for (const UsualPart &part : kUsualParts)
        if (part.outer == outer)
            return std::string(part.inner);
    return {};
}

std::string reasonFor(const Json &object)
{
    const std::string type = textOf(object, "model_type");
    return "Only the text part" + (type.empty() ? "" : " of this " + cleanUtf8(type) + " model")
        + " is run and counted; its other parts, for images or sound, are not.";
}

std::string whyNotRead(const std::string &key)
{
    const std::string_view known = keys::whyIgnored(key);
    return known.empty() ? "concerns the parts that are not run" : std::string(known);
}

void takeOuterKeys(const Json &object, const std::string &key, TextPart &part)
{
    for (const char *name : kOuterKeys) {
        const auto outer = object.find(name);
        const auto inner = part.object.find(name);
        if (outer == object.end() || outer->is_null() || (inner != part.object.end() && !inner->is_null()))
            continue;
        part.object[name] = *outer;
        part.derived.push_back({name, shortText(*outer), "read from the outer level, as " + key + " lacks it"});
    }
}

} // namespace

std::optional<TextPart> findTextPart(const Json &object)
{
    for (const std::string_view name : keys::composites()) {
        const std::string key(name);
        const auto found = object.find(key);
        if (found == object.end() || !found->is_object() || (key == "model" && !describesModel(*found)))
            continue;
        TextPart part;
        part.object = *found;
        part.reason = reasonFor(object);
        takeOuterKeys(object, key, part);
        part.type = textOf(*found, "model_type");
        const bool isNamed = !part.type.empty() || found->contains("architectures");
        if (!isNamed)
            part.type = usualType(textOf(object, "model_type"));
        part.derived.push_back({key, cleanUtf8(part.type), "the text part, from which the model is read"});
        for (const auto &[outer, value] : object.items())
            if (outer != key && outer != "model_type" && !part.object.contains(outer))
                part.ignored.push_back({cleanUtf8(outer), shortText(value), whyNotRead(outer)});
        return part;
    }
    return std::nullopt;
}

std::string flatPartReason(const Json &object)
{
    for (const char *key : kOtherParts) {
        const auto found = object.find(key);
        if (found != object.end() && found->is_object())
            return reasonFor(object);
    }
    return {};
}

} // namespace remat::core
