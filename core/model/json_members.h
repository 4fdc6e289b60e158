// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/json.h"
#include "base/units.h"

namespace remat::core {

/// Private to the JSON forms of model and workload.

template <typename E>
using Names = std::span<const std::pair<E, std::string_view>>;

template <typename E>
std::string_view nameOf(Names<E> names, E value)
{
    for (const auto &[candidate, name] : names)
        if (candidate == value)
            return name;
    return "unknown";
}

/// Reads the members of one untrusted object; the first thing that is wrong is kept as the error. Absent keys leave the
/// target at its default, so that documents of older versions can be read.
class Fields
{
public:
    Fields(const Json &object, std::string_view what) : m_object(object), m_what(what)
    {
        if (!object.is_object())
            fail("is not a JSON object");
    }

    template <typename T>
    Fields &read(const char *key, T &target)
    {
        const Json *found = find(key);
        if (found == nullptr)
            return *this;
        if constexpr (std::is_same_v<T, bool>)
            return assign(key, found->is_boolean(), target, *found);
        else if constexpr (std::is_floating_point_v<T>)
            return assign(key, found->is_number(), target, *found);
        else if constexpr (std::is_same_v<T, std::string>)
            return assign(key, found->is_string(), target, *found);
        else
            return assign(key, fitsInteger<T>(*found), target, *found);
    }

    template <typename E>
    Fields &readName(const char *key, Names<E> names, E &target)
    {
        const Json *found = find(key);
        if (found == nullptr)
            return *this;
        for (const auto &[value, name] : names)
            if (found->is_string() && found->get_ref<const std::string &>() == name) {
                target = value;
                return *this;
            }
        return fail("has an unknown value for '" + std::string(key) + "'");
    }

    Fields &fail(const std::string &why)
    {
        if (!m_error)
            m_error = Error{ErrorCode::refused, std::string(m_what) + " " + why + "."};
        return *this;
    }

    const Json *find(const char *key) const
    {
        if (m_error)
            return nullptr;
        const auto found = m_object.find(key);
        return found == m_object.end() ? nullptr : &*found;
    }

    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }

private:
    template <typename T>
    static bool fitsInteger(const Json &value)
    {
        if (value.is_number_unsigned())
            return std::in_range<T>(value.get<std::uint64_t>());
        return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
    }

    template <typename T>
    Fields &assign(const char *key, bool fits, T &target, const Json &value)
    {
        if (!fits)
            return fail("has a value of the wrong kind for '" + std::string(key) + "'");
        target = value.get<T>();
        return *this;
    }

    const Json &m_object;
    std::string_view m_what;
    std::optional<Error> m_error;
};

} // namespace remat::core
