// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <memory>

#include "base/text.h"
#include "command.h"
#include "config/config_reader.h"
#include "model/parameter_inventory.h"
#include "model/stage.h"
#include "model/workload.h"
#include "point_table.h"
#include "schedule/strategy.h"

namespace remat::app {

namespace {

using core::Json;

struct Options
{
    std::string config;
    std::string family;
    std::int64_t vocabulary = 0;
    int layers = 0;
    double hiddenScale = 1.0;
    bool strategies = false;
    bool json = false;
};

int listStrategies(bool json)
{
    Json list = Json::array();
    std::vector<std::vector<std::string>> rows{{"strategy", "rule"}};
    for (const core::StrategyInfo &info : core::strategyTable()) {
        list.push_back({{"strategy", info.pattern}, {"rule", info.rule}});
        rows.push_back({std::string(info.pattern), std::string(info.rule)});
    }
    if (json)
        printJson({{"strategies", std::move(list)}});
    else
        std::fputs(table(rows).c_str(), stdout);
    return exitDone;
}

/// The keys that `inspect` promises, in that order, from the model's own document.
Json inspection(const core::ModelConfig &model)
{
    const Json whole = toJson(model);
    const core::ParameterCount count = core::countParameters(model);
    Json json;
    json["name"] = whole.at("name");
    for (const char *key :
         {"family", "support", "reason", "layers", "width", "heads", "kv_heads", "head_size", "ffn_width", "vocabulary",
          "positions", "activation", "norm", "norm_placement", "tied_head"})
        json[key] = whole.at(key);
    if (model.supportReason.empty())
        json["reason"] = nullptr;
    json["parameters"] = {{"total", count.total},
                          {"embedding", count.embedding},
                          {"non_embedding", count.nonEmbedding},
                          {"active", count.active}};
    for (const char *key : {"derived", "defaulted", "ignored", "warnings"})
        json[key] = whole.at(key);
    json["stages"] = core::stagesOf(model).size();
    return json;
}

void printInspection(const core::ModelConfig &model, const Json &json)
{
    std::vector<std::vector<std::string>> rows;
    for (const auto &[key, value] : json.items()) {
        if (value.is_string())
            rows.push_back({key, value.get<std::string>()});
        else if (value.is_number_integer())
            rows.push_back({key, core::formatCount(value.get<long long>())});
        else if (value.is_boolean())
            rows.push_back({key, value.get<bool>() ? "yes" : "no"});
    }
    for (const auto &[key, value] : json.at("parameters").items())
        rows.push_back({"parameters, " + key, core::formatCount(value.get<long long>())});
    std::fputs(table(rows).c_str(), stdout);
    for (const auto &[title, notes] : {std::pair{"derived", &model.derived}, std::pair{"defaulted", &model.defaulted},
                                       std::pair{"ignored", &model.ignored}, std::pair{"warnings", &model.warnings}}) {
        if (notes->empty())
            continue;
        std::vector<std::vector<std::string>> lines;
        for (const core::ConfigNote &note : *notes)
            lines.push_back({"  " + note.key, note.value, note.why});
        std::printf("\n%s\n%s", title, table(lines).c_str());
    }
}

int runInspect(const Options &options)
{
    if (options.strategies)
        return listStrategies(options.json);
    if (options.config.empty())
        return fail({core::ErrorCode::usage, "remat inspect: CONFIG is required; see remat inspect --help."});
    auto model = core::readModelConfig(options.config, core::ReadOptions{options.family, options.vocabulary});
    if (!model) {
        if (options.json && model.error().code == core::ErrorCode::refused)
            printJson({{"support", "refused"}, {"reason", model.error().message}});
        return fail(model.error());
    }
    auto scaled = core::scaledDown(std::move(*model), options.layers, options.hiddenScale);
    if (!scaled)
        return fail(scaled.error());
    const Json json = inspection(*scaled);
    if (options.json)
        printJson(json);
    else
        printInspection(*scaled, json);
    return exitDone;
}

} // namespace

void addInspectCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command
        = addCommand(app, "inspect", "Show a model config as the program reads it", "remat inspect config.json --json");
    command->add_option("CONFIG", options->config, "model config: a config.json, or a folder that holds one");
    command->add_option("--family", options->family, "family of a config that does not say");
    command->add_option("--vocab", options->vocabulary, "vocabulary of a config that does not say")
        ->check(CLI::PositiveNumber);
    command->add_option("--layers", options->layers, "replace the number of layers")->check(CLI::PositiveNumber);
    command->add_option("--hidden-scale", options->hiddenScale, "scale width, heads and feed-forward width by F <= 1");
    command->add_flag("--strategies", options->strategies, "list the strategies instead");
    command->add_flag("--json", options->json, "print one JSON document");
    command->callback([options, &action] { action = [options] { return runInspect(*options); }; });
}

} // namespace remat::app
