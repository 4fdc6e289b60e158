// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "executor/equality_check.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace remat::gpu {

namespace {

/// The gradient's bytes in the order of its elements; empty where there is none.
std::vector<std::byte> bytesOf(const at::Tensor &gradient)
{
    if (!gradient.defined())
        return {};
    std::vector<std::byte> bytes(static_cast<std::size_t>(gradient.numel()) * gradient.element_size());
    at::from_blob(bytes.data(), gradient.sizes(), gradient.options().device(at::kCPU).requires_grad(false))
        .copy_(gradient.detach());
    return bytes;
}

double valueAt(const std::vector<std::byte> &bytes, std::size_t i, at::ScalarType type)
{
    if (type == at::kBFloat16) {
        std::uint16_t half = 0;
        std::memcpy(&half, bytes.data() + 2 * i, 2);
        return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16);
    }
    if (type == at::kHalf) {
        c10::Half half;
        std::memcpy(&half, bytes.data() + 2 * i, 2);
        return half;
    }
    float value = 0;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    return value;
}

void add(Difference &difference, const std::vector<std::byte> &a, const std::vector<std::byte> &b, at::ScalarType type)
{
    const std::size_t size = c10::elementSize(type);
    for (std::size_t i = 0; i < a.size() / size; ++i) {
        if (std::memcmp(a.data() + i * size, b.data() + i * size, size) == 0)
            continue;
        ++difference.elements;
        difference.largest = std::max(difference.largest, std::abs(valueAt(a, i, type) - valueAt(b, i, type)));
    }
}

} // namespace

void ReferenceGradients::keep(const std::vector<at::Tensor> &parameters, double loss)
{
    m_gradients.clear();
    for (const at::Tensor &parameter : parameters)
        m_gradients.push_back(bytesOf(parameter.grad()));
    m_loss = loss;
}

Difference ReferenceGradients::compare(const std::vector<at::Tensor> &parameters, double loss,
                                       const std::vector<std::string> &names) const
{
    Difference difference;
    if (std::bit_cast<std::uint64_t>(loss) != std::bit_cast<std::uint64_t>(m_loss)) {
        difference.elements = 1;
        difference.largest = std::abs(loss - m_loss);
        difference.first = "the loss";
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::int64_t before = difference.elements;
        const auto mine = bytesOf(parameters[i].grad());
        if (mine.size() != m_gradients[i].size())
            difference.elements += parameters[i].numel();
        else
            add(difference, mine, m_gradients[i], parameters[i].scalar_type());
        if (difference.elements != before && difference.first.empty())
            difference.first = names[i];
    }
    return difference;
}

} // namespace remat::gpu
