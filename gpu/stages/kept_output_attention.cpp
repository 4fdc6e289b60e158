// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/kept_output_attention.h"

#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <tuple>

#include "stages/linear_parts.h"
#include "stages/stage_marks.h"

namespace remat::gpu {

namespace ta = torch::autograd;

namespace {

struct Plan final : torch::CustomClassHolder
{
    ManyForward heads;
    AttentionSettings settings;
    at::Tensor tick;
    bool takesGradient = true;

    [[nodiscard]] bool causal() const { return settings.causal && !settings.mask.defined(); }
    [[nodiscard]] std::optional<at::Tensor> mask() const { return optional(settings.mask); }
    [[nodiscard]] std::optional<double> scale() const
    {
        return settings.scale > 0 ? std::optional<double>(settings.scale) : std::nullopt;
    }
};

struct KeptOutputNode : ta::Function<KeptOutputNode>
{
    static at::Tensor forward(ta::AutogradContext *context, const at::Tensor &z,
                              const std::optional<at::Tensor> & /*anchor*/, const ManyForward *heads,
                              const AttentionSettings *settings, const at::Tensor *tick)
    {
        auto plan = c10::make_intrusive<Plan>();
        plan->heads = *heads;
        plan->settings = *settings;
        plan->tick = *tick;
        plan->takesGradient = z.requires_grad();
        const auto parts = (*heads)(z);
        auto [out, logSumExp] = at::_scaled_dot_product_flash_attention_for_cpu(
            parts[0], parts[1], parts[2], 0.0, plan->causal(), plan->mask(), plan->scale());
        context->saved_data["plan"] = c10::IValue::make_capsule(plan);
        context->saved_data["z"] = z;
        context->saved_data["out"] = out;
        context->saved_data["lse"] = logSumExp;
        return out.transpose(1, 2).reshape({z.size(0), z.size(1), -1});
    }

    static ta::variable_list backward(ta::AutogradContext *context, ta::variable_list gradients)
    {
        const auto held = context->saved_data["plan"].toCapsule();
        const Plan &plan = static_cast<const Plan &>(*held);
        at::Tensor z = takeSaved(context, "z");
        at::Tensor out = takeSaved(context, "out");
        at::Tensor dy = std::move(gradients[0]);
        SavedStage graph;
        std::vector<at::Tensor> parts;
        {
            const RebuildScope rebuild;
            parts = forwardSaveMany(plan.heads, z, plan.takesGradient, graph);
        }
        z.reset();
        const auto shape = out.sizes();
        const at::Tensor dout = dy.view({shape[0], shape[2], shape[1], shape[3]}).transpose(1, 2);
        auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
            dout, parts[0], parts[1], parts[2], out, takeSaved(context, "lse"), 0.0, plan.causal(), plan.mask(),
            plan.scale());
        out.reset();
        dy.reset();
        parts.clear();
        at::Tensor dz;
        if (graph.isRecorded())
            dz = backwardMany(std::move(graph), {std::move(dq), std::move(dk), std::move(dv)}, plan.tick);
        return {dz, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

} // namespace

bool canKeepOutput(const at::Tensor &x, const AttentionSettings &settings)
{
    if (!x.device().is_cpu() || settings.dropout > 0)
        return false;
    const at::Tensor q = at::empty({1, settings.heads, 1, settings.headSize}, x.options());
    const at::Tensor k = at::empty({1, settings.kvHeads, 1, settings.headSize}, x.options());
    constexpr std::int64_t kFlash = 1;
    AttentionSettings unmasked = settings; // a float mask does not keep the CPU's kernel from being taken
    unmasked.mask.reset();
    return kernelChoice(q, k, unmasked) == kFlash;
}

at::Tensor keptOutputAttention(const at::Tensor &z, const at::Tensor &anchor, const ManyForward &heads,
                               const AttentionSettings &settings, const at::Tensor &tick)
{
    return KeptOutputNode::apply(z, optional(anchor), &heads, &settings, &tick);
}

} // namespace remat::gpu
