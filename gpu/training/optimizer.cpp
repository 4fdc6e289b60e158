// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

namespace remat::gpu {

using core::OptimizerKind;

namespace {

constexpr double kLearningRate = 3e-4;
constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kWeightDecay = 0.01;
constexpr double kEpsilon = 1e-8;
constexpr std::int64_t kStepScalarBytes = 4;

} // namespace

Optimizer::Optimizer(const core::Workload &workload, std::vector<at::Tensor> parameters)
    : m_workload(workload), m_parameters(std::move(parameters))
{
}

void Optimizer::clip()
{
    if (m_workload.clip <= 0)
        return;
    const at::NoGradGuard noGraph;
    double squares = 0;
    for (const at::Tensor &parameter : m_parameters) {
        if (!parameter.grad().defined())
            continue;
        const double norm = at::linalg_vector_norm(parameter.grad()).item<double>();
        squares += norm * norm;
    }
    const double factor = m_workload.clip / (std::sqrt(squares) + 1e-6);
    if (factor >= 1)
        return;
    for (const at::Tensor &parameter : m_parameters)
        if (at::Tensor gradient = parameter.grad(); gradient.defined())
            gradient.mul_(factor);
}

void Optimizer::createState()
{
    if (m_hasState)
        return;
    const at::NoGradGuard noGraph;
    const bool adamw = m_workload.optimizer == OptimizerKind::adamw;
    try {
        if (adamw || (m_workload.optimizer == OptimizerKind::sgd && m_workload.momentum > 0))
            m_first = zerosLikeParameters();
        if (adamw) {
            m_second = zerosLikeParameters();
            for (const at::Tensor &parameter : m_parameters)
                m_steps.push_back(at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)));
        }
        m_hasState = true;
    } catch (...) {
        reset();
        throw;
    }
}

void Optimizer::step()
{
    if (m_workload.optimizer == OptimizerKind::none)
        return;
    const at::NoGradGuard noGraph;
    std::vector<at::Tensor> gradients;
    for (const at::Tensor &parameter : m_parameters)
        gradients.push_back(parameter.grad());
    if (m_workload.optimizer == OptimizerKind::adamw) {
        for (at::Tensor &step : m_steps)
            step.add_(1); // before the update: with step 0 the weights become NaN
        at::_fused_adamw_(m_parameters, gradients, m_first, m_second, {}, m_steps, kLearningRate, kBeta1, kBeta2,
                          kWeightDecay, kEpsilon, /*amsgrad=*/false, /*maximize=*/false);
    } else {
        at::_fused_sgd_(m_parameters, gradients, m_first, /*weight_decay=*/0.0, m_workload.momentum, kLearningRate,
                        /*dampening=*/0.0, /*nesterov=*/false, /*maximize=*/false, m_isFirstStep);
    }
    m_isFirstStep = false;
}

std::vector<at::Tensor> Optimizer::zerosLikeParameters() const
{
    std::vector<at::Tensor> state;
    for (const at::Tensor &parameter : m_parameters)
        state.push_back(at::zeros_like(parameter, parameter.options().requires_grad(false)));
    return state;
}

std::vector<at::Tensor> Optimizer::state() const
{
    std::vector<at::Tensor> all = m_first;
    all.insert(all.end(), m_second.begin(), m_second.end());
    all.insert(all.end(), m_steps.begin(), m_steps.end());
    return all;
}

void Optimizer::reset()
{
    m_first.clear();
    m_second.clear();
    m_steps.clear();
    m_hasState = false;
    m_isFirstStep = true;
}

core::Bytes optimizerStateBytes(const core::Workload &workload, std::int64_t elements, std::int64_t tensors,
                                std::int64_t elementSize)
{
    switch (workload.optimizer) {
    case OptimizerKind::adamw:
        return 2 * elements * elementSize + tensors * kStepScalarBytes;
    case OptimizerKind::sgd:
        return workload.momentum > 0 ? elements * elementSize : 0;
    case OptimizerKind::none:
        break;
    }
    return 0;
}

} // namespace remat::gpu
