// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/config_reader.h"

#include "base/json.h"
#include "base/text.h"
#include "config/config_text.h"
#include "config/family_choice.h"
#include "config/config_values.h"
#include "config/family_reading.h"
#include "config/refused_types.h"
#include "config/text_part.h"

namespace remat::core {

namespace {

constexpr std::size_t kMostKeys = 2000;

bool isYaml(const std::string &file)
{
    return file.ends_with(".yml") || file.ends_with(".yaml");
}

/// Reads one level of a config with the table that fits it; `part` adds what is known of the outer level.
Result<ModelConfig> readObject(const Json &object, const ConfigText &config, const ReadOptions &options,
                               const TextPart *part)
{
    auto choice = chooseFamily(object, config.file, options.family);
    if (!choice)
        return choice.error();
    const FamilyTable &table = *choice->table;
    const Json flat = table.flatten != nullptr ? table.flatten(object) : object;
    FamilyReading reading(flat, config.file, table, {part != nullptr, options.vocabulary});
    ModelConfig &model = reading.model;
    model.name = config.name;
    model.derived = choice->derived;
    model.warnings = choice->warnings;
    model.supportReason = part != nullptr ? part->reason : flatPartReason(object);
    if (!model.supportReason.empty())
        model.support = Support::textPart;
    if (part != nullptr) {
        model.derived.insert(model.derived.end(), part->derived.begin(), part->derived.end());
        model.ignored = part->ignored;
    }
    return reading.read();
}

/// Why the type that the outer level names cannot be run, whatever its text part looks like.
std::string_view whyOuterRefused(const Json &object)
{
    const auto type = object.find("model_type");
    return type != object.end() && type->is_string() ? whyRefused(type->get_ref<const std::string &>())
                                                     : std::string_view();
}

Result<ModelConfig> parse(const ConfigText &config, const ReadOptions &options)
{
    const auto refuse = [&](std::string_view rest) {
        return Error{ErrorCode::refused, config.file + ": " + std::string(rest) + "."};
    };
    if (const std::string_view known = recogniseText(config.text); !known.empty())
        return refuse(known);
    auto json = parseJson(config.text, config.file);
    if (!json && isYaml(config.file))
        return refuse(config.text.find("num-layers") == std::string::npos
                          ? "it is a YAML file; supported are JSON configs of the families " + familyNames()
                          : "it is a file of the GPT-NeoX trainer, which is no JSON and names no vocabulary; supported "
                            "is the config.json of the same model (family gpt_neox)");
    if (!json)
        return json.error();
    if (!json->is_object())
        return refuse("its top level is " + std::string(json->type_name()) + "; a JSON object is needed");
    if (json->size() > kMostKeys)
        return refuse("it has " + std::to_string(json->size()) + " keys, and no model config has more than "
                      + std::to_string(kMostKeys));
    auto part = findTextPart(*json);
    if (!part)
        return readObject(*json, config, options, nullptr);
    if (const std::string_view why = whyOuterRefused(*json); !why.empty() && options.family.empty())
        return refuse("model_type is " + shortText((*json)["model_type"]) + "; " + std::string(why));
    if (!part->type.empty())
        part->object["model_type"] = part->type;
    return readObject(part->object, config, options, &*part);
}

} // namespace

Result<ModelConfig> readModelConfig(const std::string &path, const ReadOptions &options)
{
    auto config = readConfigText(path);
    if (!config)
        return config.error();
    return parse(*config, options);
}

Result<ModelConfig> readModelConfig(const std::string &path, const std::string &family)
{
    return readModelConfig(path, ReadOptions{family, 0});
}

Result<ModelConfig> parseModelConfig(std::string_view text, const std::string &name, const ReadOptions &options)
{
    ConfigText config;
    config.text = text;
    config.file = config.name = cleanUtf8(name);
    return parse(config, options);
}

Result<ModelConfig> parseModelConfig(std::string_view text, const std::string &name, const std::string &family)
{
    return parseModelConfig(text, name, ReadOptions{family, 0});
}

} // namespace remat::core
