// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/parameter_store.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <cmath>

namespace remat::gpu {

at::ScalarType weightType(core::Dtype dtype)
{
    return core::isMixed(dtype) ? at::kFloat : computeType(dtype);
}

at::ScalarType computeType(core::Dtype dtype)
{
    switch (dtype) {
    case core::Dtype::fp32:
        return at::kFloat;
    case core::Dtype::bf16:
    case core::Dtype::mixedBf16:
        return at::kBFloat16;
    case core::Dtype::fp16:
    case core::Dtype::mixedFp16:
        return at::kHalf;
    }
    return at::kFloat;
}

ParameterStore::ParameterStore(const core::ModelConfig &model, const core::Workload &workload, c10::Device device)
    : m_inventory(core::parameterInventory(model, workload.train)),
      m_range(model.initializerRange),
      m_layers(model.layers),
      m_seed(workload.seed)
{
    const auto options = at::TensorOptions().device(device).dtype(weightType(workload.dtype));
    for (const core::Parameter &parameter : m_inventory)
        m_tensors.push_back(at::empty(parameter.shape, options).requires_grad_(parameter.trainable));
    initialise();
}

void ParameterStore::initialise()
{
    if (!m_tensors.empty() && m_tensors.front().is_meta())
        return; // sizes alone have no values
    const at::NoGradGuard noGraph;
    const at::Generator generator = at::detail::createCPUGenerator(m_seed);
    for (std::size_t i = 0; i < m_tensors.size(); ++i) {
        at::Tensor values = m_tensors[i].device().is_cpu()
            ? m_tensors[i]
            : at::empty(m_tensors[i].sizes(), m_tensors[i].options().device(at::kCPU));
        switch (m_inventory[i].initializer) {
        case core::Initializer::normal:
            values.normal_(0.0, m_range, generator);
            break;
        case core::Initializer::normalResidual:
            values.normal_(0.0, m_range / std::sqrt(2.0 * m_layers), generator);
            break;
        case core::Initializer::zeros:
            values.zero_();
            break;
        case core::Initializer::ones:
            values.fill_(1.0);
            break;
        }
        if (!values.is_same(m_tensors[i]))
            m_tensors[i].copy_(values);
    }
}

std::vector<at::Tensor> ParameterStore::trainable() const
{
    std::vector<at::Tensor> trained;
    for (const at::Tensor &tensor : m_tensors)
        if (tensor.requires_grad())
            trained.push_back(tensor);
    return trained;
}

at::Tensor ParameterStore::find(const std::string &name) const
{
    for (std::size_t i = 0; i < m_inventory.size(); ++i)
        if (m_inventory[i].name == name)
            return m_tensors[i];
    return {};
}

} // namespace remat::gpu
