// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace remat::core {

/// What kind of failure an Error is; `remat` turns it into its exit code (design of the command line).
enum class ErrorCode { failed, usage, refused, doesNotFit, cancelled };

/// An expected failure as a value. `message` is one whole sentence for a user: what, on what, what to try.
struct Error
{
    ErrorCode code = ErrorCode::failed;
    std::string message;
};

/// Either a value or an Error; the return type of whatever can fail for reasons outside the program.
/// Member names follow std::expected, which the compilers in use do not all have.
template <typename T>
class [[nodiscard]] Result
{
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) { }     // NOLINT(google-explicit-constructor)
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) { } // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool has_value() const { return m_state.index() == 0; }
    explicit operator bool() const { return has_value(); }

    T &value() &
    {
        assert(has_value());
        return *std::get_if<0>(&m_state);
    }
    const T &value() const &
    {
        assert(has_value());
        return *std::get_if<0>(&m_state);
    }
    T &&value() &&
    {
        assert(has_value());
        return std::move(*std::get_if<0>(&m_state));
    }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T &&operator*() && { return std::move(*this).value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }

    [[nodiscard]] const Error &error() const
    {
        assert(!has_value());
        return *std::get_if<1>(&m_state);
    }

private:
    std::variant<T, Error> m_state;
};

/// The result of an action that yields nothing.
template <>
class [[nodiscard]] Result<void>
{
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) { } // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool has_value() const { return !m_error; }
    explicit operator bool() const { return has_value(); }
    [[nodiscard]] const Error &error() const
    {
        assert(m_error);
        return *m_error;
    }

private:
    std::optional<Error> m_error;
};

} // namespace remat::core
