// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/config_reader.h"

#include "base/json.h"
#include "base/text.h"
#include "config/config_text.h"
#include "config/family_choice.h"
#include "config/family_reading.h"

namespace remat::core {

namespace {

constexpr std::size_t kMostKeys = 2000;

bool isYaml(const std::string &file)
{
    return file.ends_with(".yml") || file.ends_with(".yaml");
}

Result<ModelConfig> parse(const ConfigText &config, const std::string &family)
{
    const auto refuse = [&](std::string_view rest) {
        return Error{ErrorCode::refused, config.file + ": " + std::string(rest) + "."};
    };
    if (const std::string_view known = recogniseText(config.text); !known.empty())
        return refuse(known);
    auto json = parseJson(config.text, config.file);
    if (!json && isYaml(config.file))
        return refuse("it is a YAML file; supported are JSON configs of the families " + familyNames());
    if (!json)
        return json.error();
    if (!json->is_object())
        return refuse("its top level is " + std::string(json->type_name()) + "; a JSON object is needed");
    if (json->size() > kMostKeys)
        return refuse("it has " + std::to_string(json->size()) + " keys, and no model config has more than "
                      + std::to_string(kMostKeys));
    auto choice = chooseFamily(*json, config.file, family);
    if (!choice)
        return choice.error();
    FamilyReading reading(*json, config.file, *choice->table);
    reading.model.name = config.name;
    reading.model.derived = choice->derived;
    reading.model.warnings = choice->warnings;
    return reading.read();
}

} // namespace

Result<ModelConfig> readModelConfig(const std::string &path, const std::string &family)
{
    auto config = readConfigText(path);
    if (!config)
        return config.error();
    return parse(*config, family);
}

Result<ModelConfig> parseModelConfig(std::string_view text, const std::string &name, const std::string &family)
{
    ConfigText config;
    config.text = text;
    config.file = config.name = cleanUtf8(name);
    return parse(config, family);
}

} // namespace remat::core
