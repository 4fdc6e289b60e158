// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "executor/random_state.h"
#include "executor/stage_graph.h"
#include "schedule/liveness.h"

namespace remat::gpu {

/// The stages of a model on a device: what the executor runs. Implemented by TransformerModel and wrapped by tests.
class StageProvider
{
public:
    virtual ~StageProvider() = default;

    /// One stage on its input. With grad mode on the graph is recorded in the way that `option` names; `noOutput` allows
    /// to leave the last product out, the result then only carries the graph. The input must not be written to.
    [[nodiscard]] virtual at::Tensor runStage(int stage, const at::Tensor &input, const std::string &option,
                                              bool noOutput)
        = 0;

    /// Head and loss on the last boundary, with its graph.
    [[nodiscard]] virtual at::Tensor runLoss(const at::Tensor &input) = 0;

    /// Keeps the value of a micro-batch's loss; called before its backward.
    virtual void keepLoss(const at::Tensor &loss) = 0;

    [[nodiscard]] virtual bool drawsRandomNumbers(int stage) const = 0;

    /// The stage's backward is done: what was remembered since its first forward (a router's choice) is no longer needed.
    virtual void forget(int stage) { static_cast<void>(stage); }
};

/// Hears of every op as it is run: recorders and timers hang on it. Called on the executor's thread.
class OpListener
{
public:
    virtual ~OpListener() = default;
    virtual void opBegins(std::size_t op) = 0;
    /// `product` is the op's output (forward) or the gradient it hands on (loss, backward); undefined where there is none.
    virtual void opEnds(std::size_t op, const at::Tensor &product) = 0;
    /// Around every saving and putting back of a random state.
    virtual void randomStateBegins() { }
    virtual void randomStateEnds() { }
};

/// What a run of the executor needs beside the schedule.
struct ExecutionContext
{
    StageProvider &stages;
    OpListener &listener;
    at::Tensor input; // boundary 0: token ids or images
    at::Tensor tick;  // permanent scalar, see backward()
    at::Tensor one;   // permanent scalar, 1 or the loss scale: the gradient of the loss
    c10::Device device;
    bool restoreRandomState = true; // false only in the test that shows that the proof notices
};

/// Runs one forward-backward. Obeys `liveness` and decides nothing. Exceptions of LibTorch pass through; everything
/// that was held is dropped.
void execute(const core::Schedule &schedule, const core::Liveness &liveness, const ExecutionContext &context);

} // namespace remat::gpu
