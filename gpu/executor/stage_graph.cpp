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

/// Enters a stage's graph as the sole owner of the output gradients.
struct GradientRoot final : ta::Node
{
    ta::variable_list dys;
    ta::variable_list apply(ta::variable_list &&) override { return std::move(dys); }
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

std::vector<at::Tensor> forwardSaveMany(const ManyForward &stage, const at::Tensor &boundary, bool takesGradient,
                                        SavedStage &out)
{
    const at::AutoGradMode graph(true);
    at::Tensor x = boundary.detach();
    if (takesGradient) {
        out.sink = std::make_shared<GradientSink>();
        // This registers the input's metadata as well; doing it again would shift the slots without an error.
        ta::create_gradient_edge(x, out.sink);
    }
    std::vector<at::Tensor> outputs = stage(x);
    for (at::Tensor &y : outputs) {
        out.edges.push_back(ta::impl::gradient_edge(y));
        y = y.detach();
    }
    return outputs;
}

at::Tensor forwardSave(const StageForward &stage, const at::Tensor &boundary, bool takesGradient, SavedStage &out)
{
    return forwardSaveMany([&](const at::Tensor &x) { return std::vector<at::Tensor>{stage(x)}; }, boundary,
                           takesGradient, out)
        .front();
}

at::Tensor backwardMany(SavedStage saved, std::vector<at::Tensor> &&dys, const at::Tensor &tick)
{
    for (const at::Tensor &dy : dys)
        TORCH_CHECK(dy.defined(), "a stage's output gradient is missing");
    auto root = std::make_shared<GradientRoot>();
    root->dys = std::move(dys);
    for (ta::Edge &edge : saved.edges)
        root->add_next_edge(std::move(edge));
    saved.edges.clear();
    root->add_input_metadata(tick);
    ta::Engine::get_default_engine().execute({ta::Edge(root, 0)}, {tick}, /*keep_graph=*/false, /*create_graph=*/false,
                                             /*accumulate_grad=*/true);
    if (!saved.sink)
        return {};
    TORCH_CHECK(saved.sink->dx.defined(), "a stage's input gradient is missing");
    return std::move(saved.sink->dx);
}

at::Tensor backward(SavedStage saved, at::Tensor &&dy, const at::Tensor &tick)
{
    std::vector<at::Tensor> dys;
    dys.push_back(std::move(dy));
    return backwardMany(std::move(saved), std::move(dys), tick);
}

void dropUnfinishedBackward(const at::Tensor &tick)
{
    auto last = std::make_shared<LastInQueue>();
    last->add_input_metadata(tick);
    ta::Engine::get_default_engine().execute({ta::Edge(last, 0)}, {tick}, /*keep_graph=*/false, /*create_graph=*/false,
                                             /*accumulate_grad=*/true);
}

} // namespace remat::gpu
