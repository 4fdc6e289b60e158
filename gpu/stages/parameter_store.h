// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/parameter_inventory.h"
#include "model/workload.h"

namespace remat::gpu {

/// The parameters of a model on a device, in the order of the inventory. Owned by the prepared workload.
class ParameterStore
{
public:
    ParameterStore(const core::ModelConfig &model, const core::Workload &workload, c10::Device device);

    /// Writes the seeded start values again; allocates nothing that stays. Values do not depend on the device.
    void initialise();

    /// The parameter of that name; undefined where the model has none.
    [[nodiscard]] at::Tensor find(const std::string &name) const;
    [[nodiscard]] const std::vector<at::Tensor> &tensors() const { return m_tensors; }
    [[nodiscard]] const std::vector<core::Parameter> &inventory() const { return m_inventory; }
    /// Those that are trained, in the same order.
    [[nodiscard]] std::vector<at::Tensor> trainable() const;

private:
    std::vector<core::Parameter> m_inventory;
    std::vector<at::Tensor> m_tensors;
    double m_range;
    int m_layers;
    std::uint64_t m_seed;
};

/// The type that weights are stored in, and the one of boundaries and products.
[[nodiscard]] at::ScalarType weightType(core::Dtype dtype);
[[nodiscard]] at::ScalarType computeType(core::Dtype dtype);

} // namespace remat::gpu
