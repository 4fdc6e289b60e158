// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cmath>
#include <functional>

#include "gpu/support/engine_fixture.h"
#include "gpu/support/reference_model.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

constexpr int kLayers = 2;
constexpr double kTolerance = 1e-5; // of a gradient's largest element; fp32 against fp64 was 3.2e-6 at most

struct Feature
{
    const char *name;
    ModelConfig model;
    std::function<void(ModelConfig &)> change;
};

Workload withoutDropout(const ModelConfig &model, AttentionKernel kernel)
{
    Workload workload = tinyWorkload(model);
    workload.attention = model.attentionSoftcap > 0 ? AttentionKernel::math : kernel;
    workload.dropout = workload.attentionDropout = 0.0;
    workload.optimizer = OptimizerKind::none;
    workload.gradients = GradientRule::kept;
    return workload;
}

/// The engine's loss under `none`; fails the test where loss or a gradient is not the reference's.
void compareWithReference(const ModelConfig &model, AttentionKernel kernel, double &loss)
{
    const auto workload = prepared(model, withoutDropout(model, kernel));
    fillWithNoise(workload->parameters());
    const auto outcome = workload->step(scheduleOf("none", chainShape(model)), {});
    QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
    loss = outcome->loss;
    const ReferenceResult reference = referenceForwardBackward(model, *workload);
    QVERIFY2(std::abs(loss - reference.loss) < 1e-5 * reference.loss,
             qPrintable(QString("loss %1, expected %2").arg(loss, 0, 'g', 9).arg(reference.loss, 0, 'g', 9)));
    const auto &inventory = workload->parameters().inventory();
    QCOMPARE(reference.gradients.size(), inventory.size());
    double worst = 0;
    std::string where;
    for (std::size_t i = 0; i < inventory.size(); ++i) {
        const at::Tensor gradient = workload->parameters().tensors()[i].grad();
        const double difference = relativeDifference(gradient, reference.gradients.at(inventory[i].name));
        if (!(difference <= worst)) {
            worst = difference;
            where = inventory[i].name;
        }
    }
    QVERIFY2(worst < kTolerance, qPrintable(QString("gradient of %1 is off by %2").arg(where.c_str()).arg(worst)));
}

std::vector<Feature> attentionFeatures()
{
    return {
        {"score cap", tinyGemma2(kLayers), [](ModelConfig &m) { m.attentionSoftcap = 0.0; }},
        {"attention scale", tinyGemma2(kLayers), [](ModelConfig &m) { m.attentionScale = 0.0; }},
        {"scale of one", tinyGptNeo(kLayers), [](ModelConfig &m) { m.attentionScale = 0.0; }},
        {"alternating windows", tinyGptNeo(kLayers), [](ModelConfig &m) { m.layerForms.clear(); }},
        {"which layer has the window", tinyGptNeo(kLayers),
         [](ModelConfig &m) { std::swap(m.layerForms[0], m.layerForms[1]); }},
        {"window", tinyQwen3(kLayers), [](ModelConfig &m) { m.slidingWindow = 0; }},
        {"width of the window", tinyQwen3(kLayers), [](ModelConfig &m) { m.slidingWindow = 4; }},
        {"window of an encoder", tinyBert(kLayers), [](ModelConfig &m) { m.slidingWindow = 3; }},
        {"norm of queries and keys", tinyQwen3(kLayers), [](ModelConfig &m) { m.qkNorm = QkNorm::none; }},
        {"LayerNorm per head", tinyQwen3(kLayers), [](ModelConfig &m) { m.qkNorm = QkNorm::headLayer; }},
        {"norm over all heads", tinyOlmo2(kLayers), [](ModelConfig &m) { m.qkNorm = QkNorm::headRms; }},
        {"clip", tinyLlama(kLayers), [](ModelConfig &m) { m.qkvClip = 0.5; }},
        {"bias of the product", tinyQwenMoe(kLayers), [](ModelConfig &m) { m.qkvBias = false; }},
        {"one key head", tinyLlama(kLayers), [](ModelConfig &m) { m.kvHeads = 1; }},
        {"odd grouping", tinyBloom(kLayers), [](ModelConfig &m) { m.kvHeads = 2; }},
    };
}

std::vector<Feature> positionFeatures()
{
    const auto windows = [](ModelConfig m) {
        m.slidingWindow = 5;
        m.layerForms = {{true, false, true}, {false, false, true}};
        return m;
    };
    const auto scaled = [](RopeKind kind) {
        return [kind](ModelConfig &m) {
            m.ropeScaling = {kind, 4.0, 1.0, 4.0, 4.0, 1.0, 1.3, 8.0, {1.0, 1.5, 2.0, 3.0}};
            m.rotaryFraction = 1.0;
            m.ropeTheta = 50.0;
        };
    };
    return {
        {"ALiBi", tinyBloom(kLayers), [](ModelConfig &m) { m.position = PositionKind::none; }},
        {"ALiBi in an encoder", tinyBert(kLayers), [](ModelConfig &m) { m.position = PositionKind::alibi; }},
        {"ALiBi with a window", tinyBloom(kLayers), [](ModelConfig &m) { m.slidingWindow = 6; }},
        {"sinusoids", tinyGpt(kLayers), [](ModelConfig &m) { m.position = PositionKind::sinusoidal; }},
        {"learned positions", tinyGpt(kLayers), [](ModelConfig &m) { m.position = PositionKind::none; }},
        {"offset of the positions", tinyOpt(kLayers), [](ModelConfig &m) { m.positionOffset = 0; }},
        {"rotated share", tinyLlama(kLayers), [](ModelConfig &m) { m.rotaryFraction = 1.0; }},
        {"rotary in an encoder", tinyBert(kLayers), [](ModelConfig &m) { m.position = PositionKind::rotary; }},
        {"base", tinyLlama(kLayers), [](ModelConfig &m) { m.ropeTheta = 100.0; }},
        {"linear scaling", tinyLlama(kLayers), scaled(RopeKind::linear)},
        {"llama3 scaling", tinyLlama(kLayers), scaled(RopeKind::llama3)},
        {"yarn", tinyLlama(kLayers), scaled(RopeKind::yarn)},
        {"longrope", tinyLlama(kLayers), scaled(RopeKind::longrope)},
        {"base of windowed layers", windows(tinyLlama(kLayers)), [](ModelConfig &m) { m.ropeThetaWindowed = 20.0; }},
        {"layer without rotation", windows(tinyLlama(kLayers)), [](ModelConfig &m) { m.layerForms[1].rotary = false; }},
    };
}

std::vector<Feature> normFeatures()
{
    const auto placed
        = [](NormPlacement placement) { return [placement](ModelConfig &m) { m.normPlacement = placement; }; };
    return {
        {"post-norm decoder", tinyGpt(kLayers), placed(NormPlacement::post)},
        {"LayerNorm sandwich", tinyGpt(kLayers), placed(NormPlacement::sandwich)},
        {"LayerNorm on the branch", tinyGpt(kLayers), placed(NormPlacement::branch)},
        {"post-norm with RMSNorm", tinyOlmo2(kLayers), placed(NormPlacement::post)},
        {"sandwich", tinyGemma2(kLayers), placed(NormPlacement::pre)},
        {"pre-norm encoder", tinyBert(kLayers),
         [](ModelConfig &m) {
             m.normPlacement = NormPlacement::pre;
             m.finalNorm = true;
         }},
        {"norms without weights", tinyLlama(kLayers), [](ModelConfig &m) { m.normWeight = false; }},
        {"LayerNorm without weights", tinyLlama(kLayers),
         [](ModelConfig &m) {
             m.norm = NormKind::layerNorm;
             m.normWeight = false;
         }},
        {"LayerNorm without bias", tinyGpt(kLayers), [](ModelConfig &m) { m.normBias = false; }},
        {"epsilon", tinyLlama(kLayers), [](ModelConfig &m) { m.normEpsilon = 1e-2; }},
        {"epsilon of the head", tinyBert(kLayers), [](ModelConfig &m) { m.headNormEpsilon = 0.0; }},
        {"embedding norm", tinyBloom(kLayers), [](ModelConfig &m) { m.embeddingNorm = false; }},
        {"no final norm", tinyGpt(kLayers), [](ModelConfig &m) { m.finalNorm = false; }},
        {"parallel halves", tinyNeox(kLayers), [](ModelConfig &m) { m.parallelResidual = m.parallelTwoNorms = false; }},
        {"one parallel norm", tinyNeox(kLayers), [](ModelConfig &m) { m.parallelTwoNorms = false; }},
        {"two parallel norms", tinyPhi(kLayers), [](ModelConfig &m) { m.parallelTwoNorms = true; }},
    };
}

std::vector<Feature> otherFeatures()
{
    const auto active
        = [](Activation activation) { return [activation](ModelConfig &m) { m.activation = activation; }; };
    return {
        {"erf instead of tanh", tinyGpt(kLayers), active(Activation::gelu)},
        {"relu", tinyGpt(kLayers), active(Activation::relu)},
        {"squared relu", tinyOpt(kLayers), active(Activation::reluSquared)},
        {"silu", tinyOpt(kLayers), active(Activation::silu)},
        {"tanh", tinyOpt(kLayers), active(Activation::tanh)},
        {"gated relu", tinyLlama(kLayers), active(Activation::relu)},
        {"gated squared relu", tinyLlama(kLayers), active(Activation::reluSquared)},
        {"gated gelu", tinyPhi(kLayers), [](ModelConfig &m) { m.gatedFfn = true; }},
        {"bias of the feed-forward", tinyGpt(kLayers), [](ModelConfig &m) { m.ffnBias = false; }},
        {"scale of the embedding", tinyGemma(kLayers), [](ModelConfig &m) { m.embeddingScale = 1.0; }},
        {"token types", tinyBert(kLayers), [](ModelConfig &m) { m.tokenTypes = 0; }},
        {"cap of the logits", tinyGemma2(kLayers), [](ModelConfig &m) { m.finalSoftcap = 0.0; }},
        {"scale of the logits", tinyCohere(kLayers), [](ModelConfig &m) { m.logitScale = 1.0; }},
        {"tied head", tinyGpt(kLayers), [](ModelConfig &m) { m.tiedHead = false; }},
        {"bias of a tied head", tinyGpt(kLayers), [](ModelConfig &m) { m.headBias = true; }},
        {"bias of the head", tinyPhi(kLayers), [](ModelConfig &m) { m.headBias = false; }},
        {"masked instead of next tokens", tinyBert(kLayers), [](ModelConfig &m) { m.head = HeadKind::causal; }},
        {"pooler", tinyClassifier(kLayers), [](ModelConfig &m) { m.poolerActivation = Activation::relu; }},
        {"one channel", tinyVit(kLayers), [](ModelConfig &m) { m.channels = 1; }},
        {"experts", tinyMixtral(kLayers), [](ModelConfig &m) { m.experts = {}; }},
        {"experts per token", tinyMixtral(kLayers), [](ModelConfig &m) { m.experts.perToken = 3; }},
        {"one expert per token", tinyQwenMoe(kLayers), [](ModelConfig &m) { m.experts.perToken = 1; }},
        {"sum of the chosen", tinyMixtral(kLayers), [](ModelConfig &m) { m.experts.normaliseTopK = false; }},
        {"shared expert", tinyQwenMoe(kLayers),
         [](ModelConfig &m) {
             m.experts.sharedWidth = 0;
             m.experts.sharedGate = false;
         }},
        {"gate of the shared expert", tinyQwenMoe(kLayers), [](ModelConfig &m) { m.experts.sharedGate = false; }},
        {"experts without gates", tinyMixtral(kLayers), [](ModelConfig &m) { m.gatedFfn = false; }},
        {"experts on the branch", tinyMixtral(kLayers),
         [](ModelConfig &m) { m.normPlacement = NormPlacement::branch; }},
        {"experts and post-norm", tinyMixtral(kLayers), [](ModelConfig &m) { m.normPlacement = NormPlacement::post; }},
        {"experts in parallel", tinyMixtral(kLayers), [](ModelConfig &m) { m.parallelResidual = true; }},
    };
}

std::vector<Feature> allFeatures()
{
    std::vector<Feature> all;
    for (const auto &part : {attentionFeatures(), positionFeatures(), normFeatures(), otherFeatures()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

} // namespace

/// The engine's blocks against the independent reference: the same loss and the same gradient of every parameter.
class tst_blocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tinyModel_none_equalsReference_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<bool>("math");
        int index = 0;
        for (const NamedModel &named : allTinyModels(kLayers)) {
            for (const bool math : {false, true})
                if (math || named.model.attentionSoftcap == 0.0)
                    QTest::addRow("%s %s", named.name.c_str(), math ? "math" : "sdpa") << index << math;
            ++index;
        }
    }
    void tinyModel_none_equalsReference()
    {
        QFETCH(int, index);
        QFETCH(bool, math);
        const ModelConfig model = allTinyModels(kLayers)[static_cast<std::size_t>(index)].model;
        double loss = 0;
        compareWithReference(model, math ? AttentionKernel::math : AttentionKernel::sdpa, loss);
    }

    void feature_changed_changesLossAsReferenceSays_data()
    {
        QTest::addColumn<int>("index");
        int index = 0;
        for (const Feature &feature : allFeatures())
            QTest::addRow("%s", feature.name) << index++;
    }
    void feature_changed_changesLossAsReferenceSays()
    {
        QFETCH(int, index);
        const Feature feature = allFeatures()[static_cast<std::size_t>(index)];
        ModelConfig changed = feature.model;
        feature.change(changed);
        for (const AttentionKernel kernel : {AttentionKernel::sdpa, AttentionKernel::math}) {
            double before = 0;
            double after = 0;
            compareWithReference(feature.model, kernel, before);
            compareWithReference(changed, kernel, after);
            if (QTest::currentTestFailed())
                return;
            QVERIFY2(std::abs(after - before) > 2e-6 * before,
                     qPrintable(QString("loss %1 before and %2 after").arg(before).arg(after)));
        }
    }
};

REMAT_TEST(tst_blocks);
#include "tst_blocks.moc"
