// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/alias.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/rms_norm.h>

#include "stages/linear_parts.h"
#include "stages/projection.h"
#include "stages/stage_marks.h"

namespace remat::gpu {

at::Tensor normalise(const at::Tensor &x, const Norm &norm)
{
    if (!norm.exists())
        return x;
    const PartScope part(StagePart::norm);
    const at::Tensor weight = matching(norm.weight, x);
    if (norm.kind == core::NormKind::layerNorm)
        return at::layer_norm(x, {norm.size}, optional(weight), optional(matching(norm.bias, x)), norm.epsilon);
    // The composed operator reads its input twice. Read through an alias, its two shares of the gradient are summed before
    // anybody else's is added, whether the norm stands in the stage's graph or is rebuilt: the same bits either way.
    const at::Tensor input = at::GradMode::is_enabled() ? at::alias(x) : x;
    if (norm.unitOffset)
        return at::rms_norm(input, {norm.size}, weight + 1.0, norm.epsilon);
    return at::rms_norm(input, {norm.size}, optional(weight), norm.epsilon);
}

} // namespace remat::gpu
