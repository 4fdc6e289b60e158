// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "probe/sibling.h"

#include <algorithm>

#include "model/static_memory.h"

namespace remat::core {

Sibling::Sibling(const ModelConfig &whole, const Workload &wholeWorkload, int layer)
    : model(whole), workload(wholeWorkload)
{
    const bool frozen = chainShape(whole, wholeWorkload).firstTrainable > 0;
    model.layers = frozen ? std::min(2, whole.layers) : 1;
    if (!whole.layerForms.empty())
        model.layerForms.assign(static_cast<std::size_t>(model.layers), whole.formOf(layer));
    workload.microBatches = std::min(wholeWorkload.microBatches, 2);
    if (workload.train.kind == TrainKind::last)
        workload.train.n = model.layers;
    shape = chainShape(model, workload);
}

Bytes Sibling::boundary(int boundary) const
{
    const bool pooled = boundary == shape.stages() && model.head == HeadKind::sequence;
    return workload.batch * (pooled ? 1 : workload.seq) * model.width * computeElementSize(workload.dtype);
}

std::vector<std::string> closingSections(const Workload &workload)
{
    std::vector<std::string> sections;
    if (needsLossScale(workload.dtype))
        sections.emplace_back("unscale");
    if (workload.clip > 0)
        sections.emplace_back("clip");
    sections.emplace_back("optimizer");
    return sections;
}

void freeze(StageCost &cost)
{
    cost.options.clear();
    cost.options[""] = {};
    cost.forward.total += cost.remembered;
    cost.forward.activation += cost.remembered;
    cost.gradientGrowth = cost.remembered = 0;
}

Error unexplainedMemory(int stage, Bytes rest)
{
    return {ErrorCode::failed,
            "The memory of B" + std::to_string(stage)
                + " in the small model of the probe is not explained by what its stage keeps (" + std::to_string(rest)
                + " bytes are left over), so no exact prediction can be made."};
}

} // namespace remat::core
