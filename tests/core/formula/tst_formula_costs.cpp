// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QTest>

#include "formula/formula_costs.h"
#include "formula/parts.h"
#include "formula/step_run.h"
#include "schedule/simulator.h"
#include "schedule/strategy.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::core::formula;

namespace {

/// A layer as the papers list it, built from the tape's operators.
struct PaperLayer
{
    std::int64_t batch = 1, seq = 0, width = 0, heads = 0, kvHeads = 0, ffn = 0;
    Element type = Element::bf16;
    enum class Dropout { none, maskOfBytes, noise } dropout = Dropout::none;
    bool flash = false;
    bool gated = false;
};

class PaperRun
{
public:
    explicit PaperRun(const PaperLayer &layer) : m_layer(layer), m_tape(1)
    {
        const ModeScope graph(m_tape.gradMode, true);
        Tensor x = Tensor::make(m_tape, {layer.batch, layer.seq, layer.width}, layer.type);
        x.data().leaf = std::make_shared<Leaf>();
        m_output = feedForward(attention(x));
    }

    /// Bytes that the graph holds: the layer's input counts, its output does not, nor do the norms' statistics.
    Bytes kept() const
    {
        Bytes held = 0;
        for (const Tape::Event &event : m_tape.events())
            held += event.bytes;
        const Bytes statistics = 4 * m_layer.batch * m_layer.seq * sizeOf(m_layer.type);
        return held - m_output.bytes() - statistics;
    }

private:
    Tensor weight(std::int64_t out, std::int64_t in)
    {
        const ModeScope outside(m_tape.permanent, true);
        Tensor made = Tensor::make(m_tape, {out, in}, m_layer.type);
        made.data().leaf = std::make_shared<Leaf>();
        return made;
    }
    Tensor norm(const Tensor &x) { return layerNorm(x, {}, {}, m_layer.width); }
    Tensor dropped(const Tensor &x) const
    {
        if (m_layer.dropout == PaperLayer::Dropout::none)
            return x;
        return m_layer.dropout == PaperLayer::Dropout::noise ? noiseDropout(x) : nativeDropout(x);
    }
    Tensor headsOf(const Tensor &n, std::int64_t heads)
    {
        const std::int64_t size = m_layer.width / m_layer.heads;
        const Tensor flat = linear(n, weight(heads * size, m_layer.width), {});
        return transpose(view(flat, {m_layer.batch, m_layer.seq, heads, size}), 1, 2);
    }
    Tensor scoresTimesValues(const Tensor &q, const Tensor &k, const Tensor &v) const
    {
        if (m_layer.flash)
            return flashAttention(q, k, v, {});
        Tensor scores = matmul(q, transpose(k, -2, -1));
        scale_(scores);
        scores = softmax(scores);
        return matmul(dropped(scores), v);
    }
    Tensor attention(const Tensor &x)
    {
        Tensor out;
        {
            const Tensor n = norm(x);
            const Tensor q = headsOf(n, m_layer.heads);
            const Tensor k = headsOf(n, m_layer.kvHeads);
            const Tensor v = headsOf(n, m_layer.kvHeads);
            out = reshape(transpose(scoresTimesValues(q, k, v), 1, 2), x.sizes());
        }
        return add(x, dropped(linear(out, weight(m_layer.width, m_layer.width), {})));
    }
    Tensor feedForward(const Tensor &x)
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

    PaperLayer m_layer;
    Tape m_tape;
    Tensor m_output;
};

/// GPT as Korthikanti et al. and Narayanan et al. count it.
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

ModelConfig llama70B()
{
    ModelConfig model;
    model.family = "llama";
    model.layers = 80;
    model.width = 8192;
    model.heads = 64;
    model.kvHeads = 8;
    model.headSize = 128;
    model.ffnWidth = 28672;
    model.vocabulary = 128256;
    model.positions = 131072;
    model.activation = Activation::silu;
    model.gatedFfn = true;
    model.norm = NormKind::rmsNorm;
    model.position = PositionKind::rotary;
    return model;
}

Workload workloadFor(const ModelConfig &model, std::int64_t batch, std::int64_t seq)
{
    Workload workload;
    workload.batch = batch;
    workload.seq = seq;
    workload.threads = 1;
    return resolveWorkload(workload, model, 1).value();
}

void addPaperModels()
{
    QTest::addColumn<int>("layers");
    QTest::addColumn<qint64>("width");
    QTest::addColumn<qint64>("heads");
    QTest::addColumn<qint64>("batch");
    QTest::addColumn<double>("flops");
    QTest::addColumn<double>("billions");
    QTest::newRow("22B") << 48 << qint64(6144) << qint64(64) << qint64(4) << 1.143561e15 << 22.07;
    QTest::newRow("175B") << 96 << qint64(12288) << qint64(96) << qint64(64) << 1.410915e17 << 174.62;
    QTest::newRow("530B") << 105 << qint64(20480) << qint64(128) << qint64(280) << 1.852230e18 << 529.60;
    QTest::newRow("1T") << 128 << qint64(25600) << qint64(160) << qint64(512) << 6.425876e18 << 1008.04;
}

} // namespace

class tst_formula_costs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Korthikanti et al., arXiv 2205.05198, equation 1: 34 + 5 a s / h, summed by the tape.
    void paperLayer_keepsThePublishedBytes_data() { addPaperModels(); }
    void paperLayer_keepsThePublishedBytes()
    {
        QFETCH(qint64, width);
        QFETCH(qint64, heads);
        const std::int64_t s = 2048;
        PaperLayer layer{1, s, width, heads, heads, 4 * width};
        layer.dropout = PaperLayer::Dropout::maskOfBytes;
        QCOMPARE(PaperRun(layer).kept(), 34 * s * width + 5 * heads * s * s);
    }

    void layers_keepTheWorkedValues_data()
    {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("dropout");
        QTest::addColumn<bool>("flash");
        QTest::addColumn<bool>("llama");
        QTest::addColumn<qint64>("bytes");
        const int half = int(Element::bf16);
        const int full = int(Element::fp32);
        QTest::newRow("bf16, dropout") << half << 1 << false << false << qint64(213909504) + 503316480;
        QTest::newRow("bf16, flash") << half << 0 << true << false << qint64(201326592) + 393216;
        QTest::newRow("fp32, mask of bytes") << full << 1 << false << false << qint64(415236096) + 905969664;
        QTest::newRow("fp32, noise") << full << 2 << false << false << qint64(452984832) + 1207959552;
        QTest::newRow("fp32, no dropout") << full << 0 << false << false << qint64(402653184) + 402653184;
        QTest::newRow("Llama-3-8B") << half << 0 << true << true << qint64(1375731712) + 1048576;
    }
    void layers_keepTheWorkedValues()
    {
        QFETCH(int, type);
        QFETCH(int, dropout);
        QFETCH(bool, flash);
        QFETCH(bool, llama);
        QFETCH(qint64, bytes);
        PaperLayer layer = llama ? PaperLayer{1, 8192, 4096, 32, 8, 14336} : PaperLayer{8, 1024, 768, 12, 12, 3072};
        layer.type = Element(type);
        layer.dropout = PaperLayer::Dropout(dropout);
        layer.flash = flash;
        layer.gated = llama;
        QCOMPARE(PaperRun(layer).kept(), bytes);
    }

    /// 32 heads, 8 sequences of 1024: what softmax and dropout keep of the scores.
    void attentionScores_keepTheWorkedValues()
    {
        const std::int64_t count = 32LL * 8 * 1024 * 1024;
        const auto keptBy = [&](Element type, bool drops, bool noise) {
            Tape tape(1);
            const ModeScope graph(tape.gradMode, true);
            Tensor scores;
            {
                const ModeScope outside(tape.permanent, true);
                scores = Tensor::make(tape, {8, 32, 1024, 1024}, type);
                scores.data().leaf = std::make_shared<Leaf>();
            }
            Tensor out = softmax(scores);
            if (drops)
                out = noise ? noiseDropout(out) : nativeDropout(out);
            Bytes held = 0;
            for (const Tape::Event &event : tape.events())
                held += event.bytes;
            return held;
        };
        QCOMPARE(keptBy(Element::bf16, true, false), 5 * count);
        QCOMPARE(keptBy(Element::fp32, true, false), 9 * count);
        QCOMPARE(keptBy(Element::fp32, true, true), 12 * count);
        QCOMPARE(keptBy(Element::fp32, false, false), 4 * count);
    }

    /// 12 L h^2 + 13 L h + (v + s) h + 2 h.
    void parameters_areThePublishedOnes_data() { addPaperModels(); }
    void parameters_areThePublishedOnes()
    {
        QFETCH(int, layers);
        QFETCH(qint64, width);
        QFETCH(qint64, heads);
        QFETCH(double, billions);
        const std::int64_t total = countParameters(gptOf(layers, width, heads)).total;
        QCOMPARE(total, 12 * layers * width * width + 13 * layers * width + (51200 + 2048) * width + 2 * width);
        QVERIFY(std::abs(double(total) / 1e9 - billions) < 0.005 + 0.5e-5 * billions);
    }

    /// Products dominate: model FLOPs of an iteration, table 5, and a little for everything else.
    void work_isThePublishedFlops_data() { addPaperModels(); }
    void work_isThePublishedFlops()
    {
        QFETCH(int, layers);
        QFETCH(qint64, width);
        QFETCH(qint64, heads);
        QFETCH(qint64, batch);
        QFETCH(double, flops);
        const ModelConfig model = gptOf(layers, width, heads);
        Workload workload = workloadFor(model, batch, 2048);
        workload.attention = AttentionKernel::math;
        const auto formula = chainFormula(model, workload, {"drop_core"});
        QVERIFY(formula);
        const double ratio = formula->work.stepWork().flops / flops;
        QVERIFY2(ratio > 0.999 && ratio < 1.01, qPrintable(QString::number(ratio, 'f', 6)));
        const OptionWork &dropped = formula->work.stages[1].options.at("drop_core");
        const double products = 4.0 * double(batch) * 2048 * 2048 * double(width);
        QVERIFY(dropped.rebuild.flops >= products && dropped.rebuild.flops < 1.1 * products);
    }

    /// Bytes without memory: a model of 70 billion parameters is counted and simulated.
    void largeModel_isPredictedWithoutMemory()
    {
        const ModelConfig model = llama70B();
        const Workload workload = workloadFor(model, 1, 8192);
        const auto formula = chainFormula(model, workload, {"drop_core", "lean_mlp"});
        QVERIFY(formula);
        const ChainCosts *costs = &formula->costs;
        QVERIFY(costs->source == CostSource::formula);
        QCOMPARE(costs->stages.size(), std::size_t(162));
        QVERIFY(costs->stages[1].options == costs->stages[159].options);
        QCOMPARE(costs->stages[1].output, Bytes(8192) * 8192 * 4);
        QVERIFY(costs->staticBytes > 3 * 4 * countParameters(model).total);
        const auto simulated
            = simulate(makeSchedule(parseStrategy("every:1").value(), chainShape(model, workload)).value(), *costs);
        QVERIFY(simulated && simulated->peak > costs->staticBytes);
        QVERIFY(!formula->approximate);
    }

    void reducedTypesAndDevices_areLabelledApproximate()
    {
        const ModelConfig model = gptOf(2, 256, 4);
        Workload workload = workloadFor(model, 1, 128);
        workload.dtype = Dtype::bf16;
        QVERIFY(chainFormula(model, workload, {})->approximate);
        workload.dtype = Dtype::fp32;
        workload.device = "cuda:0";
        QVERIFY(chainFormula(model, workload, {})->approximate);
    }

    void unknownOption_isAnError()
    {
        const ModelConfig model = gptOf(2, 256, 4);
        const auto costs = chainFormula(model, workloadFor(model, 1, 128), {"drop_all"});
        QVERIFY(!costs);
        QVERIFY(costs.error().message.find("drop_all") != std::string::npos);
    }
};

REMAT_TEST(tst_formula_costs);
#include "tst_formula_costs.moc"
