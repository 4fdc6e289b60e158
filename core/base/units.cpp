// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "base/units.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

#include "base/text.h"

namespace remat::core {

namespace {

struct Unit
{
    std::string_view name;
    std::int64_t size;
};

constexpr std::array<Unit, 4> kDurations = {{{"ns", 1}, {"µs", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
constexpr std::array<Unit, 5> kSizes
    = {{{"B", 1}, {"KiB", 1LL << 10}, {"MiB", 1LL << 20}, {"GiB", 1LL << 30}, {"TiB", 1LL << 40}}};
constexpr std::array<Unit, 9> kByteUnits = {{{"B", 1},
                                             {"KiB", 1LL << 10},
                                             {"MiB", 1LL << 20},
                                             {"GiB", 1LL << 30},
                                             {"TiB", 1LL << 40},
                                             {"kB", 1'000},
                                             {"MB", 1'000'000},
                                             {"GB", 1'000'000'000},
                                             {"TB", 1'000'000'000'000}}};

/// Digits after the point that leave three significant ones, judged after rounding: 9.996 is "10.0".
int decimalsFor(double value)
{
    if (value < 9.995)
        return 2;
    return value < 99.95 ? 1 : 0;
}

std::string formatIn(std::int64_t value, std::span<const Unit> units)
{
    const double magnitude = std::fabs(static_cast<double>(value));
    std::size_t chosen = 0;
    for (std::size_t i = 1; i < units.size(); ++i) {
        // A value that would print as a whole next unit is shown in that unit: 1023.6 KiB is "1.00 MiB".
        const auto size = static_cast<double>(units[i].size);
        const auto smaller = static_cast<double>(units[i - 1].size);
        if (magnitude >= size || std::round(magnitude / smaller) * smaller >= size)
            chosen = i;
    }
    const double scaled = magnitude / static_cast<double>(units[chosen].size);
    std::array<char, 40> text{};
    const int written = std::snprintf(text.data(), text.size(), "%s%.*f ", value < 0 ? "-" : "",
                                      chosen == 0 ? 0 : decimalsFor(scaled), scaled);
    return std::string(text.data(), static_cast<std::size_t>(written)).append(units[chosen].name);
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::size_t countDigits(std::string_view text)
{
    std::size_t count = 0;
    while (count < text.size() && isDigit(text[count]))
        ++count;
    return count;
}

/// Decimal digits to a number; false when it does not fit.
bool readDigits(std::string_view digits, std::int64_t &value)
{
    value = 0;
    for (const char c : digits)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
            return false;
    return true;
}

Error byteError(std::string_view text, std::string_view why)
{
    return {ErrorCode::usage,
            "The size " + quoteText(text) + " " + std::string(why)
                + "; write digits, or digits with one of KiB, MiB, GiB, TiB, kB, MB, GB, TB, "
                  "for example 512MiB or 1.5GiB."};
}

} // namespace

std::string formatBytes(Bytes bytes)
{
    return formatIn(bytes, kSizes);
}

std::string formatDuration(Nanoseconds ns)
{
    return formatIn(ns, kDurations);
}

Result<Bytes> parseBytes(std::string_view text)
{
    // Six decimals of the largest unit still fit 64 bits, so that the sum below is exact.
    constexpr std::size_t kMostDecimals = 6;
    const std::size_t whole = countDigits(text);
    if (whole == 0)
        return byteError(text, "does not start with a digit");
    std::string_view rest = text.substr(whole);
    std::string_view decimals;
    if (!rest.empty() && rest.front() == '.') {
        decimals = rest.substr(1, countDigits(rest.substr(1)));
        rest.remove_prefix(1 + decimals.size());
        if (decimals.empty() || decimals.size() > kMostDecimals)
            return byteError(text, "must have one to six digits after the point");
    }
    if (!rest.empty() && rest.front() == ' ')
        rest.remove_prefix(1);
    if (rest.empty() && !decimals.empty())
        return byteError(text, "has a fraction of a byte");
    std::int64_t unit = rest.empty() ? 1 : 0;
    for (const Unit &candidate : kByteUnits)
        if (candidate.name == rest)
            unit = candidate.size;
    if (unit == 0)
        return byteError(text, "ends in an unknown unit");
    if (unit == 1 && !decimals.empty())
        return byteError(text, "has a fraction of a byte");

    std::int64_t value = 0;
    std::int64_t fraction = 0;
    std::int64_t scale = 1;
    for (std::size_t i = 0; i < decimals.size(); ++i)
        scale *= 10;
    if (!readDigits(text.substr(0, whole), value) || !readDigits(decimals, fraction)
        || __builtin_mul_overflow(value, unit, &value)
        || __builtin_add_overflow(value, fraction * unit / scale, &value))
        return byteError(text, "is larger than any memory");
    return value;
}

} // namespace remat::core
