// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "core/formula/paper_layer.h"

namespace remat::tests {

using namespace core;
using namespace core::formula;

PaperRun::PaperRun(const PaperLayer &layer) : m_layer(layer), m_tape(1)
{
    if (m_layer.headSize == 0)
        m_layer.headSize = m_layer.width / m_layer.heads;
    const ModeScope graph(m_tape.gradMode, m_layer.recompute != PaperLayer::Recompute::all);
    Tensor x = Tensor::make(m_tape, {layer.batch, layer.seq, layer.width}, layer.type);
    x.data().leaf = std::make_shared<Leaf>();
    if (m_layer.recompute == PaperLayer::Recompute::all)
        m_kept = {x};
    m_output = feedForward(attention(x));
}

Bytes PaperRun::kept() const
{
    Bytes held = 0;
    for (const Tape::Event &event : m_tape.events())
        held += event.bytes;
    const bool norms = m_layer.recompute != PaperLayer::Recompute::all;
    const Bytes statistics = norms ? 4 * m_layer.batch * m_layer.seq * sizeOf(m_layer.type) : 0;
    return held - m_output.bytes() - statistics;
}

Tensor PaperRun::weight(std::int64_t out, std::int64_t in)
{
    const ModeScope outside(m_tape.permanent, true);
    Tensor made = Tensor::make(m_tape, {out, in}, m_layer.type);
    made.data().leaf = std::make_shared<Leaf>();
    return made;
}

Tensor PaperRun::norm(const Tensor &x) const
{
    return layerNorm(x, {}, {}, m_layer.width);
}

Tensor PaperRun::dropped(const Tensor &x) const
{
    if (m_layer.dropout == PaperLayer::Dropout::none)
        return x;
    return m_layer.dropout == PaperLayer::Dropout::noise ? noiseDropout(x) : nativeDropout(x);
}

Tensor PaperRun::headsOf(const Tensor &n, std::int64_t heads)
{
    const Tensor flat = linear(n, weight(heads * m_layer.headSize, m_layer.width), {});
    return transpose(view(flat, {m_layer.batch, m_layer.seq, heads, m_layer.headSize}), 1, 2);
}

Tensor PaperRun::scoresTimesValues(const Tensor &q, const Tensor &k, const Tensor &v) const
{
    if (m_layer.flash)
        return flashAttention(q, k, v, {});
    Tensor scores = matmul(q, transpose(k, -2, -1));
    scale_(scores);
    scores = softmax(scores);
    return matmul(dropped(scores), v);
}

Tensor PaperRun::attention(const Tensor &x)
{
    Tensor out;
    {
        const Tensor n = norm(x);
        const Tensor q = headsOf(n, m_layer.heads);
        const Tensor k = headsOf(n, m_layer.kvHeads);
        const Tensor v = headsOf(n, m_layer.kvHeads);
        const bool again = m_layer.recompute == PaperLayer::Recompute::core;
        if (again)
            m_kept = {q, k, v};
        const ModeScope graph(m_tape.gradMode, m_tape.gradMode && !again);
        const std::int64_t inner = m_layer.heads * m_layer.headSize;
        out = reshape(transpose(scoresTimesValues(q, k, v), 1, 2), {m_layer.batch, m_layer.seq, inner});
    }
    return add(x, dropped(linear(out, weight(m_layer.width, out.size(-1)), {})));
}

Tensor PaperRun::feedForward(const Tensor &x)
{
    const Tensor n = norm(x);
    Tensor a;
    if (m_layer.gated)
        a = mul(activation(linear(n, weight(m_layer.ffn, m_layer.width), {}), Pointwise::silu),
                linear(n, weight(m_layer.ffn, m_layer.width), {}));
    else
        a = activation(linear(n, weight(m_layer.ffn, m_layer.width), {}), Pointwise::gelu);
    return add(x, dropped(linear(a, weight(m_layer.width, m_layer.ffn), {})));
}

ModelConfig gptOf(int layers, std::int64_t width, std::int64_t heads)
{
    ModelConfig model;
    model.family = "gpt2";
    model.layers = layers;
    model.width = width;
    model.heads = model.kvHeads = heads;
    model.headSize = width / heads;
    model.ffnWidth = 4 * width;
    model.vocabulary = 51200;
    model.positions = 2048;
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = true;
    model.tiedHead = true;
    return model;
}

} // namespace remat::tests
