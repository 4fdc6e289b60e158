// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "measure/run_observer.h"
#include "measure/sweep_loop.h"
#include "measure/training_backend.h"
#include "measure/verification.h"

namespace remat::core {

/// What a parent may ask of `remat runner`: one JSON object a line, {"v":1,"id":n,"cmd":"devices|probe|sweep|cancel|quit",…}.
struct RunnerRequest
{
    enum class Command { devices, probe, sweep, verify, cancel, quit };
    std::int64_t id = 0;
    Command command = Command::devices;
    std::string session; // path; empty: nothing is stored
    SweepPlan plan;      // probe, sweep and verify
    int steps = 1;       // verify: training steps whose losses are compared
};

/// What the runner answers: {"v":1,"id":n,"event":"accepted|progress|point|done|error|heartbeat",…}. `id` is the request's;
/// the body lies under the event's name. A request ends with `done` or with `error`, never with both; an error with id 0
/// answers a line that could not be read and ends nothing.
struct RunnerEvent
{
    enum class Kind { accepted, progress, costs, point, devices, verified, done, error, heartbeat };
    std::int64_t id = 0;
    Kind kind = Kind::heartbeat;
    core::Progress progress;
    Point point; // kind point: also sent when a run starts, with status running
    ChainCosts costs;
    std::vector<DeviceInfo> devices;
    Verification verification; // kind verified
    Error error;               // kind error
    std::string status;        // kind done: "done" or "cancelled"
};

/// {id, name, total_bytes, free_bytes, usable, why, driver, used_bytes, process_used_bytes, note}, as `remat devices --json` prints it.
[[nodiscard]] Json toJson(const DeviceInfo &device);

/// One line without the newline.
[[nodiscard]] std::string encode(const RunnerRequest &request);
[[nodiscard]] std::string encode(const RunnerEvent &event);

/// A line that is no message of version 1 is an Error that quotes its start; nothing crashes on any bytes.
[[nodiscard]] Result<RunnerRequest> decodeRequest(std::string_view line);
[[nodiscard]] Result<RunnerEvent> decodeEvent(std::string_view line);

} // namespace remat::core
