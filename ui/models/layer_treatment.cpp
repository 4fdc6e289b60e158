// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/layer_treatment.h"

#include "schedule/strategy.h"

namespace remat::ui {

LayerTreatment treatmentOf(const core::Schedule *schedule, const core::ChainShape &shape)
{
    const std::vector<bool> none(static_cast<std::size_t>(shape.layers), false);
    LayerTreatment treatment{none, none, none};
    if (!schedule)
        return treatment;
    for (const int layer : core::checkpointedLayers(*schedule, shape))
        treatment.checkpoint[static_cast<std::size_t>(layer)] = true;
    for (const int layer : core::recomputedLayers(*schedule, shape))
        treatment.rebuilt[static_cast<std::size_t>(layer)] = true;
    for (const core::Op &op : schedule->ops)
        if (const int layer = shape.layerOf(op.stage); layer >= 0 && !op.option.empty())
            treatment.partly[static_cast<std::size_t>(layer)] = true;
    return treatment;
}

} // namespace remat::ui
