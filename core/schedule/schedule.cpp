// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/schedule.h"

#include <algorithm>
#include <charconv>

namespace remat::core {

namespace {

constexpr int kPlanVersion = 1;
constexpr int kMostStages = 1'000'000;
constexpr std::size_t kMostOps = 10'000'000;
constexpr std::size_t kLongestOption = 64;

bool isOptionId(std::string_view text)
{
    const auto allowed
        = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '+' || c == '-'; };
    return !text.empty() && text.size() <= kLongestOption && std::all_of(text.begin(), text.end(), allowed);
}

Error badOp(std::string_view text)
{
    return {ErrorCode::refused,
            "'" + std::string(text.substr(0, 40))
                + "' is no operation of a schedule; use F3, E3, E3:option, L or B3 with a stage number."};
}

Error badPlan(std::string_view what, const std::string &why)
{
    return {ErrorCode::refused, std::string(what) + " is no plan file: " + why + "."};
}

} // namespace

std::string toString(const Op &op)
{
    switch (op.kind) {
    case OpKind::forward:
        return "F" + std::to_string(op.stage);
    case OpKind::forwardSave:
        return "E" + std::to_string(op.stage) + (op.option.empty() ? "" : ":" + op.option);
    case OpKind::loss:
        return "L";
    case OpKind::backward:
        return "B" + std::to_string(op.stage);
    }
    return "?";
}

Result<Op> parseOp(std::string_view text)
{
    if (text == "L")
        return Op{OpKind::loss, -1, {}};
    if (text.size() < 2)
        return badOp(text);
    Op op;
    switch (text.front()) {
    case 'F':
        op.kind = OpKind::forward;
        break;
    case 'E':
        op.kind = OpKind::forwardSave;
        break;
    case 'B':
        op.kind = OpKind::backward;
        break;
    default:
        return badOp(text);
    }
    const char *end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data() + 1, end, op.stage);
    if (code != std::errc() || op.stage < 0 || op.stage >= kMostStages)
        return badOp(text);
    if (rest == end)
        return op;
    const std::string_view option(rest + 1, static_cast<std::size_t>(end - rest - 1));
    if (*rest != ':' || op.kind != OpKind::forwardSave || !isOptionId(option))
        return badOp(text);
    // keep_all (0 in a chain file) is the absent option, so that equal schedules compare equal.
    if (option != "keep_all" && option != "0")
        op.option = option;
    return op;
}

Json toJson(const PlanFile &plan)
{
    Json ops = Json::array();
    for (const Op &op : plan.schedule.ops)
        ops.push_back(toString(op));
    return Json{{"format", "remat-schedule"},
                {"version", kPlanVersion},
                {"stages", plan.schedule.stages},
                {"ops", std::move(ops)},
                {"workload_hash", plan.workloadHash}};
}

Result<PlanFile> planFromJson(const Json &json, std::string_view what)
{
    if (!json.is_object())
        return badPlan(what, "it holds no JSON object");
    if (!json.contains("format") && json.contains("schedule"))
        return planFromJson(json["schedule"], what);
    if (!json.contains("format") || json["format"] != "remat-schedule")
        return badPlan(what, "its key 'format' is not 'remat-schedule'");
    if (!json.contains("version") || json["version"] != kPlanVersion)
        return badPlan(what, "its key 'version' is not 1, the only version this program reads");
    if (!json.contains("stages") || !json["stages"].is_number_integer())
        return badPlan(what, "its key 'stages' holds no whole number");
    const auto stages = json["stages"].get<std::int64_t>();
    if (stages < 1 || stages > kMostStages)
        return badPlan(what, "its key 'stages' is " + std::to_string(stages) + ", allowed are 1 to 1000000");
    if (!json.contains("ops") || !json["ops"].is_array() || json["ops"].size() > kMostOps)
        return badPlan(what, "its key 'ops' holds no list of at most 10000000 operations");
    PlanFile plan;
    plan.schedule.stages = static_cast<int>(stages);
    plan.schedule.ops.reserve(json["ops"].size());
    for (const Json &text : json["ops"]) {
        if (!text.is_string())
            return badPlan(what, "its key 'ops' holds something that is no text");
        auto op = parseOp(text.get_ref<const std::string &>());
        if (!op)
            return badPlan(what, op.error().message.substr(0, op.error().message.size() - 1));
        plan.schedule.ops.push_back(std::move(*op));
    }
    if (const auto hash = json.find("workload_hash"); hash != json.end() && hash->is_string())
        plan.workloadHash = hash->get<std::string>();
    return plan;
}

} // namespace remat::core
