// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/rebuilt.h"

#include <torch/csrc/autograd/custom_function.h>

#include "stages/linear_parts.h"
#include "stages/stage_marks.h"

namespace remat::gpu {

namespace ta = torch::autograd;

c10::IValue RebuildPlan::make(const Rebuild &run, const at::Tensor &input, const at::Tensor &tick, bool drawsNumbers)
{
    auto plan = c10::make_intrusive<RebuildPlan>();
    plan->run = run;
    plan->tick = tick;
    plan->takesGradient = input.requires_grad();
    if (drawsNumbers)
        plan->random = RandomState::of(input.device());
    return c10::IValue::make_capsule(std::move(plan));
}

const RebuildPlan &RebuildPlan::of(const c10::IValue &value)
{
    return static_cast<const RebuildPlan &>(*value.toCapsule());
}

at::Tensor RebuildPlan::again(const at::Tensor &input, SavedStage &graph) const
{
    const RebuildScope rebuild;
    std::optional<RandomState> outer;
    if (random) {
        outer = RandomState::of(input.device());
        random->restore(input.device());
    }
    at::Tensor output = forwardSave(run, input, takesGradient, graph);
    if (outer)
        outer->restore(input.device());
    return output;
}

at::Tensor RebuildPlan::backThrough(SavedStage &&graph, at::Tensor &&gradient) const
{
    if (!graph.isRecorded())
        return {};
    return backward(std::move(graph), std::move(gradient), tick);
}

namespace {

struct RebuiltNode : ta::Function<RebuiltNode>
{
    static at::Tensor forward(ta::AutogradContext *context, const at::Tensor &z,
                              const std::optional<at::Tensor> & /*anchor*/, const Rebuild *run, const at::Tensor *tick,
                              bool drawsNumbers)
    {
        context->saved_data["plan"] = RebuildPlan::make(*run, z, *tick, drawsNumbers);
        context->saved_data["z"] = z;
        return (*run)(z);
    }

    static ta::variable_list backward(ta::AutogradContext *context, ta::variable_list gradients)
    {
        const c10::IValue held = context->saved_data["plan"];
        const RebuildPlan &plan = RebuildPlan::of(held);
        at::Tensor z = takeSaved(context, "z");
        at::Tensor dy = std::move(gradients[0]);
        SavedStage graph;
        static_cast<void>(plan.again(z, graph));
        z.reset();
        at::Tensor dz = plan.backThrough(std::move(graph), std::move(dy));
        return {dz, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

} // namespace

at::Tensor rebuilt(const at::Tensor &z, const at::Tensor &anchor, const Rebuild &run, const at::Tensor &tick,
                   bool drawsNumbers)
{
    return RebuiltNode::apply(z, optional(anchor), &run, &tick, drawsNumbers);
}

} // namespace remat::gpu
