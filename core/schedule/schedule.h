// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace remat::core {

/// The open set of operations of a schedule; storage and drawing must not assume that there are only four.
enum class OpKind { forward, forwardSave, loss, backward };

/// One operation on one stage. `option` is the id of the way a ForwardSave runs ("lean_mlp"); empty means keep_all.
struct Op
{
    OpKind kind = OpKind::loss;
    int stage = -1; // -1 for the loss
    std::string option;

    friend bool operator==(const Op &, const Op &) = default;
};

/// One forward-backward over stages 0 … stages-1 and the loss, as a list of operations: the central type of the
/// program. Strategies, planners and files produce it; executor, simulator, recorder and animator consume it.
/// What is kept in memory is not written here, it follows from the list (liveness.h). A plain value.
struct Schedule
{
    int stages = 0;
    std::vector<Op> ops;

    friend bool operator==(const Schedule &, const Schedule &) = default;
};

/// "F3", "E3", "E3:lean_mlp", "L", "B3" and back. The error names the text.
[[nodiscard]] std::string toString(const Op &op);
[[nodiscard]] Result<Op> parseOp(std::string_view text);

/// A saved plan: a schedule and the hash of the workload it was made for (empty: unknown).
struct PlanFile
{
    Schedule schedule;
    std::string workloadHash;
};

/// {"format":"remat-schedule","version":1,"stages":…,"ops":[…],"workload_hash":"…"}.
[[nodiscard]] Json toJson(const PlanFile &plan);

/// Reads a plan file, or any document that holds one under "schedule" (the output of `remat plan`).
[[nodiscard]] Result<PlanFile> planFromJson(const Json &json, std::string_view what);

} // namespace remat::core
