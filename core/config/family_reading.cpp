// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "config/family_reading.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "config/config_values.h"
#include "config/model_limits.h"

namespace remat::core {

FamilyReading::FamilyReading(const Json &object, std::string file, const FamilyTable &table, ReadingContext context)
    : model(table.form), m_object(object), m_file(std::move(file)), m_table(table), m_context(context)
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
        tidyLayerForms(model);
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

double FamilyReading::number(std::string_view key, double assumed, double smallest, double largest)
{
    const Json *json = value(key);
    if (json == nullptr)
        return assumed;
    const double found = json->is_number() ? json->get<double>() : std::nan("");
    if (found >= smallest && found <= largest)
        return found;
    refuse(key, "allowed are numbers from " + plainNumber(smallest) + " to " + plainNumber(largest));
    return assumed;
}

std::string FamilyReading::text(std::string_view key, std::string_view assumed)
{
    const Json *json = value(key);
    if (json == nullptr)
        return std::string(assumed);
    if (json->is_string())
        return json->get<std::string>();
    refuse(key, "allowed is a text, for example \"" + std::string(assumed) + "\"");
    return std::string(assumed);
}

bool FamilyReading::handles(std::string_view key) const
{
    return std::find(m_table.handles.begin(), m_table.handles.end(), key) != m_table.handles.end();
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

void FamilyReading::dropAssumed(std::string_view key)
{
    std::erase_if(model.defaulted, [&](const ConfigNote &note) { return note.key == key; });
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

/// The size of a vocabulary that was given with the command wins over the file's.
bool FamilyReading::takeAskedVocabulary(const KeyRule &rule)
{
    if (m_context.vocabulary == 0 || rule.members.front() != ConfigMember(&ModelConfig::vocabulary))
        return false;
    model.vocabulary = m_context.vocabulary;
    for (const std::string_view key : rule.spellings)
        if (value(key) != nullptr)
            warn(key, "overridden: " + std::to_string(model.vocabulary) + " is used, as asked for");
    derive(rule.own, std::to_string(model.vocabulary), "given with --vocab");
    return true;
}

void FamilyReading::applyRule(const KeyRule &rule)
{
    if (takeAskedVocabulary(rule))
        return;
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

void FamilyReading::refuseAbsent(const KeyRule &rule, const std::string &state)
{
    std::string others;
    for (const std::string_view key : rule.spellings)
        if (key != rule.own)
            others += (others.empty() ? " (or " : ", ") + std::string(key);
    const bool isVocabulary = rule.members.front() == ConfigMember(&ModelConfig::vocabulary);
    refuseSentence("the key " + std::string(rule.own) + (others.empty() ? "" : others + ")") + " is " + state + "; "
                   + std::string(m_table.name) + " needs it as a whole number"
                   + (isVocabulary ? ", in the file or with --vocab N" : ""));
}

void FamilyReading::applyAbsent(const KeyRule &rule, bool wasNull)
{
    const std::string state = wasNull ? "null" : "absent";
    const auto take = [&](const ConfigValue &value) {
        for (const ConfigMember &member : rule.members)
            store(model, member, value);
    };
    const std::string fromFamily = state + "; the default of " + std::string(m_table.name)
        + (m_table.source.empty() ? "" : " (" + std::string(m_table.source) + ")");
    if (const std::int64_t size = m_context.isPart ? sizeIn(m_table.classSizes, rule.members.front()) : 0; size > 0) {
        take(size);
        return assume(rule.own, std::to_string(size), fromFamily);
    }
    if (rule.whenAbsent == WhenAbsent::refuse)
        return refuseAbsent(rule, state);
    if (rule.whenAbsent == WhenAbsent::assume) {
        take(rule.assumed);
        return assume(rule.own, describe(rule.assumed), fromFamily);
    }
    const std::int64_t derived = rule.derive(model);
    if (derived == 0) {
        refuseSentence("the key " + std::string(rule.own) + " is " + state + " and cannot be derived as "
                       + std::string(rule.why) + " (width " + std::to_string(model.width) + ", heads "
                       + std::to_string(model.heads) + "); give it, or numbers that divide");
        return;
    }
    take(derived);
    derive(rule.own, std::to_string(derived), state + "; " + std::string(rule.why));
}

void FamilyReading::assign(const KeyRule &rule, const std::string &key, const Json &json)
{
    const ConfigMember &member = rule.members.front();
    if (std::holds_alternative<bool ModelConfig::*>(member) || std::holds_alternative<bool Experts::*>(member)) {
        if (!json.is_boolean())
            return refuse(key, "allowed are true and false");
        for (const ConfigMember &target : rule.members)
            store(model, target, json.get<bool>());
        return;
    }
    if (std::holds_alternative<Activation ModelConfig::*>(member)) {
        const std::optional<Activation> activation = activationFrom(json);
        return activation ? store(model, member, *activation) : refuse(key, kActivationList);
    }
    readNumber(rule, key, json);
}

void FamilyReading::readNumber(const KeyRule &rule, std::string_view key, const Json &json)
{
    const ConfigMember &member = rule.members.front();
    if (isWholeNumber(member)) {
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
                      "allowed are numbers from " + plainNumber(rule.smallest) + " to "
                          + (rule.belowLargest ? "below " : "") + plainNumber(rule.largest));
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
