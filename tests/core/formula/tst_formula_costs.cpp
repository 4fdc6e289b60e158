// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QTest>

#include "core/advice/advice_models.h"
#include "core/formula/paper_layer.h"
#include "formula/formula_costs.h"
#include "formula/parts.h"
#include "formula/step_run.h"
#include "plan/planned_strategy.h"
#include "schedule/simulator.h"
#include "schedule/strategy.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::core::formula;
using namespace remat::tests;

namespace {

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
        QTest::addColumn<int>("llama");
        QTest::addColumn<qint64>("bytes");
        const int half = int(Element::bf16);
        const int full = int(Element::fp32);
        QTest::newRow("bf16, dropout") << half << 1 << false << 0 << qint64(213909504) + 503316480;
        QTest::newRow("bf16, flash") << half << 0 << true << 0 << qint64(201326592) + 393216;
        QTest::newRow("fp32, mask of bytes") << full << 1 << false << 0 << qint64(415236096) + 905969664;
        QTest::newRow("fp32, noise") << full << 2 << false << 0 << qint64(452984832) + 1207959552;
        QTest::newRow("fp32, no dropout") << full << 0 << false << 0 << qint64(402653184) + 402653184;
        QTest::newRow("Llama-2-7B") << half << 0 << true << 2 << qint64(629145600) + 524288;
        QTest::newRow("Llama-3-8B") << half << 0 << true << 3 << qint64(1375731712) + 1048576;
    }
    void layers_keepTheWorkedValues()
    {
        QFETCH(int, type);
        QFETCH(int, dropout);
        QFETCH(bool, flash);
        QFETCH(int, llama);
        QFETCH(qint64, bytes);
        PaperLayer layer{8, 1024, 768, 12, 12, 3072};
        if (llama > 0)
            layer = llama == 2 ? PaperLayer{1, 4096, 4096, 32, 32, 11008} : PaperLayer{1, 8192, 4096, 32, 8, 14336};
        layer.type = Element(type);
        layer.dropout = PaperLayer::Dropout(dropout);
        layer.flash = flash;
        layer.gated = llama > 0;
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
        // The fused kernel keeps one number a row; what else it keeps are its inputs and its output.
        const PaperLayer fused{32, 1024, 512, 8, 8, 2048, Element::bf16, PaperLayer::Dropout::none, true};
        PaperLayer explicitly = fused;
        explicitly.flash = false;
        QCOMPARE(PaperRun(explicitly).kept() - PaperRun(fused).kept(), 2 * count - 32LL * 8 * 1024 * 4);
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

    /// Who rebuilds does what keep_all does, and something more; without a graph a forward does the same.
    void options_doNoLessWork()
    {
        const auto total = [](const OptionWork &work) {
            WorkAmount sum = work.forwardSave;
            for (const WorkAmount &more : {work.backward, work.rebuild})
                sum += more;
            return sum;
        };
        for (const std::string &name : modelNames()) {
            const ModelConfig model = modelNamed(name, 2);
            for (const Dtype dtype : {Dtype::fp32, Dtype::mixedBf16}) {
                Workload workload = workloadOf(model, 2, 64);
                workload.dtype = dtype;
                const auto formula
                    = chainFormula(model, workload, plannableOptions(chainShape(model, workload))).value();
                for (std::size_t i = 0; i < formula.work.stages.size(); ++i) {
                    const StageWork &stage = formula.work.stages[i];
                    const WorkAmount least = total(stage.options.at(""));
                    for (const auto &[id, option] : stage.options) {
                        const WorkAmount all = total(option);
                        const std::string what = name + ", stage " + std::to_string(i) + ", " + id + ": "
                            + std::to_string(all.flops - least.flops) + " operations, "
                            + std::to_string(all.bytesMoved - least.bytesMoved) + " bytes";
                        QVERIFY2(all.flops >= least.flops && all.bytesMoved >= 0.999 * least.bytesMoved, what.c_str());
                        QVERIFY2(option.phantom.flops <= option.forwardSave.flops, what.c_str());
                        const double apart = std::abs(stage.forward.flops - option.forwardSave.flops);
                        QVERIFY2(apart <= 1e-3 * stage.forward.flops, (what + std::to_string(apart)).c_str());
                    }
                }
            }
        }
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
