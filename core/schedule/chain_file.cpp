// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/chain_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace remat::core {

namespace {

constexpr std::size_t kMostStages = 20'000;
constexpr std::size_t kMostOptions = 64;
// Within these bounds every sum that a simulation forms stays exact.
constexpr double kLargest = static_cast<double>(std::int64_t{1} << 50);
constexpr std::int64_t kFractionScale = 1'000'000;

/// One key's numbers: per stage one or one per option.
using Table = std::vector<std::vector<double>>;

/// These describe a stage, whatever its options.
constexpr std::array kOnePerStage{"boundary", "run", "run_transient", "gradient"};

class ChainReader
{
public:
    ChainReader(const Json &json, std::string_view what) : m_json(json), m_what(what) { }

    Result<ChainFile> read()
    {
        const auto boundary = m_json.find("boundary");
        if (boundary == m_json.end() || !boundary->is_array() || boundary->size() < 2
            || boundary->size() > kMostStages + 1)
            return refused("its key 'boundary' holds no list of 2 to 20,001 sizes, one more than there are stages");
        m_stages = boundary->size() - 1;
        readTables();
        if (m_problem.empty())
            chooseScale();
        if (m_problem.empty())
            build();
        if (!m_problem.empty())
            return refused(m_problem);
        return std::move(m_chain);
    }

    [[nodiscard]] Error refused(const std::string &how) const
    {
        return {ErrorCode::refused, std::string(m_what) + " is no chain file: " + how + "."};
    }

private:
    void complain(const std::string &problem)
    {
        if (m_problem.empty())
            m_problem = problem;
    }

    void readTables()
    {
        m_boundary = table("boundary", m_stages + 1, std::nullopt);
        m_saved = table("saved", m_stages, std::nullopt);
        m_forward = table("forward", m_stages, std::nullopt);
        m_backward = table("backward", m_stages, std::nullopt);
        const Table zeros(m_stages, {0.0});
        m_forwardExtra = table("forward_transient", m_stages, zeros);
        m_backwardExtra = table("backward_transient", m_stages, zeros);
        m_run = table("run", m_stages, m_forward);
        m_runExtra = table("run_transient", m_stages, m_forwardExtra);
        m_phantom = table("forward_phantom", m_stages, m_forward);
        m_hasPhantomExtra = m_json.contains("phantom_transient");
        m_phantomExtra = table("phantom_transient", m_stages, m_forwardExtra);
        m_gradient = table("gradient", m_stages, zeros);
        m_lossExtra = number("loss_transient");
        m_lossTime = number("loss_time");
        readKeepsOutput();
    }

    Table table(const std::string &key, std::size_t count, const std::optional<Table> &fallback)
    {
        const auto it = m_json.find(key);
        if (it == m_json.end() && fallback)
            return *fallback;
        if (it == m_json.end() || !it->is_array() || it->size() != count) {
            complain("its key '" + key + "' holds no list of " + std::to_string(count) + " entries");
            return Table(count, {0.0});
        }
        Table numbers;
        for (const Json &entry : *it)
            numbers.push_back(entryOf(entry, key));
        return numbers;
    }

    std::vector<double> entryOf(const Json &entry, const std::string &key)
    {
        const bool alone = std::find(kOnePerStage.begin(), kOnePerStage.end(), key) != kOnePerStage.end();
        if (!entry.is_array() || alone)
            return {value(entry, key)};
        if (entry.empty() || entry.size() > kMostOptions) {
            complain("an entry of its key '" + key + "' is no list of 1 to 64 numbers");
            return {0.0};
        }
        std::vector<double> numbers;
        for (const Json &one : entry)
            numbers.push_back(value(one, key));
        return numbers;
    }

    double value(const Json &entry, const std::string &key)
    {
        const double number = entry.is_number() ? entry.get<double>() : -1.0;
        const bool isTime = key == "run" || key == "backward" || key == "loss_time"
            || (key.starts_with("forward") && key != "forward_transient");
        if (number >= 0.0 && number <= kLargest && (isTime || number == std::floor(number)))
            return number;
        complain("its key '" + key + "' holds something that is no " + (isTime ? "time" : "whole number")
                 + " from 0 to 2^50");
        return 0.0;
    }

    double number(const std::string &key)
    {
        const auto it = m_json.find(key);
        return it == m_json.end() ? 0.0 : value(*it, key);
    }

    void readKeepsOutput()
    {
        m_keepsOutput.assign(m_stages, true);
        const auto it = m_json.find("keeps_output");
        if (it == m_json.end())
            return;
        const bool isList = it->is_array() && it->size() == m_stages;
        for (std::size_t i = 0; i < m_stages; ++i) {
            const Json &entry = isList ? (*it)[i] : *it;
            if (!entry.is_boolean())
                return complain("its key 'keeps_output' is neither true nor false nor a list of these, one per stage");
            m_keepsOutput[i] = entry.get<bool>();
        }
    }

    void chooseScale()
    {
        double largest = m_lossTime;
        bool whole = m_lossTime == std::floor(m_lossTime);
        for (const Table *times : {&m_forward, &m_backward, &m_run, &m_phantom})
            for (const auto &entry : *times)
                for (const double time : entry) {
                    largest = std::max(largest, time);
                    whole = whole && time == std::floor(time);
                }
        m_chain.timeScale = whole ? 1 : kFractionScale;
        if (largest * static_cast<double>(m_chain.timeScale) > kLargest)
            complain("its times have fractions and are larger than 10^9; use a larger unit");
    }

    [[nodiscard]] Nanoseconds time(double value) const
    {
        return static_cast<Nanoseconds>(std::llround(value * static_cast<double>(m_chain.timeScale)));
    }
    static Bytes size(double value) { return static_cast<Bytes>(value); }

    double of(const Table &numbers, std::size_t stage, std::size_t option, const char *key)
    {
        const auto &entry = numbers[stage];
        if (entry.size() == 1)
            return entry.front();
        if (option < entry.size())
            return entry[option];
        complain("its key '" + std::string(key) + "' has fewer options for stage " + std::to_string(stage)
                 + " than another key");
        return 0.0;
    }

    [[nodiscard]] std::size_t optionsOf(std::size_t stage) const
    {
        std::size_t most = 1;
        for (const Table *numbers :
             {&m_saved, &m_forward, &m_backward, &m_forwardExtra, &m_backwardExtra, &m_phantom, &m_phantomExtra})
            most = std::max(most, (*numbers)[stage].size());
        return most;
    }

    /// As the notation defines it: a forward adds its output, a saving forward what it keeps as well, a backward the
    /// gradient of its input; transients come on top.
    OptionCost option(std::size_t i, std::size_t k)
    {
        const Bytes output = size(m_boundary[i + 1].front());
        OptionCost cost;
        cost.saved = size(of(m_saved, i, k, "saved"));
        cost.keepsOutput = m_keepsOutput[i];
        const Bytes save = cost.saved + output + size(of(m_forwardExtra, i, k, "forward_transient"));
        const bool made = cost.keepsOutput || !m_hasPhantomExtra;
        const Bytes phantom = cost.saved + (made ? output : 0) + size(of(m_phantomExtra, i, k, "phantom_transient"));
        const Bytes backward = size(m_boundary[i].front()) + size(of(m_backwardExtra, i, k, "backward_transient"));
        cost.forwardSave = {save, save};
        cost.forwardSavePhantom = {phantom, phantom};
        cost.backwardFirst = cost.backwardLater = {backward, backward};
        cost.forwardSaveNs = time(of(m_forward, i, k, "forward"));
        cost.phantomNs = time(of(m_phantom, i, k, "forward_phantom"));
        cost.backwardNs = time(of(m_backward, i, k, "backward"));
        return cost;
    }

    void build()
    {
        ChainCosts &costs = m_chain.costs;
        costs.source = CostSource::chainFile;
        costs.input = size(m_boundary[0].front());
        for (std::size_t i = 0; i < m_stages; ++i) {
            StageCost stage;
            stage.output = size(m_boundary[i + 1].front());
            const Bytes forward = stage.output + size(m_runExtra[i].front());
            stage.forward = {forward, forward};
            stage.forwardNs = time(m_run[i].front());
            stage.gradientGrowth = size(m_gradient[i].front());
            for (std::size_t k = 0; k < optionsOf(i); ++k)
                stage.options[k == 0 ? std::string() : std::to_string(k)] = option(i, k);
            costs.stages.push_back(std::move(stage));
        }
        const Bytes loss = size(m_boundary[m_stages].front() + m_lossExtra);
        costs.loss.first = costs.loss.later = {loss, loss};
        costs.loss.ns = time(m_lossTime);
    }

    const Json &m_json;
    std::string_view m_what;
    std::string m_problem;
    std::size_t m_stages = 0;
    Table m_boundary, m_saved, m_forward, m_backward, m_forwardExtra, m_backwardExtra, m_run, m_runExtra, m_phantom,
        m_phantomExtra, m_gradient;
    bool m_hasPhantomExtra = false;
    double m_lossExtra = 0.0;
    double m_lossTime = 0.0;
    std::vector<bool> m_keepsOutput;
    ChainFile m_chain;
};

} // namespace

Result<ChainFile> chainFromJson(const Json &json, std::string_view what)
{
    ChainReader reader(json, what);
    if (!json.is_object())
        return reader.refused("it holds no JSON object");
    const auto format = json.find("format");
    const auto costs = json.find("costs");
    if (costs != json.end() || (format != json.end() && *format == "remat-costs")) {
        auto read = costsFromJson(costs != json.end() ? *costs : json, what);
        if (!read)
            return read.error();
        return ChainFile{std::move(*read), 1};
    }
    // A chain needs no head; one that is there must be right.
    if (format != json.end() && *format != "remat-chain")
        return reader.refused("its key 'format' is neither 'remat-chain' nor 'remat-costs'");
    if (const auto version = json.find("version"); version != json.end() && *version != 1)
        return reader.refused("its key 'version' is not 1, the only version this program reads");
    return reader.read();
}

} // namespace remat::core
