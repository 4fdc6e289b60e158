// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formula/tape.h"

namespace remat::core::formula {

class Node;
class Tensor;

/// Where the gradient of a tensor goes: an input of a node; no node: nowhere.
struct Edge
{
    std::shared_ptr<Node> node;
    std::size_t slot = 0;

    [[nodiscard]] bool isValid() const { return node != nullptr; }
};

/// A block of the account; released with its last tensor.
class Storage
{
public:
    Storage(Tape &tape, Bytes bytes);
    ~Storage();
    Storage(const Storage &) = delete;
    Storage &operator=(const Storage &) = delete;

    [[nodiscard]] Tape &tape() const { return *m_tape; }
    void markGradient() const;

private:
    Tape *m_tape;
    Bytes m_bytes;
    bool m_counts;
    std::uint32_t m_block = 0;
};

/// What a tensor is without its values. Shared by handles as LibTorch shares its own, for who holds a tensor decides when
/// it is released and whether it may be written to.
struct TensorData;

/// A size-only tensor: a handle like LibTorch's. Sizes and strides are real, so that it is known which reshape copies.
class Tensor
{
public:
    Tensor() = default;
    explicit Tensor(std::shared_ptr<TensorData> data) : m_data(std::move(data)) { }
    /// Contiguous, in a new block.
    [[nodiscard]] static Tensor make(Tape &tape, Shape sizes, Element type);
    [[nodiscard]] static Tensor makeStrided(Tape &tape, Shape sizes, Shape strides, Element type);

    [[nodiscard]] bool defined() const { return m_data != nullptr; }
    void reset() { m_data.reset(); }
    [[nodiscard]] const Shape &sizes() const;
    [[nodiscard]] const Shape &strides() const;
    [[nodiscard]] std::size_t dim() const { return sizes().size(); }
    /// Negative: from the end.
    [[nodiscard]] std::int64_t size(int dimension) const;
    [[nodiscard]] std::int64_t numel() const { return elements(sizes()); }
    [[nodiscard]] Bytes bytes() const { return numel() * sizeOf(type()); }
    [[nodiscard]] Element type() const;
    [[nodiscard]] Tape &tape() const;
    [[nodiscard]] const Storage &storage() const;
    [[nodiscard]] bool isContiguous() const;
    [[nodiscard]] bool isDense() const; // no gaps, no overlap

    [[nodiscard]] bool requiresGrad() const;
    [[nodiscard]] Edge edge() const; // to the node that made it, or to where a leaf accumulates
    [[nodiscard]] bool isOnlyHandle() const { return m_data.use_count() == 1; }
    [[nodiscard]] bool isOnlyHolderOfStorage() const;
    [[nodiscard]] TensorData &data() const { return *m_data; }
    [[nodiscard]] const std::shared_ptr<TensorData> &shared() const { return m_data; }

    /// Same storage, no history.
    [[nodiscard]] Tensor detach() const;
    /// Same storage seen in another way, no history.
    [[nodiscard]] Tensor seenAs(Shape sizes, Shape strides) const;

private:
    std::shared_ptr<TensorData> m_data;
};
using Tensors = std::vector<Tensor>;

/// Where the gradient of a trained parameter is.
struct Leaf
{
    Tensor gradient;
    std::weak_ptr<Node> accumulator;
    std::function<void(Leaf &)> afterAccumulation; // update in backward
};

struct TensorData
{
    std::shared_ptr<Storage> storage;
    Shape sizes, strides;
    Element type = Element::fp32;
    Edge history;
    std::shared_ptr<Leaf> leaf;       // of a trained parameter
    std::shared_ptr<TensorData> base; // of a differentiable view
};

[[nodiscard]] Shape contiguousStrides(const Shape &sizes);

} // namespace remat::core::formula
