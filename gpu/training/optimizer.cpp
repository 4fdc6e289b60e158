// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "model/static_memory.h"

namespace remat::gpu {

using core::OptimizerKind;

namespace {

constexpr double kLearningRate = 3e-4;
constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kWeightDecay = 0.01;
constexpr double kEpsilon = 1e-8;
constexpr double kFirstScale = 65536.0;
constexpr std::int64_t kGrowthInterval = 2000;

void fusedAdamw(at::TensorList parameters, at::TensorList gradients, at::TensorList first, at::TensorList second,
                at::TensorList steps)
{
    for (const at::Tensor &step : steps)
        step.add_(1); // before the update: with step 0 the weights become NaN
    at::_fused_adamw_(parameters, gradients, first, second, {}, steps, kLearningRate, kBeta1, kBeta2, kWeightDecay,
                      kEpsilon, /*amsgrad=*/false, /*maximize=*/false);
}

} // namespace

Optimizer::Optimizer(const core::Workload &workload, std::vector<at::Tensor> parameters, const at::Tensor &lossGradient)
    : m_workload(workload), m_parameters(std::move(parameters))
{
    if (!core::needsLossScale(workload.dtype))
        return;
    m_scale = lossGradient;
    m_growth = at::zeros({}, lossGradient.options().dtype(at::kInt));
    m_foundInf = at::zeros({}, lossGradient.options());
    m_scale.fill_(kFirstScale);
}

void Optimizer::unscale()
{
    if (!hasScale())
        return;
    const at::NoGradGuard noGraph;
    std::vector<at::Tensor> gradients;
    for (const at::Tensor &parameter : m_parameters)
        if (parameter.grad().defined())
            gradients.push_back(parameter.grad());
    m_foundInf.zero_();
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, m_foundInf, m_scale.reciprocal());
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
    const bool adamw = core::isAdamw(m_workload.optimizer);
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
    m_skippedLast = hasScale() && m_foundInf.item<float>() > 0;
    if (hasScale())
        at::_amp_update_scale_(m_scale, m_growth, m_foundInf, 2.0, 0.5, kGrowthInterval);
    if (m_workload.optimizer == OptimizerKind::none || m_skippedLast)
        return;
    const at::NoGradGuard noGraph;
    if (m_workload.optimizer == OptimizerKind::adamwPerTensor) {
        for (std::size_t i = 0; i < m_parameters.size(); ++i)
            adamw(i);
        return;
    }
    std::vector<at::Tensor> gradients;
    for (const at::Tensor &parameter : m_parameters)
        gradients.push_back(parameter.grad());
    if (m_workload.optimizer == OptimizerKind::adamw)
        fusedAdamw(m_parameters, gradients, m_first, m_second, m_steps);
    else
        at::_fused_sgd_(m_parameters, gradients, m_first, /*weight_decay=*/0.0, m_workload.momentum, kLearningRate,
                        /*dampening=*/0.0, /*nesterov=*/false, /*maximize=*/false, m_isFirstStep);
    m_isFirstStep = false;
}

void Optimizer::updateAlone(std::size_t i)
{
    const at::NoGradGuard noGraph;
    const at::Tensor &parameter = m_parameters[i];
    if (m_workload.optimizer == OptimizerKind::adamwPerTensor) {
        adamw(i);
    } else if (m_workload.optimizer == OptimizerKind::adamw) {
        fusedAdamw({parameter}, {parameter.grad()}, {m_first[i]}, {m_second[i]}, {m_steps[i]});
    } else {
        const std::vector<at::Tensor> momentum
            = m_first.empty() ? std::vector<at::Tensor>() : std::vector<at::Tensor>{m_first[i]};
        at::_fused_sgd_({parameter}, {parameter.grad()}, momentum, 0.0, m_workload.momentum, kLearningRate, 0.0, false,
                        false, /*is_first_step=*/false);
    }
    parameter.mutable_grad().reset();
}

/// The update in separate operators, as a loop over tensors in a training script does it.
void Optimizer::adamw(std::size_t i)
{
    at::Tensor parameter = m_parameters[i];
    const at::Tensor &gradient = parameter.grad();
    if (!gradient.defined())
        return;
    m_steps[i].add_(1);
    const double step = m_steps[i].item<double>();
    parameter.mul_(1.0 - kLearningRate * kWeightDecay);
    m_first[i].lerp_(gradient, 1.0 - kBeta1);
    m_second[i].mul_(kBeta2).addcmul_(gradient, gradient, 1.0 - kBeta2);
    const double correction1 = 1.0 - std::pow(kBeta1, step);
    const double correction2 = 1.0 - std::pow(kBeta2, step);
    const at::Tensor denominator = m_second[i].sqrt().div_(std::sqrt(correction2)).add_(kEpsilon);
    parameter.addcdiv_(m_first[i], denominator, -kLearningRate / correction1);
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
    if (hasScale())
        all.insert(all.end(), {m_growth, m_foundInf});
    return all;
}

void Optimizer::reset()
{
    m_first.clear();
    m_second.clear();
    m_steps.clear();
    m_hasState = false;
    m_isFirstStep = true;
    m_skippedLast = false;
    if (hasScale()) {
        m_scale.fill_(kFirstScale);
        m_growth.zero_();
    }
}

} // namespace remat::gpu
