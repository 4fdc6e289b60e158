// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_reading.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "config/model_limits.h"

namespace remat::core {

namespace {

struct ActivationName
{
    std::string_view name;
    Activation value;
};

constexpr std::array<ActivationName, 8> kActivations = {{{"gelu", Activation::gelu},
                                                         {"gelu_new", Activation::geluTanh},
                                                         {"gelu_pytorch_tanh", Activation::geluTanh},
                                                         {"gelu_fast", Activation::geluTanh},
                                                         {"gelu_tanh", Activation::geluTanh},
                                                         {"silu", Activation::silu},
                                                         {"swish", Activation::silu},
                                                         {"relu", Activation::relu}}};
constexpr std::string_view kActivationList = "allowed are gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, gelu_tanh, "
                                             "silu, swish and relu";

std::string_view activationName(Activation activation)
{
    for (const ActivationName &entry : kActivations)
        if (entry.value == activation)
            return entry.name;
    return {};
}

/// Whole numbers, also when written as floats: 768.0.
std::optional<std::int64_t> wholeNumber(const Json &json)
{
    if (json.is_number_unsigned()) {
        const auto value = json.get<std::uint64_t>();
        return std::in_range<std::int64_t>(value) ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
    }
    if (json.is_number_integer())
        return json.get<std::int64_t>();
    if (!json.is_number_float())
        return std::nullopt;
    constexpr double kExact = 9007199254740992.0; // 2^53: above it not every whole number is a double
    const auto value = json.get<double>();
    if (std::fabs(value) > kExact || value != std::floor(value))
        return std::nullopt;
    return static_cast<std::int64_t>(value);
}

std::string plain(double value)
{
    return Json(value).dump();
}

std::string describe(const ConfigValue &value)
{
    if (const auto *activation = std::get_if<Activation>(&value))
        return std::string(activationName(*activation));
    if (const auto *flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto *number = std::get_if<double>(&value))
        return plain(*number);
    return std::to_string(std::get<std::int64_t>(value));
}

void store(ModelConfig &model, const ConfigMember &member, const ConfigValue &value)
{
    if (const auto *layers = std::get_if<int ModelConfig::*>(&member))
        model.*(*layers) = static_cast<int>(std::get<std::int64_t>(value));
    else if (const auto *size = std::get_if<std::int64_t ModelConfig::*>(&member))
        model.*(*size) = std::get<std::int64_t>(value);
    else if (const auto *number = std::get_if<double ModelConfig::*>(&member))
        model.*(*number) = std::get<double>(value);
    else if (const auto *flag = std::get_if<bool ModelConfig::*>(&member))
        model.*(*flag) = std::get<bool>(value);
    else
        model.*std::get<Activation ModelConfig::*>(member) = std::get<Activation>(value);
}

/// Smallest and largest value of a whole-number row.
std::pair<std::int64_t, std::int64_t> sizeRange(const ConfigMember &member)
{
    if (const auto *size = std::get_if<std::int64_t ModelConfig::*>(&member))
        for (const SizeLimit &limit : kSizeLimits)
            if (limit.member == *size)
                return {limit.smallest, limit.largest};
    return {1, kMostLayers};
}

std::string wholeRange(std::int64_t smallest, std::int64_t largest)
{
    return "allowed are whole numbers from " + std::to_string(smallest) + " to " + std::to_string(largest);
}

} // namespace

std::string shortText(const Json &value)
{
    constexpr std::size_t kLongest = 60;
    const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > kLongest && value.is_structured())
        return (value.is_object() ? "an object of " : "a list of ") + std::to_string(value.size()) + " entries";
    const std::string quotedText = quoteText(text, kLongest);
    return quotedText.substr(1, quotedText.size() - 2);
}

FamilyReading::FamilyReading(const Json &object, std::string file, const FamilyTable &table)
    : model(table.form), m_object(object), m_file(std::move(file)), m_table(table)
{
    model.family = table.name;
    model.defaulted = table.implied;
}

Result<ModelConfig> FamilyReading::read()
{
    m_used.insert("model_type");
    m_used.insert("architectures");
    refuseForeignStructure(*this);
    for (const KeyRule &rule : m_table.rules)
        if (!m_error)
            applyRule(rule);
    if (!m_error && m_table.finish != nullptr)
        m_table.finish(*this);
    if (!m_error)
        readRemarks(*this);
    if (!m_error)
        checkShape();
    if (!m_error)
        reportRest();
    if (m_error)
        return *m_error;
    return std::move(model);
}

const Json *FamilyReading::value(std::string_view key)
{
    m_used.emplace(key);
    const auto found = m_object.find(std::string(key));
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

bool FamilyReading::isNull(std::string_view key) const
{
    const auto found = m_object.find(std::string(key));
    return found != m_object.end() && found->is_null();
}

bool FamilyReading::flag(std::string_view key, bool assumed)
{
    const Json *json = value(key);
    if (json == nullptr)
        return assumed;
    if (json->is_boolean())
        return json->get<bool>();
    refuse(key, "allowed are true and false");
    return assumed;
}

std::optional<std::int64_t> FamilyReading::count(std::string_view key, std::int64_t smallest, std::int64_t largest)
{
    const Json *json = value(key);
    if (json == nullptr)
        return std::nullopt;
    const std::optional<std::int64_t> number = wholeNumber(*json);
    if (number && *number >= smallest && *number <= largest)
        return number;
    refuse(key, wholeRange(smallest, largest));
    return std::nullopt;
}

void FamilyReading::derive(std::string_view key, std::string value, std::string why)
{
    model.derived.push_back({std::string(key), std::move(value), std::move(why)});
}

void FamilyReading::assume(std::string_view key, std::string value, std::string why)
{
    model.defaulted.push_back({std::string(key), std::move(value), std::move(why)});
}

void FamilyReading::ignore(std::string_view key, std::string why)
{
    m_used.emplace(key);
    model.ignored.push_back({cleanUtf8(key), shown(key), std::move(why)});
}

void FamilyReading::warn(std::string_view key, std::string why)
{
    m_used.emplace(key);
    model.warnings.push_back({cleanUtf8(key), shown(key), std::move(why)});
}

void FamilyReading::refuse(std::string_view key, std::string_view allowed)
{
    refuseSentence(std::string(key) + " is " + shown(key) + "; " + std::string(allowed));
}

void FamilyReading::refuseSentence(const std::string &rest)
{
    if (!m_error)
        m_error = Error{ErrorCode::refused, m_file + ": " + rest + "."};
}

void FamilyReading::applyRule(const KeyRule &rule)
{
    std::string winner;
    bool wasNull = false;
    for (const std::string_view key : rule.spellings) {
        const Json *json = value(key);
        wasNull = wasNull || (json == nullptr && isNull(key));
        if (json == nullptr)
            continue;
        if (winner.empty()) {
            winner = key;
            assign(rule, winner, *json);
        } else if (m_object[winner] != *json) {
            warn(key, "differs from " + winner + ", which comes first in the order of spellings and was used");
        }
    }
    if (winner.empty()) {
        applyAbsent(rule, wasNull);
        return;
    }
    m_winners[rule.own] = winner;
    if (winner != rule.own)
        derive(winner, shown(winner), "read in the place of " + std::string(rule.own) + ", this family's own spelling");
}

void FamilyReading::applyAbsent(const KeyRule &rule, bool wasNull)
{
    const std::string state = wasNull ? "null" : "absent";
    if (rule.whenAbsent == WhenAbsent::refuse) {
        std::string others;
        for (const std::string_view key : rule.spellings)
            if (key != rule.own)
                others += (others.empty() ? " (or " : ", ") + std::string(key);
        refuseSentence("the key " + std::string(rule.own) + (others.empty() ? "" : others + ")") + " is " + state + "; "
                       + std::string(m_table.name) + " needs it as a whole number");
        return;
    }
    if (rule.whenAbsent == WhenAbsent::assume) {
        for (const ConfigMember &member : rule.members)
            store(model, member, rule.assumed);
        assume(rule.own, describe(rule.assumed), state + "; the default of " + std::string(m_table.name));
        return;
    }
    const std::int64_t derived = rule.derive(model);
    if (derived == 0) {
        refuseSentence("the key " + std::string(rule.own) + " is " + state + " and cannot be derived as "
                       + std::string(rule.why) + " (width " + std::to_string(model.width) + ", heads "
                       + std::to_string(model.heads) + "); give it, or numbers that divide");
        return;
    }
    for (const ConfigMember &member : rule.members)
        store(model, member, derived);
    derive(rule.own, std::to_string(derived), state + "; " + std::string(rule.why));
}

void FamilyReading::assign(const KeyRule &rule, const std::string &key, const Json &json)
{
    const ConfigMember &member = rule.members.front();
    if (std::holds_alternative<bool ModelConfig::*>(member)) {
        if (!json.is_boolean())
            return refuse(key, "allowed are true and false");
        for (const ConfigMember &target : rule.members)
            store(model, target, json.get<bool>());
        return;
    }
    if (std::holds_alternative<Activation ModelConfig::*>(member)) {
        for (const ActivationName &entry : kActivations)
            if (json.is_string() && json.get_ref<const std::string &>() == entry.name)
                return store(model, member, entry.value);
        return refuse(key, kActivationList);
    }
    readNumber(rule, key, json);
}

void FamilyReading::readNumber(const KeyRule &rule, std::string_view key, const Json &json)
{
    const ConfigMember &member = rule.members.front();
    if (!std::holds_alternative<double ModelConfig::*>(member)) {
        const auto [smallest, largest] = sizeRange(member);
        if (const auto number = count(key, smallest, largest))
            for (const ConfigMember &target : rule.members)
                store(model, target, *number);
        return;
    }
    const double number = json.is_number() ? json.get<double>() : std::nan("");
    const bool below = rule.belowLargest ? number < rule.largest : number <= rule.largest;
    if (!(number >= rule.smallest && below))
        return refuse(key,
                      "allowed are numbers from " + plain(rule.smallest) + " to " + (rule.belowLargest ? "below " : "")
                          + plain(rule.largest));
    for (const ConfigMember &target : rule.members)
        store(model, target, number);
}

void FamilyReading::checkShape()
{
    const auto named = [this](std::string_view own, std::int64_t number) {
        const auto winner = m_winners.find(own);
        return (winner == m_winners.end() ? std::string(own) : winner->second) + " = " + std::to_string(number);
    };
    std::string_view heads = "heads";
    std::string_view kvHeads = "key/value heads";
    for (const KeyRule &rule : m_table.rules) {
        if (rule.members.front() == ConfigMember(&ModelConfig::heads))
            heads = rule.own;
        if (rule.members.front() == ConfigMember(&ModelConfig::kvHeads))
            kvHeads = rule.own;
    }
    if (model.heads % model.kvHeads != 0)
        return refuseSentence(named(kvHeads, model.kvHeads) + " does not divide " + named(heads, model.heads)
                              + "; each key/value head serves the same number of query heads");
    if (const std::string problem = shapeProblem(model); !problem.empty())
        refuseSentence("the model " + problem);
}

void FamilyReading::reportRest()
{
    for (const auto &[key, json] : m_object.items()) {
        if (m_used.contains(key))
            continue;
        const std::string_view why = keys::whyIgnored(key);
        ignore(key,
               why.empty() ? "unknown to the family " + std::string(m_table.name) + "; nothing was taken from it"
                           : std::string(why));
    }
}

std::string FamilyReading::shown(std::string_view key) const
{
    const auto found = m_object.find(std::string(key));
    return found == m_object.end() ? "absent" : shortText(*found);
}

} // namespace remat::core
