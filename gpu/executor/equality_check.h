// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace remat::gpu {

/// How far one set of gradients is from the reference.
struct Difference
{
    std::int64_t elements = 0;
    double largest = 0.0;
    std::string first; // name of the first tensor that differs
};

/// Loss and gradients of a reference run, kept as plain bytes outside the recorded account.
class ReferenceGradients
{
public:
    [[nodiscard]] bool empty() const { return m_gradients.empty(); }
    void keep(const std::vector<at::Tensor> &parameters, double loss);

    /// Bit by bit; a gradient that is missing on one side counts with all its elements. `names` name the parameters.
    [[nodiscard]] Difference compare(const std::vector<at::Tensor> &parameters, double loss,
                                     const std::vector<std::string> &names) const;

private:
    std::vector<std::vector<std::byte>> m_gradients;
    double m_loss = 0.0;
};

} // namespace remat::gpu
