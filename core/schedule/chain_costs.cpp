// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/chain_costs.h"

#include <algorithm>

namespace remat::core {

namespace {

constexpr std::size_t kMostStages = 100'000;
constexpr std::size_t kMostOptions = 64;

/// Reads numbers from untrusted JSON; remembers the first key that holds none.
class NumberReader
{
public:
    explicit NumberReader(std::string_view what) : m_what(what) { }

    [[nodiscard]] Bytes number(const Json &json, const char *key)
    {
        const auto it = json.is_object() ? json.find(key) : json.end();
        if (it == json.end() || !it->is_number_integer() || std::abs(it->get<double>()) > 1e18)
            return fail(key, "holds no whole number");
        return it->get<Bytes>();
    }
    /// Absent in documents of older versions.
    [[nodiscard]] Bytes numberOrZero(const Json &json, const char *key)
    {
        return json.is_object() && !json.contains(key) ? 0 : number(json, key);
    }
    [[nodiscard]] bool flag(const Json &json, const char *key)
    {
        const auto it = json.is_object() ? json.find(key) : json.end();
        if (it == json.end() || !it->is_boolean())
            return fail(key, "is neither true nor false") != 0;
        return it->get<bool>();
    }
    [[nodiscard]] Transient transient(const Json &json, const char *key)
    {
        const auto it = json.is_object() ? json.find(key) : json.end();
        if (it == json.end() || !it->is_array() || it->size() != 2 || !(*it)[0].is_number_integer()
            || !(*it)[1].is_number_integer()) {
            fail(key, "holds no pair of whole numbers");
            return {};
        }
        return {(*it)[0].get<Bytes>(), (*it)[1].get<Bytes>()};
    }

    Bytes fail(const std::string &key, const std::string &why)
    {
        if (m_problem.empty())
            m_problem = std::string(m_what) + " holds no usable costs: its key '" + key + "' " + why + ".";
        return 0;
    }
    [[nodiscard]] const std::string &problem() const { return m_problem; }

private:
    std::string_view m_what;
    std::string m_problem;
};

Json toJson(const Transient &transient)
{
    return Json::array({transient.total, transient.activation});
}

Json toJson(const OptionCost &cost)
{
    return Json{{"saved", cost.saved},
                {"keeps_input", cost.keepsInput},
                {"keeps_output", cost.keepsOutput},
                {"forward_save", toJson(cost.forwardSave)},
                {"forward_save_phantom", toJson(cost.forwardSavePhantom)},
                {"backward_first", toJson(cost.backwardFirst)},
                {"backward_later", toJson(cost.backwardLater)},
                {"forward_save_ns", cost.forwardSaveNs},
                {"phantom_ns", cost.phantomNs},
                {"backward_ns", cost.backwardNs},
                {"rebuild_ns", cost.rebuildNs}};
}

OptionCost optionFrom(const Json &json, NumberReader &read)
{
    OptionCost cost;
    cost.saved = read.number(json, "saved");
    cost.keepsInput = read.flag(json, "keeps_input");
    cost.keepsOutput = read.flag(json, "keeps_output");
    cost.forwardSave = read.transient(json, "forward_save");
    cost.forwardSavePhantom = read.transient(json, "forward_save_phantom");
    cost.backwardFirst = read.transient(json, "backward_first");
    cost.backwardLater = read.transient(json, "backward_later");
    cost.forwardSaveNs = read.number(json, "forward_save_ns");
    cost.phantomNs = read.number(json, "phantom_ns");
    cost.backwardNs = read.number(json, "backward_ns");
    cost.rebuildNs = read.number(json, "rebuild_ns");
    return cost;
}

Json toJson(const StageCost &cost)
{
    Json options = Json::object();
    for (const auto &[id, option] : cost.options)
        options[id.empty() ? "keep_all" : id] = toJson(option);
    return Json{{"output", cost.output},         {"forward", toJson(cost.forward)},
                {"forward_ns", cost.forwardNs},  {"gradient_growth", cost.gradientGrowth},
                {"remembered", cost.remembered}, {"options", std::move(options)}};
}

StageCost stageFrom(const Json &json, NumberReader &read)
{
    StageCost cost;
    cost.output = read.number(json, "output");
    cost.forward = read.transient(json, "forward");
    cost.forwardNs = read.number(json, "forward_ns");
    cost.gradientGrowth = read.number(json, "gradient_growth");
    cost.remembered = read.numberOrZero(json, "remembered");
    const auto options = json.is_object() ? json.find("options") : json.end();
    if (options == json.end() || !options->is_object() || options->size() > kMostOptions
        || !options->contains("keep_all")) {
        read.fail("options", "has no entry 'keep_all'");
        return cost;
    }
    for (const auto &[id, option] : options->items())
        cost.options[id == "keep_all" ? std::string() : id] = optionFrom(option, read);
    return cost;
}

Json stagesToJson(const std::vector<StageCost> &stages)
{
    Json list = Json::array();
    for (const StageCost &stage : stages)
        list.push_back(toJson(stage));
    return list;
}

CostSource sourceFrom(const Json &json, NumberReader &read)
{
    const auto it = json.find("source");
    const std::string text = it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
    for (const CostSource source :
         {CostSource::formula, CostSource::probe, CostSource::recorded, CostSource::chainFile})
        if (toString(source) == text)
            return source;
    read.fail("source", "is none of formula, probe, recorded, chain file");
    return CostSource::formula;
}

} // namespace

std::string_view toString(CostSource source)
{
    switch (source) {
    case CostSource::formula:
        return "formula";
    case CostSource::probe:
        return "probe";
    case CostSource::recorded:
        return "recorded";
    case CostSource::chainFile:
        return "chain file";
    }
    return "formula";
}

Json toJson(const ChainCosts &costs)
{
    return Json{{"format", "remat-costs"},
                {"version", 1},
                {"source", toString(costs.source)},
                {"input", costs.input},
                {"stages", stagesToJson(costs.stages)},
                {"first_trainable", costs.firstTrainable},
                {"loss",
                 {{"first", toJson(costs.loss.first)},
                  {"later", toJson(costs.loss.later)},
                  {"gradient_growth", costs.loss.gradientGrowth},
                  {"ns", costs.loss.ns}}},
                {"static_bytes", costs.staticBytes},
                {"optimizer", toJson(costs.optimizer)},
                {"optimizer_ns", costs.optimizerNs},
                {"other_ns", costs.otherNs},
                {"micro_batches", costs.microBatches},
                {"gradients_kept", costs.gradientsKept}};
}

Result<ChainCosts> costsFromJson(const Json &json, std::string_view what)
{
    NumberReader read(what);
    ChainCosts costs;
    if (!json.is_object() || !json.contains("format") || json["format"] != "remat-costs" || !json.contains("stages")
        || !json["stages"].is_array() || json["stages"].empty() || json["stages"].size() > kMostStages
        || !json.contains("loss"))
        return Error{ErrorCode::refused,
                     std::string(what) + " holds no usable costs: 'format', 'stages' or 'loss' is missing or wrong."};
    costs.source = sourceFrom(json, read);
    costs.input = read.number(json, "input");
    for (const Json &stage : json["stages"])
        costs.stages.push_back(stageFrom(stage, read));
    const Bytes first = read.numberOrZero(json, "first_trainable");
    if (first < 0 || first >= static_cast<Bytes>(costs.stages.size()))
        read.fail("first_trainable", "is no stage");
    costs.firstTrainable = static_cast<int>(first);
    const Json &loss = json["loss"];
    costs.loss = {read.transient(loss, "first"), read.transient(loss, "later"), read.number(loss, "gradient_growth"),
                  read.number(loss, "ns")};
    costs.staticBytes = read.number(json, "static_bytes");
    costs.optimizer = read.transient(json, "optimizer");
    costs.optimizerNs = read.number(json, "optimizer_ns");
    costs.otherNs = read.number(json, "other_ns");
    costs.microBatches = static_cast<int>(std::clamp<Bytes>(read.number(json, "micro_batches"), 1, 1'000'000));
    costs.gradientsKept = read.flag(json, "gradients_kept");
    if (!read.problem().empty())
        return Error{ErrorCode::refused, read.problem()};
    return costs;
}

} // namespace remat::core
