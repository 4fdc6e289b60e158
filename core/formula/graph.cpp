// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/graph.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include "formula/ops.h"

namespace remat::core::formula {

std::size_t Node::addInput(const Tensor &output)
{
    m_inputs.push_back({output.sizes(), output.type()});
    return m_inputs.size() - 1;
}

Tensor CustomNode::take(const std::string &key)
{
    const auto it = m_data.find(key);
    Tensor tensor = std::move(it->second);
    m_data.erase(it);
    return tensor;
}

Tensors CustomNode::apply(Tensors &&gradients)
{
    const Tensors held = std::move(gradients);
    return m_work(*this, held);
}

Tensors NativeNode::apply(Tensors &&gradients)
{
    for (const Tensor &gradient : gradients)
        if (gradient.defined())
            return m_work({*this, gradients, m_saved});
    return Tensors(next().size());
}

namespace {

bool hasSameLayout(const Tensor &a, const Tensor &b)
{
    for (std::size_t i = 0; i < a.dim(); ++i)
        if (a.sizes()[i] != 1 && a.strides()[i] != b.strides()[i])
            return false;
    return true;
}

} // namespace

/// Accumulators run as soon as they can.
AccumulateNode::AccumulateNode(const Tensor &variable)
    : Node(std::numeric_limits<std::uint64_t>::max()), m_variable(variable)
{
    addInput(variable);
}

Tensors AccumulateNode::apply(Tensors &&gradients)
{
    if (!gradients[0].defined()) // an anchor, which only makes a node part of the graph
        return {};
    Leaf &leaf = *m_variable.data().leaf;
    Tensor arrived = std::move(gradients[0]);
    if (leaf.gradient.defined())
        addInPlace(leaf.gradient, arrived);
    else if (arrived.isOnlyHandle() && hasSameLayout(arrived, m_variable))
        leaf.gradient = arrived.detach();
    else
        leaf.gradient = contiguousCopy(arrived);
    leaf.gradient.storage().markGradient();
    arrived.reset();
    if (leaf.afterAccumulation)
        leaf.afterAccumulation(leaf);
    return {};
}

struct RootNode final : Node
{
    explicit RootNode(std::uint64_t sequence) : Node(sequence) { }
    Tensors dys;
    Tensors apply(Tensors &&) override { return std::move(dys); }
};

struct SinkNode final : Node
{
    explicit SinkNode(std::uint64_t sequence) : Node(sequence) { }
    Tensor dx;
    Tensors apply(Tensors &&gradients) override
    {
        dx = std::move(gradients[0]);
        return {};
    }
};

namespace {

/// Gradients that wait for a node. The engine adds in place only where it holds the last reference.
using InputBuffer = Tensors;

void accumulate(InputBuffer &buffer, std::size_t slot, Tensor &&arrived)
{
    if (!arrived.defined())
        return;
    Tensor &old = buffer[slot];
    if (!old.defined()) {
        old = std::move(arrived);
        return;
    }
    if (old.isOnlyHandle() && old.isOnlyHolderOfStorage() && old.isDense())
        addInPlace(old, arrived);
    else
        old = addedRaw(old, arrived);
}

/// One run of LibTorch's engine on one thread: ready nodes by falling sequence number.
class Engine
{
public:
    void run(const std::shared_ptr<Node> &root)
    {
        countDependencies(root.get());
        push(root, InputBuffer(root->inputs().size()));
        while (!m_ready.empty()) {
            Task task = pop();
            evaluate(task);
        }
    }

private:
    struct Task
    {
        std::shared_ptr<Node> node;
        InputBuffer buffer;
    };
    static bool isLater(const Task &a, const Task &b) { return a.node->sequence() < b.node->sequence(); }

    void push(std::shared_ptr<Node> node, InputBuffer buffer)
    {
        m_ready.push_back({std::move(node), std::move(buffer)});
        std::push_heap(m_ready.begin(), m_ready.end(), isLater);
    }
    Task pop()
    {
        std::pop_heap(m_ready.begin(), m_ready.end(), isLater);
        Task task = std::move(m_ready.back());
        m_ready.pop_back();
        return task;
    }

    void countDependencies(const Node *root)
    {
        std::vector<const Node *> open = {root};
        std::set<const Node *> seen = {root};
        while (!open.empty()) {
            const Node *node = open.back();
            open.pop_back();
            for (const Edge &edge : node->next()) {
                if (!edge.isValid())
                    continue;
                ++m_dependencies[edge.node.get()];
                if (seen.insert(edge.node.get()).second)
                    open.push_back(edge.node.get());
            }
        }
    }

    /// Gradients get the shape and type of what they are for.
    static Tensors call(Node &node, InputBuffer &buffer)
    {
        Tensors inputs = std::move(buffer);
        Tensors outputs = node.apply(std::move(inputs));
        for (std::size_t i = 0; i < outputs.size() && i < node.next().size(); ++i) {
            const Edge &edge = node.next()[i];
            if (!edge.isValid() || !outputs[i].defined())
                continue;
            const Node::Input &wanted = edge.node->inputs()[edge.slot];
            if (outputs[i].sizes() != wanted.sizes)
                outputs[i] = summedTo(outputs[i], wanted.sizes);
            if (outputs[i].type() != wanted.type)
                outputs[i] = castRaw(outputs[i], wanted.type);
        }
        return outputs;
    }

    void evaluate(Task &task)
    {
        Node &node = *task.node;
        Tensors outputs = call(node, task.buffer);
        node.release();
        for (std::size_t i = 0; i < outputs.size() && i < node.next().size(); ++i) {
            const Edge &edge = node.next()[i];
            if (!edge.isValid())
                continue;
            const bool ready = --m_dependencies[edge.node.get()] == 0;
            auto [waiting, isNew] = m_waiting.try_emplace(edge.node.get(), InputBuffer(edge.node->inputs().size()));
            accumulate(waiting->second, edge.slot, std::move(outputs[i]));
            if (!ready)
                continue;
            InputBuffer buffer = std::move(waiting->second);
            m_waiting.erase(waiting);
            push(edge.node, std::move(buffer));
        }
    }

    std::vector<Task> m_ready; // a heap
    std::unordered_map<const Node *, int> m_dependencies;
    std::unordered_map<const Node *, InputBuffer> m_waiting;
};

} // namespace

Tensors forwardSaveMany(const ManyForward &stage, const Tensor &boundary, bool takesGradient, SavedGraph &out)
{
    Tape &tape = boundary.tape();
    const ModeScope graph(tape.gradMode, true);
    Tensor x = boundary.detach();
    if (takesGradient) {
        out.sink = std::make_shared<SinkNode>(tape.nextSequence());
        out.sink->addInput(x);
        x.data().history = {out.sink, 0};
    }
    Tensors outputs = stage(x);
    for (Tensor &y : outputs) {
        out.edges.push_back(y.edge());
        y = y.detach();
    }
    return outputs;
}

Tensor forwardSave(const Forward &stage, const Tensor &boundary, bool takesGradient, SavedGraph &out)
{
    return forwardSaveMany([&](const Tensor &x) { return Tensors{stage(x)}; }, boundary, takesGradient, out).front();
}

Tensor backwardMany(SavedGraph saved, Tensors &&dys)
{
    Tape &tape = dys.front().tape();
    auto root = std::make_shared<RootNode>(tape.nextSequence());
    root->dys = std::move(dys);
    for (Edge &edge : saved.edges)
        root->addNext(std::move(edge));
    saved.edges.clear();
    {
        const ModeScope noGraph(tape.gradMode, false);
        Engine().run(root);
    }
    return saved.sink ? std::move(saved.sink->dx) : Tensor();
}

Tensor backward(SavedGraph saved, Tensor &&dy)
{
    Tensors dys;
    dys.push_back(std::move(dy));
    return backwardMany(std::move(saved), std::move(dys));
}

bool records(const std::vector<const Tensor *> &inputs)
{
    bool any = false;
    const Tape *tape = nullptr;
    for (const Tensor *input : inputs) {
        if (!input || !input->defined())
            continue;
        tape = &input->tape();
        any = any || input->requiresGrad();
    }
    return any && tape->gradMode;
}

void record(Tensor &output, const std::vector<const Tensor *> &inputs, Tensors saved, NativeNode::Work work)
{
    if (!records(inputs))
        return;
    auto node = std::make_shared<NativeNode>(output.tape().nextSequence(), std::move(saved), std::move(work));
    for (const Tensor *input : inputs)
        node->addNext(input && input->defined() ? input->edge() : Edge());
    const std::size_t slot = node->addInput(output);
    output.data().history = {std::move(node), slot};
}

void recordMany(Tensors &outputs, const Tensor &input, Tensors saved, NativeNode::Work work)
{
    if (!records({&input}))
        return;
    const auto node = std::make_shared<NativeNode>(input.tape().nextSequence(), std::move(saved), std::move(work));
    node->addNext(input.edge());
    for (Tensor &output : outputs) {
        const std::size_t slot = node->addInput(output);
        output.data().history = {node, slot};
    }
}

Tensor applyCustom(Tape &tape, const std::vector<const Tensor *> &inputs,
                   const std::function<Tensor(CustomNode &)> &forward, CustomNode::Work backward)
{
    auto node = std::make_shared<CustomNode>(tape.nextSequence());
    const bool recorded = records(inputs);
    std::vector<std::size_t> given;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i] || !inputs[i]->defined())
            continue;
        given.push_back(i);
        if (recorded)
            node->addNext(inputs[i]->edge());
    }
    Tensor output;
    {
        const ModeScope noGraph(tape.gradMode, false);
        output = forward(*node);
    }
    if (!recorded)
        return output;
    node->setWork([given, backward = std::move(backward)](CustomNode &self, Tensors gradients) {
        const Tensors all = backward(self, std::move(gradients));
        Tensors results;
        for (const std::size_t i : given)
            results.push_back(all[i]);
        return results;
    });
    const std::size_t slot = node->addInput(output);
    output.data().history = {std::move(node), slot};
    return output;
}

} // namespace remat::core::formula
