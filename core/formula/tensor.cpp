// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/tensor.h"

#include <algorithm>

#include "formula/graph.h"

namespace remat::core::formula {

Storage::Storage(Tape &tape, Bytes bytes) : m_tape(&tape), m_bytes(bytes), m_counts(!tape.permanent)
{
    if (m_counts)
        m_block = tape.allocate(bytes);
}

Storage::~Storage()
{
    if (m_counts)
        m_tape->release(m_block, m_bytes);
}

void Storage::markGradient() const
{
    if (m_counts)
        m_tape->markGradient(m_block);
}

Shape contiguousStrides(const Shape &sizes)
{
    Shape strides(sizes.size());
    std::int64_t step = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = step;
        step *= std::max<std::int64_t>(sizes[i], 1);
    }
    return strides;
}

Tensor Tensor::make(Tape &tape, Shape sizes, Element type)
{
    Shape strides = contiguousStrides(sizes);
    return makeStrided(tape, std::move(sizes), std::move(strides), type);
}

Tensor Tensor::makeStrided(Tape &tape, Shape sizes, Shape strides, Element type)
{
    auto data = std::make_shared<TensorData>();
    data->storage = std::make_shared<Storage>(tape, elements(sizes) * sizeOf(type));
    data->sizes = std::move(sizes);
    data->strides = std::move(strides);
    data->type = type;
    return Tensor(std::move(data));
}

const Shape &Tensor::sizes() const
{
    return m_data->sizes;
}

const Shape &Tensor::strides() const
{
    return m_data->strides;
}

std::int64_t Tensor::size(int dimension) const
{
    const auto count = static_cast<int>(m_data->sizes.size());
    return m_data->sizes[static_cast<std::size_t>(dimension < 0 ? dimension + count : dimension)];
}

Element Tensor::type() const
{
    return m_data->type;
}

Tape &Tensor::tape() const
{
    return m_data->storage->tape();
}

const Storage &Tensor::storage() const
{
    return *m_data->storage;
}

bool Tensor::isContiguous() const
{
    std::int64_t step = 1;
    for (std::size_t i = m_data->sizes.size(); i-- > 0;) {
        if (m_data->sizes[i] == 1)
            continue;
        if (m_data->strides[i] != step)
            return false;
        step *= m_data->sizes[i];
    }
    return true;
}

bool Tensor::isDense() const
{
    std::vector<std::pair<std::int64_t, std::int64_t>> dimensions; // stride, size
    for (std::size_t i = 0; i < m_data->sizes.size(); ++i)
        if (m_data->sizes[i] != 1)
            dimensions.emplace_back(m_data->strides[i], m_data->sizes[i]);
    std::sort(dimensions.begin(), dimensions.end());
    std::int64_t step = 1;
    for (const auto &[stride, size] : dimensions) {
        if (stride != step)
            return false;
        step *= size;
    }
    return true;
}

bool Tensor::requiresGrad() const
{
    return m_data->leaf != nullptr || m_data->history.isValid();
}

Edge Tensor::edge() const
{
    if (!m_data->leaf)
        return m_data->history;
    std::shared_ptr<Node> node = m_data->leaf->accumulator.lock();
    if (!node) {
        node = std::make_shared<AccumulateNode>(*this);
        m_data->leaf->accumulator = node;
    }
    return {std::move(node), 0};
}

bool Tensor::isOnlyHolderOfStorage() const
{
    return m_data->storage.use_count() == 1;
}

Tensor Tensor::detach() const
{
    return seenAs(m_data->sizes, m_data->strides);
}

Tensor Tensor::seenAs(Shape sizes, Shape strides) const
{
    auto data = std::make_shared<TensorData>();
    data->storage = m_data->storage;
    data->sizes = std::move(sizes);
    data->strides = std::move(strides);
    data->type = m_data->type;
    return Tensor(std::move(data));
}

} // namespace remat::core::formula
