// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/tape.h"

#include <functional>
#include <numeric>

namespace remat::core::formula {

Bytes sizeOf(Element type)
{
    switch (type) {
    case Element::boolean:
        return 1;
    case Element::bf16:
    case Element::fp16:
        return 2;
    case Element::fp32:
        return 4;
    case Element::fp64:
    case Element::int64:
        return 8;
    }
    return 4;
}

std::int64_t elements(const Shape &shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>());
}

std::uint32_t Tape::allocate(Bytes bytes)
{
    const auto block = static_cast<std::uint32_t>(m_isGradient.size());
    m_isGradient.push_back(false);
    if (bytes > 0)
        m_events.push_back({block, bytes});
    return block;
}

void Tape::release(std::uint32_t block, Bytes bytes)
{
    if (bytes > 0)
        m_events.push_back({block, -bytes});
}

void Tape::scratch(Bytes bytes)
{
    if (!permanent)
        release(allocate(bytes), bytes);
}

void Tape::count(double flops, double bytesMoved)
{
    const WorkAmount work{flops, bytesMoved};
    m_work += work;
    if (rebuilding)
        m_rebuilt += work;
}

} // namespace remat::core::formula
