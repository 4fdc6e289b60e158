// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "base/json.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"

namespace remat::core {

namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string place(std::string_view text, std::size_t offset)
{
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
        if (text[i] == '\n') {
            ++line;
            column = 0;
        }
        ++column;
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Builds a document from parser events. The library's own builder looks each new key up in a list, which makes a
/// hostile object of a million keys take hours; here a set beside the object finds a key that comes twice.
// The check means moving the members of the library that are said to throw; nobody moves a builder.
// NOLINTNEXTLINE(bugprone-exception-escape)
class DocumentBuilder : public nlohmann::json_sax<Json>
{
public:
    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t &) override { return put(value); }
    bool string(string_t &value) override { return put(std::move(value)); }
    bool binary(binary_t &) override { return false; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_array() override { return close(); }

    bool key(string_t &value) override
    {
        if (!m_open.back().keys.insert(value).second) {
            problem = "has the key " + quoteText(value) + " twice in one object";
            return false;
        }
        m_open.back().key = std::move(value);
        return true;
    }

    bool parse_error(std::size_t position, const std::string &, const nlohmann::json::exception &error) override
    {
        failedAt = position;
        // The library's text starts with ids and a place of its own; what follows the last of them is the reason.
        const std::string_view what = error.what();
        const std::size_t reason = what.rfind(" - ");
        const std::size_t id = what.find("] ");
        problem = what.substr(reason != std::string_view::npos   ? reason + 3
                                  : id != std::string_view::npos ? id + 2
                                                                 : 0);
        return false;
    }

    Json document;
    std::string problem;
    std::size_t failedAt = 0;

private:
    struct Level
    {
        Json value;
        std::string key;
        std::unordered_set<std::string> keys;
    };

    bool put(Json value)
    {
        if (m_open.empty()) {
            document = std::move(value);
            return true;
        }
        Level &level = m_open.back();
        if (level.value.is_array())
            level.value.push_back(std::move(value));
        else
            level.value.get_ref<Json::object_t &>().emplace_back(std::move(level.key), std::move(value));
        return true;
    }

    bool open(Json value)
    {
        m_open.push_back({std::move(value), {}, {}});
        return true;
    }

    bool close()
    {
        Json value = std::move(m_open.back().value);
        m_open.pop_back();
        return put(std::move(value));
    }

    std::vector<Level> m_open;
};

/// Offset at which nesting gets deeper than allowed, npos if it never does. Looks at brackets outside strings only.
std::size_t tooDeepAt(std::string_view text)
{
    std::size_t depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '{' || c == '[') {
            if (++depth > kDeepest)
                return i;
        } else if ((c == '}' || c == ']') && depth > 0) {
            --depth;
        }
    }
    return std::string_view::npos;
}

} // namespace

Result<Json> parseJson(std::string_view text, std::string_view what)
{
    const auto refuse = [&](const std::string &why) {
        return Error{ErrorCode::refused, cleanUtf8(what) + " " + why + "."};
    };
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return refuse("is empty; a JSON document is expected");
    if (const std::size_t offset = tooDeepAt(text); offset != std::string_view::npos)
        return refuse("is nested deeper than " + std::to_string(kDeepest) + " levels at " + place(text, offset));

    DocumentBuilder builder;
    try {
        if (Json::sax_parse(text.begin(), text.end(), &builder))
            return std::move(builder.document);
    } catch (const std::exception &error) {
        builder.problem = error.what();
    }
    if (builder.failedAt == 0)
        return refuse(builder.problem);
    constexpr std::size_t kLongestReason = 160;
    const std::string reason = quoteText(builder.problem, kLongestReason);
    return refuse("is not valid JSON at " + place(text, builder.failedAt - 1) + ": "
                  + reason.substr(1, reason.size() - 2));
}

} // namespace remat::core
