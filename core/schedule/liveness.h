// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "schedule/schedule.h"

namespace remat::core {

/// What follows from a schedule about one of its ops. Boundary i is the tensor that enters stage i; boundary 0 is the
/// batch and always there.
struct OpFacts
{
    bool recomputation = false;      // forward of a stage that ran before
    bool phantomOutput = false;      // ForwardSave whose output nobody reads: its last product is not computed
    bool lastReadOfInput = false;    // the boundary that this op reads has no later reader: its holder drops it
    bool outputKept = false;         // output alive when the loss starts and read by a later forward: a checkpoint
    bool outputSurvivesNext = false; // output is read by another op than the next one, or pinned by a later graph
};

/// The result of the liveness pass; facts[i] belongs to ops[i]. Executor and simulator obey the same facts, which is
/// why a prediction can be exact. Liveness is per production: a boundary made twice has two lives.
struct Liveness
{
    std::vector<OpFacts> facts;
    int firstTrainable = 0;
};

/// Checks validity and computes liveness in one pass. Rules: every stage from `firstTrainable` up has exactly one
/// ForwardSave and later exactly one Backward, backwards in falling order after the loss; stages below only Forward;
/// inputs of an op exist; a boundary that a live graph pins is not made again; no output of a Forward stays unread.
/// The error says which op (index and text) breaks which rule.
[[nodiscard]] Result<Liveness> analyse(const Schedule &schedule, int firstTrainable = 0);

} // namespace remat::core
