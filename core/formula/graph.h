// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "formula/tensor.h"

namespace remat::core::formula {

/// A function of a recorded graph. Mirrors what LibTorch's engine does with its own, as far as it decides which block
/// lives when.
class Node
{
public:
    explicit Node(std::uint64_t sequence) : m_sequence(sequence) { }
    virtual ~Node() = default;
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;

    [[nodiscard]] virtual Tensors apply(Tensors &&gradients) = 0;
    /// What was saved goes after the node ran.
    virtual void release() { }

    [[nodiscard]] std::uint64_t sequence() const { return m_sequence; }
    [[nodiscard]] bool wants(std::size_t output) const { return m_next[output].isValid(); }

    struct Input
    {
        Shape sizes;
        Element type = Element::fp32;
    };
    [[nodiscard]] const std::vector<Edge> &next() const { return m_next; }
    [[nodiscard]] const std::vector<Input> &inputs() const { return m_inputs; }
    void addNext(Edge edge) { m_next.push_back(std::move(edge)); }
    /// Declares one more input, for the gradient of `output`; returns its slot.
    std::size_t addInput(const Tensor &output);
    void swapNext(Node &other) { m_next.swap(other.m_next); }

private:
    std::uint64_t m_sequence;
    std::vector<Edge> m_next;
    std::vector<Input> m_inputs;
};

/// A native operator's backward: what it saved is held until it ran.
class NativeNode final : public Node
{
public:
    struct Call
    {
        const Node &node;
        const Tensors &gradients;
        const Tensors &saved;
        [[nodiscard]] bool wants(std::size_t output) const { return node.wants(output); }
    };
    using Work = std::function<Tensors(const Call &)>;

    NativeNode(std::uint64_t sequence, Tensors saved, Work work)
        : Node(sequence), m_saved(std::move(saved)), m_work(std::move(work))
    {
    }
    Tensors apply(Tensors &&gradients) override;
    void release() override { m_saved.clear(); }

private:
    Tensors m_saved;
    Work m_work;
};

/// A custom function: tensors under names are held until they are taken, or as long as the node.
class CustomNode final : public Node
{
public:
    using Work = std::function<Tensors(CustomNode &, Tensors)>;
    explicit CustomNode(std::uint64_t sequence) : Node(sequence) { }

    void keep(const std::string &key, const Tensor &tensor) { m_data[key] = tensor; }
    [[nodiscard]] Tensor take(const std::string &key);
    [[nodiscard]] bool has(const std::string &key) const { return m_data.contains(key); }
    void setSaved(Tensors saved) { m_saved = std::move(saved); }
    [[nodiscard]] const Tensors &saved() const { return m_saved; }
    void setWork(Work work) { m_work = std::move(work); }

    /// The wrapper holds the output gradients while the backward runs.
    Tensors apply(Tensors &&gradients) override;
    void release() override { m_saved.clear(); }

private:
    std::map<std::string, Tensor> m_data;
    Tensors m_saved;
    Work m_work;
};

/// Stands before a parameter: keeps the first gradient as it is, adds later ones in place.
class AccumulateNode final : public Node
{
public:
    explicit AccumulateNode(const Tensor &variable);
    Tensors apply(Tensors &&gradients) override;

private:
    Tensor m_variable;
};

/// Where `boundary` gradients of a stage come in and go out.
struct RootNode;
struct SinkNode;

/// The graph of a stage or of a part of one, as the engine's SavedStage.
struct SavedGraph
{
    std::vector<Edge> edges;
    std::shared_ptr<SinkNode> sink;

    [[nodiscard]] bool isRecorded() const { return !edges.empty() && edges.front().isValid(); }
};
using Forward = std::function<Tensor(const Tensor &)>;
using ManyForward = std::function<Tensors(const Tensor &)>;

[[nodiscard]] Tensors forwardSaveMany(const ManyForward &stage, const Tensor &boundary, bool takesGradient,
                                      SavedGraph &out);
[[nodiscard]] Tensor forwardSave(const Forward &stage, const Tensor &boundary, bool takesGradient, SavedGraph &out);
[[nodiscard]] Tensor backwardMany(SavedGraph saved, Tensors &&dys);
[[nodiscard]] Tensor backward(SavedGraph saved, Tensor &&dy);

/// Gives `output` its history: a native node over `inputs` that holds `saved`. Nothing where no graph is recorded.
void record(Tensor &output, const std::vector<const Tensor *> &inputs, Tensors saved, NativeNode::Work work);
/// The same for several outputs of one node.
void recordMany(Tensors &outputs, const Tensor &input, Tensors saved, NativeNode::Work work);
/// True where an operator on these records a node.
[[nodiscard]] bool records(const std::vector<const Tensor *> &inputs);

/// A custom function on `inputs` (undefined ones are absent): runs `forward` without a graph on a node that dies at once
/// where nothing is recorded.
[[nodiscard]] Tensor applyCustom(Tape &tape, const std::vector<const Tensor *> &inputs,
                                 const std::function<Tensor(CustomNode &)> &forward, CustomNode::Work backward);

} // namespace remat::core::formula
