// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "report/csv_writer.h"

#include "measure/json_fields.h"

namespace remat::core {

namespace {

using Columns = std::vector<std::pair<std::string, Json>>;

/// "step_ns" {median, …} as step_median_ns, step_q1_ns, step_q3_ns, step_n.
void addStep(const Json &step, Columns &columns)
{
    for (const char *key : {"median", "q1", "q3", "n"}) {
        const std::string name = std::string("step_") + key + (std::string_view(key) == "n" ? "" : "_ns");
        columns.emplace_back(name, step.is_null() ? Json(nullptr) : step.at(key));
    }
}

std::string csvField(const Json &value)
{
    if (value.is_null())
        return {};
    const std::string text = value.is_string() ? value.get<std::string>() : jsonText(value);
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

void addLine(std::string &csv, const std::vector<std::string> &fields)
{
    for (std::size_t i = 0; i < fields.size(); ++i)
        csv.append(i == 0 ? "" : ",").append(fields[i]);
    csv += "\r\n";
}

} // namespace

std::vector<std::pair<std::string, Json>> flatColumns(const Point &point)
{
    Columns columns;
    Columns environment;
    const Json json = toJson(point);
    for (const auto &[key, value] : json.items()) {
        if (key == "step_ns") {
            addStep(value, columns);
        } else if (key == "equality") {
            for (const auto &[inner, field] : value.items())
                columns.emplace_back("equality_" + inner, field);
        } else if (key == "environment") {
            for (const auto &[inner, field] : value.items())
                environment.emplace_back("environment_" + inner, field);
        } else {
            columns.emplace_back(key, value);
        }
    }
    columns.insert(columns.end(), environment.begin(), environment.end());
    return columns;
}

std::string pointsAsCsv(const std::vector<StoredRun> &runs)
{
    std::string csv;
    std::vector<std::string> names;
    for (const auto &[name, value] : flatColumns({}))
        names.push_back(name);
    names.insert(names.end(), {"started_at", "note", "starred", "hidden"});
    addLine(csv, names);
    for (const StoredRun &run : runs) {
        std::vector<std::string> fields;
        for (const auto &[name, value] : flatColumns(run.point))
            fields.push_back(csvField(value));
        fields.push_back(csvField(run.startedAt));
        fields.push_back(csvField(run.note));
        fields.emplace_back(run.starred ? "1" : "0");
        fields.emplace_back(run.hidden ? "1" : "0");
        addLine(csv, fields);
    }
    return csv;
}

} // namespace remat::core
