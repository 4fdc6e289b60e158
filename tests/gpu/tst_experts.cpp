// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand.h>

#include <cmath>

#include "gpu/support/engine_fixture.h"
#include "gpu/support/reference_model.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

constexpr int kLayers = 3;
using Choices = std::map<int, at::Tensor>;

Workload workloadOf(const ModelConfig &model, double dropout)
{
    Workload workload = tinyWorkload(model);
    workload.dropout = dropout;
    workload.attentionDropout = 0.0;
    workload.optimizer = OptimizerKind::none;
    workload.gradients = GradientRule::kept;
    return workload;
}

int expertStage(const ModelConfig &model, int layer)
{
    return chainShape(model).firstStageOf(layer + 1) - 1;
}

at::Tensor routerOf(gpu::TorchWorkload &workload, int layer)
{
    return workload.parameters().find("layers." + std::to_string(layer) + ".feed_forward.router.weight");
}

/// Every score of every router is zero, so that all experts tie.
void tieScores(gpu::TorchWorkload &workload)
{
    const at::NoGradGuard noGraph;
    for (int layer = 0; layer < kLayers; ++layer)
        if (at::Tensor router = routerOf(workload, layer); router.defined())
            router.zero_();
}

/// Token t goes to the experts t + shift, t + shift + 1, …
Choices spreadChoices(const ModelConfig &model, const Workload &workload, std::int64_t shift)
{
    const Experts &e = model.experts;
    const at::Tensor tokens = at::arange(workload.batch * workload.seq).unsqueeze(1);
    Choices choices;
    for (int layer = 0; layer < model.layers; ++layer)
        if (model.formOf(layer).experts)
            choices[expertStage(model, layer)] = (tokens + at::arange(e.perToken) + shift).remainder(e.count);
    return choices;
}

/// All tokens go to the first experts.
Choices crowdedChoices(const ModelConfig &model, const Workload &workload)
{
    Choices choices = spreadChoices(model, workload, 0);
    for (auto &[stage, choice] : choices)
        choice = at::arange(model.experts.perToken).expand_as(choice).contiguous();
    return choices;
}

double lossOf(gpu::TorchWorkload &workload, const Schedule &schedule)
{
    const auto outcome = workload.step(schedule, {});
    if (!outcome || outcome->status != RunStatus::done)
        qFatal("%s", outcome ? outcome->reason.c_str() : outcome.error().message.c_str());
    return outcome->loss;
}

/// Back to the first batch: every step has its own.
void startAgain(gpu::TorchWorkload &workload)
{
    if (const auto reset = workload.reset(); !reset)
        qFatal("%s", reset.error().message.c_str());
    fillWithNoise(workload.parameters());
}

/// Passes stages through, writes down what routers chose at each run, and moves their weights by a rounding's worth before
/// a second run: what another order of additions does to scores.
class RoundingStages final : public gpu::StageProvider
{
public:
    explicit RoundingStages(gpu::TorchWorkload &workload) : m_workload(workload), m_inner(workload.model()) { }

    at::Tensor runStage(int stage, const at::Tensor &input, const std::string &option, bool noOutput) override
    {
        const at::Tensor router = routerOf(m_workload, (stage - 1) / 2);
        const bool routed = stage >= 1 && stage % 2 == 0 && router.defined();
        if (routed && !m_chosen[stage].empty()) {
            const at::NoGradGuard noGraph;
            router.detach().add_(at::rand(router.sizes()).sub_(0.5), 1e-5);
            if (forgetFirst)
                m_inner.forget(stage);
        }
        at::Tensor output = m_inner.runStage(stage, input, option, noOutput);
        if (routed)
            m_chosen[stage].push_back(m_inner.choices().at(stage).clone());
        return output;
    }
    at::Tensor runLoss(const at::Tensor &input) override { return m_inner.runLoss(input); }
    void keepLoss(const at::Tensor &loss) override { m_inner.keepLoss(loss); }
    bool drawsRandomNumbers(int stage) const override { return m_inner.drawsRandomNumbers(stage); }
    void forget(int stage) override { m_inner.forget(stage); }

    /// Pairs of token and expert that a second run chose differently, and how many second runs there were.
    [[nodiscard]] std::pair<std::int64_t, int> changes() const
    {
        std::pair<std::int64_t, int> changes{0, 0};
        for (const auto &[stage, runs] : m_chosen)
            for (std::size_t i = 1; i < runs.size(); ++i) {
                changes.first += runs[i].ne(runs[0]).sum().item<std::int64_t>();
                ++changes.second;
            }
        return changes;
    }

    bool forgetFirst = false;

private:
    gpu::TorchWorkload &m_workload;
    gpu::TransformerModel &m_inner;
    std::map<int, std::vector<at::Tensor>> m_chosen;
};

std::vector<std::string> withOptions(const std::vector<std::string> &strategies)
{
    std::vector<std::string> all = strategies;
    for (const char *option : {"lean_mlp", "drop_up", "keep_all_norm", "lean_mlp_norm", "drop_up_norm"})
        for (const char *rule : {"", "every:1+", "segments:2+"})
            all.push_back(std::string(rule) + "selective:" + option);
    return all;
}

} // namespace

class tst_experts : public QObject
{
    Q_OBJECT

    static ModelConfig modelOf(bool shared) { return shared ? tinyQwenMoe(kLayers) : tinyMixtral(kLayers); }
    static void kinds()
    {
        QTest::addColumn<bool>("shared");
        QTest::addRow("mixtral") << false;
        QTest::addRow("qwen2_moe") << true;
    }

private Q_SLOTS:
    void tiedScores_everyStrategy_equalsNone_data() { kinds(); }
    void tiedScores_everyStrategy_equalsNone()
    {
        QFETCH(bool, shared);
        const ModelConfig model = modelOf(shared);
        for (const Dtype dtype : {Dtype::fp32, Dtype::bf16}) {
            Workload settings = workloadOf(model, 0.1);
            settings.dtype = dtype;
            const auto workload = prepared(model, settings);
            fillWithNoise(workload->parameters());
            tieScores(*workload);
            QVERIFY(workload->prove(scheduleOf("none", kLayers), true));
            for (const std::string &strategy : withOptions(strategiesFor(kLayers))) {
                const auto proof = workload->prove(scheduleOf(strategy, kLayers), false);
                QVERIFY2(proof, proof ? "" : proof.error().message.c_str());
                const auto where = QString("%1: %2 differ, first in %3")
                                       .arg(strategy.c_str())
                                       .arg(proof->differingElements)
                                       .arg(proof->firstDifference.c_str());
                QVERIFY2(proof->differingElements == 0, qPrintable(where));
            }
            QVERIFY(workload->model().choices().empty());
        }
    }

    void scoresMovedByRounding_choiceIsReplayed_data() { kinds(); }
    void scoresMovedByRounding_choiceIsReplayed()
    {
        QFETCH(bool, shared);
        const ModelConfig model = modelOf(shared);
        double differences[2] = {};
        for (const bool forget : {false, true}) {
            const auto workload = prepared(model, workloadOf(model, 0.0));
            fillWithNoise(workload->parameters());
            tieScores(*workload);
            QVERIFY(workload->prove(scheduleOf("none", kLayers), true));
            RoundingStages stages(*workload);
            stages.forgetFirst = forget;
            workload->wrapStages(&stages);
            const auto proof = workload->prove(scheduleOf("every:1", kLayers), false);
            workload->wrapStages(nullptr);
            QVERIFY(proof);
            const auto [changed, reruns] = stages.changes();
            QCOMPARE(reruns, shared ? kLayers - 1 : kLayers);
            QVERIFY2((changed > 0) == forget, qPrintable(QString::number(changed)));
            differences[forget ? 1 : 0] = proof->maxAbsDiff;
        }
        // The weights were moved, so nothing is bit-equal; another choice is another function.
        QVERIFY2(differences[0] > 0 && differences[1] > 100 * differences[0],
                 qPrintable(QString("%1 %2").arg(differences[0]).arg(differences[1])));
    }

    void replayedChoices_equalReference_data()
    {
        QTest::addColumn<bool>("shared");
        QTest::addColumn<bool>("crowded");
        for (const bool shared : {false, true})
            for (const bool crowded : {false, true})
                QTest::addRow("%s %s", shared ? "qwen2_moe" : "mixtral", crowded ? "crowded" : "spread")
                    << shared << crowded;
    }
    void replayedChoices_equalReference()
    {
        QFETCH(bool, shared);
        QFETCH(bool, crowded);
        const ModelConfig model = modelOf(shared);
        const Workload settings = workloadOf(model, 0.0);
        const Choices choices = crowded ? crowdedChoices(model, settings) : spreadChoices(model, settings, 1);
        const auto workload = prepared(model, settings);
        fillWithNoise(workload->parameters());
        workload->model().replayChoices(choices);
        const double loss = lossOf(*workload, scheduleOf("segments:2+selective:drop_up", kLayers));
        const ReferenceResult reference = referenceForwardBackward(model, *workload, choices);
        QVERIFY(std::abs(loss - reference.loss) < 1e-5 * reference.loss);
        const auto &inventory = workload->parameters().inventory();
        for (std::size_t i = 0; i < inventory.size(); ++i) {
            const at::Tensor gradient = workload->parameters().tensors()[i].grad();
            const double difference = relativeDifference(gradient, reference.gradients.at(inventory[i].name));
            QVERIFY2(difference < 1e-5, qPrintable(QString("%1 %2").arg(inventory[i].name.c_str()).arg(difference)));
            if (inventory[i].name.find(".experts.") == std::string::npos)
                continue;
            for (std::int64_t expert = 0; expert < model.experts.count; ++expert) {
                const bool served = !crowded || expert < model.experts.perToken;
                QCOMPARE(gradient[expert].abs().max().item<float>() > 0, served);
            }
        }
    }

    void ownChoice_equalsReferenceChoice()
    {
        const ModelConfig model = tinyMixtral(kLayers);
        const auto workload = prepared(model, workloadOf(model, 0.0));
        fillWithNoise(workload->parameters());
        const double loss = lossOf(*workload, scheduleOf("none", kLayers));
        const ReferenceResult reference = referenceForwardBackward(model, *workload);
        QCOMPARE(reference.choices.size(), std::size_t(kLayers));
        startAgain(*workload);
        workload->model().replayChoices(reference.choices);
        QCOMPARE(lossOf(*workload, scheduleOf("none", kLayers)), loss);
    }

    void oneTokensExpert_changed_changesLoss()
    {
        const ModelConfig model = tinyMixtral(kLayers);
        Workload settings = workloadOf(model, 0.0);
        settings.batch = 1;
        const auto workload = prepared(model, settings);
        fillWithNoise(workload->parameters());
        const Schedule schedule = scheduleOf("none", kLayers);
        const Choices choices = crowdedChoices(model, settings);
        const int stage = expertStage(model, kLayers - 1);
        std::vector<double> losses;
        for (std::int64_t token = -1; token < settings.seq; ++token) {
            Choices changed = choices;
            changed[stage] = choices.at(stage).clone();
            if (token >= 0)
                changed[stage][token][1] = 4;
            startAgain(*workload);
            workload->model().replayChoices(changed);
            losses.push_back(lossOf(*workload, schedule));
        }
        for (std::size_t i = 1; i < losses.size(); ++i)
            QVERIFY2(std::abs(losses[i] - losses[0]) > 1e-5, qPrintable(QString("token %1").arg(i - 1)));
    }

    void bytes_anyRouting_areTheSame_data() { kinds(); }
    void bytes_anyRouting_areTheSame()
    {
        QFETCH(bool, shared);
        const ModelConfig model = modelOf(shared);
        for (const Dtype dtype : {Dtype::fp32, Dtype::bf16, Dtype::mixedBf16}) {
            Workload settings = workloadOf(model, 0.1);
            settings.dtype = dtype;
            const auto workload = prepared(model, settings);
            for (const std::string &strategy : withOptions({"none", "every:1"})) {
                std::vector<Recording> recordings;
                for (const Choices &choices : {crowdedChoices(model, settings), crowdedChoices(model, settings),
                                               spreadChoices(model, settings, 2)}) {
                    workload->model().replayChoices(choices);
                    auto recorded = workload->recordStep(scheduleOf(strategy, kLayers), {});
                    QVERIFY(recorded && recorded->outcome.status == RunStatus::done);
                    recordings.push_back(std::move(recorded->recording));
                }
                // The first step also makes the gradients that stay. The scratch of the products, which in half the
                // precision depends on an expert's rows, is counted apart.
                const Recording &crowded = recordings[1];
                const Recording &spread = recordings[2];
                QCOMPARE(crowded.ops.size(), spread.ops.size());
                for (std::size_t i = 0; i < crowded.ops.size(); ++i) {
                    const OpRecord &a = crowded.ops[i];
                    const OpRecord &b = spread.ops[i];
                    QVERIFY2(a.heldAfter == b.heldAfter && a.peak == b.peak,
                             qPrintable(QString("%1 %2: %3 and %4, %5 and %6")
                                            .arg(strategy.c_str(), a.code.c_str())
                                            .arg(a.peak)
                                            .arg(b.peak)
                                            .arg(a.heldAfter)
                                            .arg(b.heldAfter)));
                }
            }
        }
    }
};

REMAT_TEST(tst_experts);
#include "tst_experts.moc"
