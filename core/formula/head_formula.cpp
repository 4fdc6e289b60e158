// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "formula/model_formula.h"

namespace remat::core::formula {

namespace {

template <typename Work>
void eachChunk(std::int64_t rowCount, std::int64_t chunks, Work work)
{
    const std::int64_t length = (rowCount + chunks - 1) / chunks;
    for (std::int64_t first = 0; first < rowCount; first += length)
        work(std::min(length, rowCount - first));
}

/// A part of rows; views of contiguous rows are contiguous.
Tensor rowsOf(const Tensor &x, std::int64_t count)
{
    return narrow(x, 0, 0, count);
}

Tensors chunkedBackward(CustomNode &node, Tensors gradients, const RebuildPlan &plan, int chunks)
{
    Tensor x = node.take("x");
    const Tensor flat = rows(x);
    const Tensor targets = node.take("targets");
    Tensor share;
    {
        const Tensor count = node.take("count");
        share = pointwiseRaw(gradients[0], count);
    }
    Tensor dx = plan.takesGradient ? emptyLike(flat) : Tensor();
    eachChunk(flat.size(0), chunks, [&](std::int64_t length) {
        const Tensor part = rowsOf(flat, length);
        const Tensor wanted = rowsOf(targets, length);
        SavedGraph graph;
        const RebuildPlan chunk{[&](const Tensor &rowsOfPart) { return crossEntropy(plan.run(rowsOfPart), wanted); },
                                plan.takesGradient};
        static_cast<void>(chunk.again(part, graph));
        const Tensor dpart = RebuildPlan::backThrough(std::move(graph), Tensor(share));
    });
    return {dx.defined() ? reshapeRaw(dx, x.sizes()) : dx, Tensor()};
}

} // namespace

Tensor chunkedLoss(const Tensor &x, const Tensor &targets, const Rebuild &logits, const Tensor &anchor, int chunks)
{
    Tape &tape = x.tape();
    const RebuildPlan plan = RebuildPlan::of(logits, x);
    const auto forward = [&](CustomNode &node) {
        const Tensor flat = rows(x);
        const Tensor wanted = reshapeRaw(targets, {targets.numel()});
        Tensor count;
        {
            const Tensor counted = Tensor::make(tape, wanted.sizes(), Element::boolean);
            const Tensor sum = Tensor::make(tape, {}, Element::int64);
            count = castRaw(sum, Element::fp32);
        }
        const Tensor sum = Tensor::make(tape, {}, Element::fp32);
        eachChunk(flat.size(0), chunks, [&](std::int64_t length) {
            const Tensor part = rowsOf(flat, length);
            const Tensor wantedPart = rowsOf(wanted, length);
            const Tensor loss = crossEntropy(logits(part), wantedPart);
        });
        node.keep("x", x);
        node.keep("targets", wanted);
        node.keep("count", count);
        return sum;
    };
    return applyCustom(tape, {&x, &anchor}, forward, [plan, chunks](CustomNode &node, Tensors gradients) {
        return chunkedBackward(node, std::move(gradients), plan, chunks);
    });
}

/// Images in patches: [batch, rows * columns, channels * side * side], a copy.
Tensor SizeModel::embedPatches() const
{
    const std::int64_t p = m_model.patchSize;
    const std::int64_t batch = m_input.size(0);
    const std::int64_t channels = m_input.size(1);
    const std::int64_t down = m_input.size(2) / p;
    const std::int64_t across = m_input.size(3) / p;
    const Tensor cut = permute(view(m_input, {batch, channels, down, p, across, p}), {0, 2, 4, 1, 3, 5});
    const Tensor patches = reshape(cut, {batch, down * across, channels * p * p});
    const Tensor x = project(patches, projectionOf("embedding.patches"));
    const Tensor first = expand(matching(find("embedding.class_token"), x), {batch, 1, x.size(-1)});
    return cat({first, x}, 1);
}

Tensor SizeModel::embed() const
{
    Tensor x;
    if (m_model.head == HeadKind::image) {
        x = embedPatches();
    } else {
        x = embedding(find("embedding.tokens.weight"), m_input);
        if (m_model.embeddingScale != 1.0)
            x = mulScalar(x);
    }
    if (m_positions.defined()) {
        const Tensor positions = embedding(find("embedding.positions.weight"), m_positions);
        add_(x, positions);
    }
    if (const Tensor types = find("embedding.types.weight"); types.defined())
        add_(x, select(types, 0));
    if (x.type() != m_type)
        x = cast(x, m_type);
    if (m_sinusoids.defined())
        add_(x, m_sinusoids);
    const double p = m_workload.dropout < 0 ? m_model.embeddingDropout : m_workload.dropout;
    return dropout(normalise(x, normOf("embedding.norm", m_model.embeddingNorm, m_model.width)), p);
}

Tensor SizeModel::runFinal(const Tensor &input) const
{
    if (!m_final.exists() && !m_transform.weight.defined())
        return clone(input);
    Tensor x = normalise(input, m_final);
    if (m_model.head == HeadKind::masked)
        return normalise(activate(m_model.activation, project(x, m_transform)), m_transformNorm);
    if (m_model.head == HeadKind::sequence)
        return dropout(activate(m_model.poolerActivation, project(select(x, 1), m_transform)), residualDropout());
    return x;
}

Tensor SizeModel::logits(const Tensor &input) const
{
    Tensor logits = project(input, m_output);
    if (m_model.logitScale != 1.0)
        scale_(logits);
    if (m_model.finalSoftcap > 0) {
        scale_(logits);
        logits = activation(logits, Pointwise::tanh);
        logits = mulScalar(logits);
    }
    return cast(logits, Element::fp32);
}

Tensor SizeModel::runLoss(const Tensor &input)
{
    Tensor loss;
    if (m_model.head == HeadKind::image) {
        loss = crossEntropy(logits(select(input, 1)), m_targets);
    } else if (m_workload.lossChunks > 0) {
        loss = chunkedLoss(
            input, m_targets, [this](const Tensor &x) { return logits(x); }, m_output.anyTrained(),
            m_workload.lossChunks);
    } else {
        Tensor all = logits(input);
        loss = crossEntropy(rows(all), view(m_targets, {m_targets.numel()}));
        all.reset();
    }
    return m_workload.microBatches > 1 ? divScalar(loss) : loss;
}

Bytes SizeModel::inputBytes() const
{
    return m_input.bytes() + m_targets.bytes();
}

Bytes SizeModel::otherConstantBytes() const
{
    Bytes bytes = 0;
    for (const Tensor *constant : {&m_positions, &m_sinusoids})
        bytes += constant->defined() ? constant->bytes() : 0;
    return bytes;
}

/// Masks and rotary tables of the forms that differ in how attention runs.
Bytes SizeModel::formConstantBytes() const
{
    std::vector<LayerForm> forms;
    Bytes bytes = 0;
    for (std::size_t layer = 0; layer < m_blocks.size(); ++layer) {
        LayerForm form = m_model.formOf(static_cast<int>(layer));
        form.experts = false;
        form.rotary = form.rotary && m_model.position == PositionKind::rotary;
        if (std::find(forms.begin(), forms.end(), form) != forms.end())
            continue;
        forms.push_back(form);
        const AttentionPart &core = m_blocks[layer].attention.core;
        for (const Tensor *constant : {&core.mask, &core.cosines, &core.sines})
            bytes += constant->defined() ? constant->bytes() : 0;
    }
    return bytes;
}

} // namespace remat::core::formula
