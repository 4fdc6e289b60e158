// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "base/json.h"

namespace remat::core {

/// One document as text; bytes that are no UTF-8 (file names may hold any) become replacement characters, since
/// dump() alone would throw. `indent` < 0: one line.
[[nodiscard]] inline std::string jsonText(const Json &json, int indent = -1)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// What was not measured is null: empty texts, negative bytes and counts.
[[nodiscard]] inline Json textOrNull(const std::string &text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}
[[nodiscard]] inline Json countOrNull(std::int64_t count)
{
    return count < 0 ? Json(nullptr) : Json(count);
}

/// Reads fields of an untrusted JSON object without exceptions. Absent and null fields leave the target as it is; a
/// field of another type is remembered as the first problem. Use: read everything, then ask error(). One thread.
class JsonFields
{
public:
    JsonFields(const Json &object, std::string what) : m_object(object), m_what(std::move(what))
    {
        if (!object.is_object())
            m_problem = m_what + " is not a JSON object.";
    }

    void read(const char *key, std::string &target)
    {
        if (const Json *v = find(key, &Json::is_string))
            target = v->get<std::string>();
    }
    void read(const char *key, bool &target)
    {
        if (const Json *v = find(key, &Json::is_boolean))
            target = v->get<bool>();
    }
    void read(const char *key, double &target)
    {
        if (const Json *v = find(key, &Json::is_number))
            target = v->get<double>();
    }
    void read(const char *key, std::int64_t &target)
    {
        if (const Json *v = find(key, &Json::is_number_integer))
            target = v->get<std::int64_t>();
    }
    void read(const char *key, int &target)
    {
        const Json *v = find(key, &Json::is_number_integer);
        if (v == nullptr)
            return;
        const auto number = v->get<std::int64_t>();
        if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
            complain(key);
        else
            target = static_cast<int>(number);
    }

    /// The value of an object or array field; null where it is absent or of another kind.
    const Json *object(const char *key) { return find(key, &Json::is_object); }
    const Json *array(const char *key) { return find(key, &Json::is_array); }

    void complain(const char *key)
    {
        if (m_problem.empty())
            m_problem = m_what + " has a wrong value at '" + key + "'.";
    }
    [[nodiscard]] bool ok() const { return m_problem.empty(); }
    [[nodiscard]] Error error() const { return {ErrorCode::refused, m_problem}; }

private:
    const Json *find(const char *key, bool (Json::*isKind)() const noexcept)
    {
        if (!m_object.is_object())
            return nullptr;
        const auto it = m_object.find(key);
        if (it == m_object.end() || it->is_null())
            return nullptr;
        if (((*it).*isKind)())
            return &*it;
        complain(key);
        return nullptr;
    }

    const Json &m_object;
    std::string m_what;
    std::string m_problem;
};

} // namespace remat::core
