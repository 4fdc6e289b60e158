// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/chunked_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "stages/linear_parts.h"
#include "stages/rebuilt.h"

namespace remat::gpu {

namespace ta = torch::autograd;

namespace {

constexpr std::int64_t kIgnored = -100;

template <typename Work>
void eachChunk(std::int64_t rowCount, std::int64_t chunks, Work work)
{
    const std::int64_t length = (rowCount + chunks - 1) / chunks;
    for (std::int64_t first = 0; first < rowCount; first += length)
        work(first, std::min(length, rowCount - first));
}

at::Tensor sumOfLosses(const at::Tensor &logits, const at::Tensor &targets)
{
    return at::cross_entropy_loss(logits, targets, {}, at::Reduction::Sum, kIgnored);
}

struct ChunkedLoss : ta::Function<ChunkedLoss>
{
    static at::Tensor forward(ta::AutogradContext *context, const at::Tensor &x,
                              const std::optional<at::Tensor> & /*anchor*/, const at::Tensor &targets,
                              const Rebuild *logits, const ChunkSettings *settings)
    {
        const at::Tensor flat = rows(x);
        const at::Tensor wanted = targets.reshape({-1});
        const at::Tensor count = wanted.ne(kIgnored).sum().to(at::kFloat);
        at::Tensor sum = at::zeros({}, x.options().dtype(at::kFloat).requires_grad(false));
        eachChunk(flat.size(0), settings->chunks, [&](std::int64_t first, std::int64_t length) {
            sum.add_(sumOfLosses((*logits)(flat.narrow(0, first, length)), wanted.narrow(0, first, length)));
        });
        auto &saved = context->saved_data;
        saved["plan"] = RebuildPlan::make(*logits, x, settings->tick, false);
        saved["x"] = x;
        saved["targets"] = wanted;
        saved["count"] = count;
        saved["chunks"] = static_cast<std::int64_t>(settings->chunks);
        return sum.div_(count);
    }

    static ta::variable_list backward(ta::AutogradContext *context, ta::variable_list gradients)
    {
        const c10::IValue held = context->saved_data["plan"];
        const RebuildPlan &plan = RebuildPlan::of(held);
        at::Tensor x = takeSaved(context, "x");
        const at::Tensor flat = rows(x);
        const at::Tensor targets = takeSaved(context, "targets");
        const at::Tensor share = gradients[0] / takeSaved(context, "count");
        at::Tensor dx = plan.takesGradient ? at::empty_like(flat) : at::Tensor();
        eachChunk(flat.size(0), context->saved_data["chunks"].toInt(), [&](std::int64_t first, std::int64_t length) {
            const at::Tensor part = flat.narrow(0, first, length);
            const at::Tensor wanted = targets.narrow(0, first, length);
            SavedStage graph;
            RebuildPlan chunk;
            chunk.run = [&](const at::Tensor &rowsOfPart) { return sumOfLosses(plan.run(rowsOfPart), wanted); };
            chunk.tick = plan.tick;
            chunk.takesGradient = plan.takesGradient;
            static_cast<void>(chunk.again(part, graph));
            const at::Tensor dpart = chunk.backThrough(std::move(graph), at::Tensor(share));
            if (dpart.defined())
                dx.narrow(0, first, length).copy_(dpart);
        });
        const at::Tensor shaped = dx.defined() ? dx.view(x.sizes()) : dx;
        return {shaped, at::Tensor(), at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

} // namespace

at::Tensor chunkedLoss(const at::Tensor &x, const at::Tensor &targets, const Rebuild &logits,
                       const ChunkSettings &settings)
{
    return ChunkedLoss::apply(x, optional(settings.anchor), targets, &logits, &settings);
}

} // namespace remat::gpu
