// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/chain_file.h"

#include <optional>
#include <string>

namespace remat::core {

namespace {

constexpr std::size_t kMostStages = 100'000;
constexpr std::size_t kMostOptions = 64;
constexpr std::int64_t kLargest = std::int64_t{1} << 50;

using Numbers = std::vector<std::int64_t>;

class ChainReader
{
public:
    explicit ChainReader(std::string_view what) : m_what(what) { }

    Result<ChainCosts> read(const Json &json)
    {
        const auto w = json.find("w");
        if (w == json.end() || !w->is_array() || w->size() < 2 || w->size() > kMostStages + 1)
            return refused("its key 'w' holds no list of boundary sizes, one more than there are stages");
        m_stages = w->size() - 1;
        m_w = list(json, "w", m_stages + 1, {});
        m_base.size = list(json, "W", m_stages, {});
        m_base.forward = list(json, "f", m_stages, {});
        m_base.backward = list(json, "g", m_stages, {});
        m_base.forwardExtra = list(json, "of", m_stages, Numbers(m_stages, 0));
        m_base.backwardExtra = list(json, "ob", m_stages + 1, Numbers(m_stages + 1, 0));
        m_base.phantomSize = list(json, "W_phantom", m_stages, m_base.size);
        m_base.phantomForward = list(json, "f_phantom", m_stages, m_base.forward);
        m_keepsOutput = flag(json, "keeps_output", true);
        m_lossTime = number(json, "loss_time");
        if (m_problem.empty())
            build();
        if (m_problem.empty())
            readOptions(json);
        if (!m_problem.empty())
            return refused(m_problem);
        return std::move(m_costs);
    }

    [[nodiscard]] Error refused(const std::string &how) const
    {
        return {ErrorCode::refused, std::string(m_what) + " is no chain file: " + how + "."};
    }

private:
    /// The lists of one way to run the stages.
    struct Lists
    {
        Numbers size, forward, backward, forwardExtra, backwardExtra, phantomSize, phantomForward;
    };

    void complain(const std::string &problem)
    {
        if (m_problem.empty())
            m_problem = problem;
    }

    Numbers list(const Json &json, const std::string &key, std::size_t count, const std::optional<Numbers> &fallback)
    {
        const auto it = json.find(key);
        if (it == json.end() && fallback)
            return *fallback;
        if (it == json.end() || !it->is_array() || it->size() != count) {
            complain("its key '" + key + "' holds no list of " + std::to_string(count) + " numbers");
            return Numbers(count, 0);
        }
        Numbers numbers;
        for (const Json &entry : *it)
            numbers.push_back(whole(entry, key));
        return numbers;
    }

    std::int64_t whole(const Json &entry, const std::string &key)
    {
        // Within these bounds every sum that a simulation forms stays exact.
        const double value = entry.is_number() ? entry.get<double>() : -1.0;
        if (!(value >= 0.0 && value <= static_cast<double>(kLargest))
            || value != static_cast<double>(static_cast<std::int64_t>(value))) {
            complain("its key '" + key + "' holds something that is no whole number from 0 to 2^50");
            return 0;
        }
        return static_cast<std::int64_t>(value);
    }

    bool flag(const Json &json, const std::string &key, bool fallback)
    {
        const auto it = json.find(key);
        if (it == json.end())
            return fallback;
        if (!it->is_boolean())
            complain("its key '" + key + "' is neither true nor false");
        return it->is_boolean() && it->get<bool>();
    }

    std::int64_t number(const Json &json, const std::string &key)
    {
        const auto it = json.find(key);
        return it == json.end() ? 0 : whole(*it, key);
    }

    /// Section by section as the notation defines it: a forward adds its output, a saving forward all that it keeps, a
    /// backward the gradient of its input; `of` and `ob` come on top.
    OptionCost option(const Lists &lists, std::size_t i)
    {
        const Bytes output = m_w[i + 1];
        OptionCost cost;
        cost.saved = lists.size[i] - output;
        if (cost.saved < 0)
            complain("W of stage " + std::to_string(i) + " is smaller than the output it includes");
        cost.keepsOutput = m_keepsOutput;
        const Bytes save = lists.size[i] + lists.forwardExtra[i];
        const Bytes phantom = lists.phantomSize[i] + lists.forwardExtra[i];
        const Bytes backward = m_w[i] + lists.backwardExtra[i];
        cost.forwardSave = {save, save};
        cost.forwardSavePhantom = {phantom, phantom};
        cost.backwardFirst = cost.backwardLater = {backward, backward};
        cost.forwardSaveNs = lists.forward[i];
        cost.phantomNs = lists.phantomForward[i];
        cost.backwardNs = lists.backward[i];
        return cost;
    }

    void build()
    {
        m_costs.source = CostSource::chainFile;
        m_costs.input = m_w[0];
        for (std::size_t i = 0; i < m_stages; ++i) {
            StageCost stage;
            stage.output = m_w[i + 1];
            const Bytes forward = m_w[i + 1] + m_base.forwardExtra[i];
            stage.forward = {forward, forward};
            stage.forwardNs = m_base.forward[i];
            stage.options[""] = option(m_base, i);
            m_costs.stages.push_back(std::move(stage));
        }
        const Bytes loss = m_w[m_stages] + m_base.backwardExtra[m_stages];
        m_costs.loss.first = m_costs.loss.later = {loss, loss};
        m_costs.loss.ns = m_lossTime;
    }

    void readOptions(const Json &json)
    {
        const auto options = json.find("options");
        if (options == json.end())
            return;
        if (!options->is_array() || options->size() > kMostOptions)
            return complain("its key 'options' holds no list of at most 64 options");
        for (const Json &entry : *options) {
            const auto id = entry.is_object() ? entry.find("id") : entry.end();
            if (!entry.is_object() || id == entry.end() || !id->is_string() || id->get<std::string>().empty())
                return complain("an entry of its key 'options' has no 'id'");
            Lists lists;
            lists.size = list(entry, "W", m_stages, m_base.size);
            lists.forward = list(entry, "f", m_stages, m_base.forward);
            lists.backward = list(entry, "g", m_stages, m_base.backward);
            lists.forwardExtra = list(entry, "of", m_stages, m_base.forwardExtra);
            Numbers extra(m_base.backwardExtra.begin(), m_base.backwardExtra.end() - 1);
            lists.backwardExtra = list(entry, "ob", m_stages, extra);
            lists.phantomSize = list(entry, "W_phantom", m_stages, lists.size);
            lists.phantomForward = list(entry, "f_phantom", m_stages, lists.forward);
            for (std::size_t i = 0; i < m_stages; ++i)
                m_costs.stages[i].options[id->get<std::string>()] = option(lists, i);
        }
    }

    std::string_view m_what;
    std::string m_problem;
    std::size_t m_stages = 0;
    Numbers m_w;
    Lists m_base;
    bool m_keepsOutput = true;
    std::int64_t m_lossTime = 0;
    ChainCosts m_costs;
};

} // namespace

Result<ChainCosts> chainFromJson(const Json &json, std::string_view what)
{
    ChainReader reader(what);
    if (!json.is_object())
        return reader.refused("it holds no JSON object");
    const auto format = json.find("format");
    if (format != json.end() && *format == "remat-costs")
        return costsFromJson(json, what);
    if (const auto costs = json.find("costs"); costs != json.end())
        return costsFromJson(*costs, what);
    // The literature's bare arrays need no head; one that is there must be right.
    if (format != json.end() && *format != "remat-chain")
        return reader.refused("its key 'format' is neither 'remat-chain' nor 'remat-costs'");
    if (const auto version = json.find("version"); version != json.end() && *version != 1)
        return reader.refused("its key 'version' is not 1, the only version this program reads");
    return reader.read(json);
}

} // namespace remat::core
