// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "executor/stage_graph.h"

#include <ATen/core/grad_mode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include <utility>

namespace remat::gpu {

namespace ta = torch::autograd;

/// Enters a stage's graph as the sole owner of the output gradient.
struct GradientRoot final : ta::Node
{
    at::Tensor dy;
    ta::variable_list apply(ta::variable_list &&) override { return {std::move(dy)}; }
};

struct GradientSink final : ta::Node
{
    at::Tensor dx;
    ta::variable_list apply(ta::variable_list &&gradients) override
    {
        dx = std::move(gradients[0]);
        return {};
    }
};

/// Leads nowhere. Its lowest possible number puts it behind every other node in the engine's queue.
struct LastInQueue final : ta::Node
{
    LastInQueue() : Node(/*sequence_nr=*/0) { }
    ta::variable_list apply(ta::variable_list &&) override { return {}; }
};

at::Tensor forwardSave(const StageForward &stage, const at::Tensor &boundary, bool takesGradient, SavedStage &out)
{
    const at::AutoGradMode graph(true);
    at::Tensor x = boundary;
    if (takesGradient) {
        x = boundary.detach();
        out.sink = std::make_shared<GradientSink>();
        // This registers the input's metadata as well; doing it again would shift the slots without an error.
        ta::create_gradient_edge(x, out.sink);
    }
    at::Tensor y = stage(x);
    out.edge = ta::impl::gradient_edge(y);
    return y.detach();
}

at::Tensor backward(SavedStage saved, at::Tensor &&dy, const at::Tensor &tick)
{
    TORCH_CHECK(dy.defined(), "a stage's output gradient is missing");
    auto root = std::make_shared<GradientRoot>();
    root->dy = std::move(dy);
    root->add_next_edge(std::move(saved.edge));
    root->add_input_metadata(tick);
    ta::Engine::get_default_engine().execute({ta::Edge(root, 0)}, {tick}, /*keep_graph=*/false, /*create_graph=*/false,
                                             /*accumulate_grad=*/true);
    if (!saved.sink)
        return {};
    TORCH_CHECK(saved.sink->dx.defined(), "a stage's input gradient is missing");
    return std::move(saved.sink->dx);
}

void dropUnfinishedBackward(const at::Tensor &tick)
{
    auto last = std::make_shared<LastInQueue>();
    last->add_input_metadata(tick);
    ta::Engine::get_default_engine().execute({ta::Edge(last, 0)}, {tick}, /*keep_graph=*/false, /*create_graph=*/false,
                                             /*accumulate_grad=*/true);
}

} // namespace remat::gpu
