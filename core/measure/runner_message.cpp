// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/runner_message.h"

#include <array>
#include <optional>

#include "base/text.h"
#include "measure/json_fields.h"

namespace remat::core {

namespace {

constexpr int kVersion = 1;
constexpr std::array<std::string_view, 6> kCommands{"devices", "probe", "sweep", "verify", "cancel", "quit"};
constexpr std::array<std::string_view, 9> kKinds{"accepted", "progress", "costs", "point",    "devices",
                                                 "verified", "done",     "error", "heartbeat"};
constexpr std::array<std::string_view, 5> kCodes{"failed", "usage", "refused", "does_not_fit", "cancelled"};

template <std::size_t N>
std::optional<int> indexOf(const std::array<std::string_view, N> &names, std::string_view text)
{
    for (std::size_t i = 0; i < N; ++i) {
        if (names[i] == text)
            return static_cast<int>(i);
    }
    return std::nullopt;
}

Error notAMessage(std::string_view line, std::string_view kind)
{
    return {ErrorCode::refused,
            "The line " + quoteText(line) + " is no " + std::string(kind) + " of version 1 of the runner protocol."};
}

Json planJson(const SweepPlan &plan)
{
    Json strategies = Json::array();
    for (const Strategy &strategy : plan.strategies)
        strategies.push_back(strategy.text);
    return {{"model", toJson(plan.model)},
            {"workload", toJson(plan.workload)},
            {"strategies", std::move(strategies)},
            {"repeats", plan.repeats}};
}

Result<SweepPlan> planFromMessage(const Json &json)
{
    SweepPlan plan;
    JsonFields fields(json, "The field 'plan' of a request");
    fields.read("repeats", plan.repeats);
    const Json *model = fields.object("model");
    const Json *workload = fields.object("workload");
    const Json *strategies = fields.array("strategies");
    if (!fields.ok())
        return fields.error();
    if (model == nullptr || workload == nullptr || strategies == nullptr)
        return Error{ErrorCode::refused, "The field 'plan' of a request lacks 'model', 'workload' or 'strategies'."};
    auto readModel = modelFromJson(*model);
    if (!readModel)
        return readModel.error();
    auto readWorkload = workloadFromJson(*workload);
    if (!readWorkload)
        return readWorkload.error();
    plan.model = std::move(*readModel);
    plan.workload = std::move(*readWorkload);
    for (const Json &text : *strategies) {
        if (!text.is_string())
            return Error{ErrorCode::refused, "The field 'strategies' of a request holds something that is no text."};
        auto strategy = parseStrategy(text.get<std::string>());
        if (!strategy)
            return strategy.error();
        plan.strategies.push_back(std::move(*strategy));
    }
    return plan;
}

Json progressJson(const Progress &progress)
{
    return {{"phase", progress.phase},
            {"strategy", progress.strategy},
            {"run", progress.run},
            {"runs", progress.runs},
            {"step", progress.step},
            {"steps", progress.steps},
            {"remaining_ns", progress.remaining < 0 ? Json(nullptr) : Json(progress.remaining)}};
}

Result<void> readProgress(const Json &json, Progress &progress)
{
    JsonFields fields(json, "The progress");
    fields.read("phase", progress.phase);
    fields.read("strategy", progress.strategy);
    fields.read("run", progress.run);
    fields.read("runs", progress.runs);
    fields.read("step", progress.step);
    fields.read("steps", progress.steps);
    fields.read("remaining_ns", progress.remaining);
    return fields.ok() ? Result<void>() : fields.error();
}

Result<void> readError(const Json &json, Error &error)
{
    JsonFields fields(json, "The error");
    std::string code;
    fields.read("code", code);
    fields.read("message", error.message);
    if (const auto index = indexOf(kCodes, code))
        error.code = static_cast<ErrorCode>(*index);
    return fields.ok() ? Result<void>() : fields.error();
}

Result<void> readDevices(const Json &json, std::vector<DeviceInfo> &devices)
{
    for (const Json &entry : json) {
        DeviceInfo device;
        JsonFields fields(entry, "The device");
        fields.read("id", device.id);
        fields.read("name", device.name);
        fields.read("total_bytes", device.totalBytes);
        fields.read("free_bytes", device.freeBytes);
        fields.read("usable", device.usable);
        fields.read("why", device.why);
        fields.read("driver", device.driver);
        fields.read("used_bytes", device.usedBytes);
        fields.read("process_used_bytes", device.processUsedBytes);
        fields.read("note", device.note);
        if (!fields.ok())
            return fields.error();
        devices.push_back(std::move(device));
    }
    return {};
}

template <typename T>
Result<void> take(Result<T> read, T &target)
{
    if (!read)
        return read.error();
    target = std::move(*read);
    return {};
}

/// The part of an event that depends on its kind; `body` is the field named after the kind.
Result<void> readBody(const Json &body, RunnerEvent &event)
{
    switch (event.kind) {
    case RunnerEvent::Kind::progress:
        return readProgress(body, event.progress);
    case RunnerEvent::Kind::costs:
        return take(costsFromJson(body, "The costs of the runner"), event.costs);
    case RunnerEvent::Kind::point:
        return take(pointFromJson(body), event.point);
    case RunnerEvent::Kind::devices:
        return readDevices(body, event.devices);
    case RunnerEvent::Kind::verified:
        return take(verificationFromJson(body), event.verification);
    case RunnerEvent::Kind::error:
        return readError(body, event.error);
    default:
        return {};
    }
}

std::optional<Json> bodyOf(const RunnerEvent &event)
{
    switch (event.kind) {
    case RunnerEvent::Kind::progress:
        return progressJson(event.progress);
    case RunnerEvent::Kind::costs:
        return toJson(event.costs);
    case RunnerEvent::Kind::point:
        return toJson(event.point);
    case RunnerEvent::Kind::devices: {
        Json devices = Json::array();
        for (const DeviceInfo &device : event.devices)
            devices.push_back(toJson(device));
        return devices;
    }
    case RunnerEvent::Kind::verified:
        return toJson(event.verification);
    case RunnerEvent::Kind::error:
        return Json{{"code", kCodes.at(static_cast<std::size_t>(event.error.code))}, {"message", event.error.message}};
    default:
        return std::nullopt;
    }
}

/// The object of a line, checked for form and version.
Result<Json> messageObject(std::string_view line, std::string_view kind)
{
    auto json = parseJson(line, "The line from the other process");
    if (!json || !json->is_object())
        return notAMessage(line, kind);
    const auto version = json->find("v");
    if (version == json->end() || !version->is_number_integer() || version->get<std::int64_t>() != kVersion)
        return notAMessage(line, kind);
    return json;
}

} // namespace

Json toJson(const DeviceInfo &device)
{
    return {{"id", device.id},
            {"name", device.name},
            {"total_bytes", device.totalBytes},
            {"free_bytes", device.freeBytes},
            {"usable", device.usable},
            {"why", textOrNull(device.why)},
            {"driver", textOrNull(device.driver)},
            {"used_bytes", countOrNull(device.usedBytes)},
            {"process_used_bytes", countOrNull(device.processUsedBytes)},
            {"note", textOrNull(device.note)}};
}

std::string encode(const RunnerRequest &request)
{
    using Command = RunnerRequest::Command;
    Json json{{"v", kVersion}, {"id", request.id}, {"cmd", kCommands.at(static_cast<std::size_t>(request.command))}};
    if (!request.session.empty())
        json["session"] = request.session;
    if (request.command == Command::probe || request.command == Command::sweep || request.command == Command::verify)
        json["plan"] = planJson(request.plan);
    if (request.command == Command::verify)
        json["steps"] = request.steps;
    return jsonText(json);
}

std::string encode(const RunnerEvent &event)
{
    const std::string kind(kKinds.at(static_cast<std::size_t>(event.kind)));
    Json json{{"v", kVersion}, {"id", event.id}, {"event", kind}};
    if (auto body = bodyOf(event))
        json[kind] = std::move(*body);
    if (event.kind == RunnerEvent::Kind::done)
        json["status"] = event.status;
    return jsonText(json);
}

Result<RunnerRequest> decodeRequest(std::string_view line)
{
    auto json = messageObject(line, "request");
    if (!json)
        return json.error();
    RunnerRequest request;
    std::string command;
    JsonFields fields(*json, "The request");
    fields.read("id", request.id);
    fields.read("cmd", command);
    fields.read("session", request.session);
    fields.read("steps", request.steps);
    const Json *plan = fields.object("plan");
    const auto index = indexOf(kCommands, command);
    if (!fields.ok())
        return fields.error();
    if (!index)
        return notAMessage(line, "request");
    request.command = static_cast<RunnerRequest::Command>(*index);
    if (plan != nullptr) {
        auto read = planFromMessage(*plan);
        if (!read)
            return read.error();
        request.plan = std::move(*read);
    }
    const bool runs
        = request.command == RunnerRequest::Command::sweep || request.command == RunnerRequest::Command::verify;
    if (runs && request.plan.strategies.empty())
        return Error{ErrorCode::refused, "The request " + quoteText(command) + " names no strategy."};
    if (request.command == RunnerRequest::Command::probe && plan == nullptr)
        return Error{ErrorCode::refused, "The request 'probe' has no plan."};
    return request;
}

Result<RunnerEvent> decodeEvent(std::string_view line)
{
    auto json = messageObject(line, "answer");
    if (!json)
        return json.error();
    RunnerEvent event;
    std::string kind;
    JsonFields fields(*json, "The answer");
    fields.read("id", event.id);
    fields.read("event", kind);
    fields.read("status", event.status);
    const auto index = indexOf(kKinds, kind);
    if (!fields.ok())
        return fields.error();
    if (!index)
        return notAMessage(line, "answer");
    event.kind = static_cast<RunnerEvent::Kind>(*index);
    const auto body = json->find(kind);
    if (body == json->end()) {
        const bool bare = event.kind == RunnerEvent::Kind::accepted || event.kind == RunnerEvent::Kind::done
            || event.kind == RunnerEvent::Kind::heartbeat;
        return bare ? Result<RunnerEvent>(event) : Result<RunnerEvent>(notAMessage(line, "answer"));
    }
    if (auto read = readBody(*body, event); !read)
        return read.error();
    return event;
}

} // namespace remat::core
