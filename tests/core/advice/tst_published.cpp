// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "advice/claims.h"
#include "advice/published.h"

#include <algorithm>
#include <cmath>

#include "core/advice/advice_models.h"
#include "model/parameter_inventory.h"
#include "support/fake_backend.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

/// Every strategy that any formula speaks of, each with numbers of its own.
Reference anyReference()
{
    Reference reference;
    Bytes n = 1000;
    for (const std::string &name : referenceStrategies(ChainShape(9)))
        reference[name] = {2 * n, n, 3 * n, n % 2000 != 0, {name, 2 * n, n, 3 * n, 0.0}}, n += 1000;
    return reference;
}

/// GPT-3 as Korthikanti et al., table 3, have it, on one device with a micro-batch of one.
ModelConfig gpt3()
{
    ModelConfig model;
    model.family = "gpt2";
    model.layers = 96;
    model.width = 12288;
    model.heads = model.kvHeads = 96;
    model.headSize = 128;
    model.ffnWidth = 49152;
    model.vocabulary = 51200;
    model.positions = 2048;
    model.qkvBias = model.attentionOutBias = model.ffnBias = model.normBias = true;
    model.tiedHead = true;
    return model;
}

/// Gated and narrow, nine layers, untied.
ModelConfig smallLlama()
{
    ModelConfig model;
    model.family = "llama";
    model.layers = 9;
    model.width = 64;
    model.heads = 4;
    model.kvHeads = 2;
    model.headSize = 16;
    model.ffnWidth = 176;
    model.vocabulary = 1000;
    model.positions = 256;
    model.activation = Activation::silu;
    model.gatedFfn = true;
    model.norm = NormKind::rmsNorm;
    model.position = PositionKind::rotary;
    return model;
}

struct Wanted
{
    const char *name;
    const char *strategy;
    const char *what;
    double value;
};

constexpr const char *kActivations = "activation peak";
constexpr const char *kPeak = "peak";
constexpr const char *kTime = "step time against none";

/// Empty where the values are exactly the wanted ones, each beside the right number of the reference.
std::string problemOf(const std::vector<PublishedValue> &values, std::vector<Wanted> wanted, const Reference &reference)
{
    if (values.size() != wanted.size())
        return std::to_string(values.size()) + " values";
    for (const PublishedValue &value : values) {
        const auto one = std::find_if(wanted.begin(), wanted.end(), [&](const Wanted &w) {
            return value.name == w.name && value.strategy == w.strategy && value.what == w.what;
        });
        const std::string what = value.name + ", " + value.strategy + ", " + value.what + ": ";
        if (one == wanted.end())
            return what + "not wanted, or twice";
        if (std::abs(value.value / one->value - 1) > 1e-12)
            return what + std::to_string(value.value) + " instead of " + std::to_string(one->value);
        const ReferencePoint &point = reference.at(value.strategy);
        const ReferencePoint &none = reference.at("none");
        const double ours = value.what == kActivations ? double(point.activationPeak)
            : value.what == kPeak                      ? double(point.peak)
                                                       : double(point.step) / double(none.step);
        if (value.ours != ours)
            return what + "beside another number";
        if (value.measured != (point.measured && (value.what != kTime || none.measured)))
            return what + "measured or not";
        if (std::abs((1 + value.error()) * ours - value.value) > 1e-9 * value.value)
            return what + "another error";
        if ((value.quantity == PublishedValue::Quantity::timeFactor) != (value.what == kTime))
            return what + "another quantity";
        wanted.erase(one);
    }
    return {};
}

std::string problemOf(const ModelConfig &model, const Workload &workload, std::vector<Wanted> wanted)
{
    const Reference reference = anyReference();
    return problemOf(publishedValues(model, workload, reference), std::move(wanted), reference);
}

} // namespace

class tst_published : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// Each formula worked out by hand for 175 billion parameters, s = 2048, b = 1, in 16 bits.
    void gpt3_hasTheWorkedValues()
    {
        Workload workload = workloadOf(gpt3(), 1, 2048);
        workload.dtype = Dtype::bf16;
        const std::vector<Wanted> wanted{
            {"Korthikanti et al. 2022", "none", kActivations, 275'960'037'376.0},
            {"Korthikanti et al. 2022", "selective:attention", kActivations, 82'686'509'056.0},
            {"Korthikanti et al. 2022", "every:1", kActivations, 5'377'097'728.0},
            {"Megatron-LM script", "selective:attention", kActivations, 82'686'525'440.0},
            {"Megatron-LM script", "selective:attention", kPeak, 3'225'771'769'856.0},
            {"EleutherAI cookbook", "none", kActivations, 275'414'777'856.0},
            {"EleutherAI cookbook", "every:1", kActivations, 82'141'249'536.0},
            {"accelerate estimate-memory", "none", kPeak, 1'396'926'775'296.0},
            {"agentcalc.com", "none", kActivations, 9'663'676'416.0},
            {"agentcalc.com", "every:1", kActivations, 100'663'296.0},
            {"agentcalc.com", "segments:2", kActivations, 201'326'592.0},
            {"agentcalc.com", "segments:4", kActivations, 402'653'184.0},
            {"agentcalc.com", "every:1", kTime, 49.0},
            {"agentcalc.com", "segments:2", kTime, 25.0},
            {"agentcalc.com", "segments:4", kTime, 13.0},
            {"Ultra-Scale Playbook calculator", "none", kActivations, 275'960'037'376.0},
            {"Ultra-Scale Playbook calculator", "selective:attention", kActivations, 82'686'509'056.0},
            {"Ultra-Scale Playbook calculator", "every:1", kActivations, 5'377'097'728.0},
            {"√L rule", "sqrt", kActivations, 28'689'039'360.0},
            {"√L rule", "sqrt", kTime, 1.33},
            {"one more forward", "every:1", kTime, 4.0 / 3.0}};
        const std::string wrong = problemOf(gpt3(), workload, wanted);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    /// The same from sums over tokens and channels, for a gated model in fp32.
    void smallModel_hasTheValuesOfNaiveSums()
    {
        const ModelConfig model = smallLlama();
        const std::int64_t s = 128, b = 3, h = 64, a = 4, v = 1000, f = 176;
        std::int64_t token = 0; // of one layer, without scores
        for (const int bytes : {2 + 2, 2, 4 + 2, 2, 1, 2 + 8 + 8 + 1})
            token += bytes * h; // norms, input, queries to values, output, mask, feed-forward of 4 h
        const std::int64_t plain = token * s * b;
        const std::int64_t scores = (2 + 1 + 2) * a * s * s * b;
        const std::int64_t edges = s * b * h * (1 + 2 + 2) + s * b * v * 4;
        const std::int64_t script
            = 9 * s * b * (18 * h + 4 * f) + 2 * 4 * s * b + s * b * h + s * b * 4 * h + s * b * 4 * v;
        const std::int64_t weights = countParameters(model).total;
        // The page: e = 4.
        const std::int64_t projections = s * b * h * (4 * 5 + 1);
        const std::int64_t pageScores = a * s * s * b * (4 + 4 + 1);
        const std::int64_t gated = s * b * (h * 4 + 4 * f * 4 + h);
        const std::int64_t norms = s * b * h * (4 + 4);
        const std::int64_t pageEdges = s * b * (h + h * 4 + h * 4 + v * 4);
        const std::vector<Wanted> wanted{
            {"Korthikanti et al. 2022", "none", kActivations, double(9 * (plain + scores) + edges)},
            {"Korthikanti et al. 2022", "selective:attention", kActivations, double(9 * plain + edges)},
            {"Korthikanti et al. 2022", "every:1", kActivations, double(9 * 2 * s * b * h + edges)},
            {"Megatron-LM script", "selective:attention", kActivations, double(script)},
            {"Megatron-LM script", "selective:attention", kPeak, double(script + weights * (2 + 4 + 4 + 8))},
            {"EleutherAI cookbook", "none", kActivations, double(9 * (plain + scores))},
            {"EleutherAI cookbook", "every:1", kActivations, double(9 * plain)},
            {"accelerate estimate-memory", "none", kPeak, double(weights * 4 * 4)},
            {"agentcalc.com", "none", kActivations, double(2 * h * s * 9 * b * 4)},
            {"agentcalc.com", "every:1", kActivations, double(2 * h * s * b * 4)},
            {"agentcalc.com", "segments:2", kActivations, double(2 * h * s * 2 * b * 4)},
            {"agentcalc.com", "segments:4", kActivations, double(2 * h * s * 4 * b * 4)},
            {"agentcalc.com", "every:1", kTime, 5.5},
            {"agentcalc.com", "segments:2", kTime, 3.25},
            {"agentcalc.com", "segments:4", kTime, 2.125},
            {"Ultra-Scale Playbook calculator", "none", kActivations,
             double(9 * (projections + pageScores + gated + norms) + pageEdges)},
            {"Ultra-Scale Playbook calculator", "selective:attention", kActivations,
             double(9 * (projections + gated + norms) + pageEdges)},
            {"Ultra-Scale Playbook calculator", "every:1", kActivations, double(9 * s * b * h * 4 + pageEdges)},
            {"√L rule", "sqrt", kActivations, double(3 * 2 * (plain + scores))},
            {"√L rule", "sqrt", kTime, 1.33},
            {"one more forward", "every:1", kTime, 4.0 / 3.0}};
        const std::string wrong = problemOf(model, workloadOf(model, b, s), wanted);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void formulas_ofStrategiesThatAModelLacks_areLeftOut()
    {
        const ModelConfig model = tinyModel(2);
        const Workload workload = workloadOf(model, 2, 16);
        const auto costs = byFake()(model, workload)->costs;
        const Reference reference = referenceOf(model, workload, costs, {}).value();
        QVERIFY(!reference.contains("segments:2") && !reference.contains("every:4"));
        const auto values = publishedValues(model, workload, reference);
        QVERIFY(values.size() > 12);
        for (const PublishedValue &value : values)
            QVERIFY(reference.contains(value.strategy));
        QVERIFY(publishedValues(model, workload, {}).empty());
    }

    void reference_isPredicted_untilMeasured()
    {
        const ModelConfig model = tinyModel(6);
        const Workload workload = workloadOf(model, 2, 16);
        const auto costs = byFake()(model, workload)->costs;
        std::vector<Point> points(4);
        const char *names[]{"every:1", "sqrt", "segments:2", "budget:12345"};
        for (std::size_t i = 0; i < points.size(); ++i) {
            points[i].strategy = names[i];
            points[i].status = i == 1 ? RunStatus::doesNotFit : RunStatus::done;
            points[i].step = {Nanoseconds(77 + i), 70, 90, i == 2 ? 0 : 5};
            points[i].peakBytes = 1000 + Bytes(i);
            points[i].activationPeakBytes = 500 + Bytes(i);
        }
        const Reference reference = referenceOf(model, workload, costs, points).value();
        for (const std::string &name : referenceStrategies(chainShape(model, workload))) {
            const ReferencePoint &point = reference.at(name);
            QCOMPARE(point.measured, name == "every:1");
            const Simulation simulation = simulationOf(name, model, workload, costs);
            QCOMPARE(point.peak, name == "every:1" ? Bytes(1000) : simulation.peak);
            QCOMPARE(point.activationPeak, name == "every:1" ? Bytes(500) : simulation.activationPeak);
            QCOMPARE(point.step, name == "every:1" ? Nanoseconds(77) : simulation.stepNs);
        }
        QVERIFY(reference.at("budget:12345").measured);
        for (const PublishedValue &value : publishedValues(model, workload, reference)) {
            const bool time = value.quantity == PublishedValue::Quantity::timeFactor;
            QCOMPARE(value.measured, value.strategy == "every:1" && !time); // none is only predicted
        }
    }

    /// Times of two sources have no ratio: where one of two is not measured, both are predicted.
    void againstNone_takesBothFromOneSource()
    {
        const ModelConfig model = tinyModel(6);
        const Workload workload = workloadOf(model, 2, 16);
        const auto costs = byFake()(model, workload)->costs;
        const auto names = referenceStrategies(chainShape(model, workload));
        const auto at = [&](const std::vector<Point> &points, const std::string &strategy) {
            return againstNone(referenceOf(model, workload, costs, points).value(), strategy).value();
        };
        std::vector<Point> all(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            all[i].strategy = names[i];
            all[i].status = RunStatus::done;
            all[i].step = {Nanoseconds(1'000'000'000'000 * (i + 1)), 70, 90, 5}; // another machine altogether
            all[i].peakBytes = Bytes(9000 * (i + 1));
            all[i].activationPeakBytes = Bytes(7000 * (i + 1));
        }
        QCOMPARE(names.front(), std::string("none"));
        for (std::size_t i = 1; i < names.size(); ++i) {
            const auto predicted = at({}, names[i]);
            for (const auto &points : {std::vector<Point>{all[0]}, std::vector<Point>{all[i]}}) {
                const auto share = at(points, names[i]);
                QVERIFY2(!share.measured && share.step == predicted.step && share.peak == predicted.peak
                             && share.activationPeak == predicted.activationPeak,
                         names[i].c_str());
            }
            const auto share = at({all[0], all[i]}, names[i]);
            QVERIFY(share.measured && share.step == double(i + 1) && share.peak == double(i + 1));
        }
        // Every published value and claim keeps to it, whichever of the points did not fit.
        for (std::size_t lost = 0; lost < all.size(); ++lost) {
            std::vector<Point> points = all;
            points[lost].status = RunStatus::doesNotFit;
            const Reference reference = referenceOf(model, workload, costs, points).value();
            for (const PublishedValue &value : publishedValues(model, workload, reference))
                if (value.quantity == PublishedValue::Quantity::timeFactor)
                    QCOMPARE(value.ours, at(points, value.strategy).step);
            for (const Claim &claim : testedClaims(model, workload, reference))
                for (const ClaimedNumber &number : claim.numbers)
                    QVERIFY2(number.isBytes || number.ours < 20.0, claim.id.c_str());
        }
    }

    /// A measured strategy whose options nobody probed has no ratio to a `none` that was not measured.
    void againstNone_isNothing_whereOneSourceLacksAnEnd()
    {
        const ModelConfig model = tinyModel(6);
        const Workload workload = workloadOf(model, 2, 16);
        Point point;
        point.strategy = "selective:attention";
        point.status = RunStatus::done;
        point.step = {7, 6, 8, 5};
        const auto costs = fakeCosts(model, workload, {"lean_mlp"});
        const Reference reference = referenceOf(model, workload, costs, {point}).value();
        QVERIFY(!againstNone(reference, "selective:attention"));
        QVERIFY(!againstNone(reference, "never heard of") && !againstNone({}, "none"));
        for (const Claim &claim : testedClaims(model, workload, reference))
            QVERIFY(claim.strategy != "selective:attention");
        for (const PublishedValue &value : publishedValues(model, workload, reference))
            QVERIFY(value.strategy != "selective:attention" || value.measured); // its own bytes remain
    }

    /// A session holds costs of what it measured.
    void reference_leavesOutWhatWasNotProbed()
    {
        const ModelConfig model = tinyModel(6);
        const Workload workload = workloadOf(model, 2, 16);
        const auto probed = fakeCosts(model, workload, {"lean_mlp"});
        const Reference reference = referenceOf(model, workload, probed, {}).value();
        QVERIFY(reference.contains("none") && !reference.contains("selective:attention"));
        QCOMPARE(reference.size(), referenceStrategies(chainShape(model, workload)).size() - 1);
        Point point;
        point.strategy = "selective:attention";
        point.status = RunStatus::done;
        point.step = {7, 6, 8, 5};
        QVERIFY(referenceOf(model, workload, probed, {point}).value().contains("selective:attention"));
        ChainCosts broken = probed;
        broken.stages.pop_back();
        QVERIFY(!referenceOf(model, workload, broken, {}));
    }

    void strategies_areThoseOfTheDepth()
    {
        for (int layers = 1; layers < 8; ++layers) {
            const auto names = referenceStrategies(ChainShape(layers));
            const auto has = [&](const char *name) { return std::count(names.begin(), names.end(), name) == 1; };
            QVERIFY(has("none") && has("every:1") && has("sqrt") && has("input-only") && has("selective:attention"));
            QCOMPARE(has("segments:2"), layers > 2);
            QCOMPARE(has("segments:4"), layers > 4);
            QCOMPARE(has("every:4"), layers > 4);
            for (const std::string &name : names)
                QVERIFY(makeSchedule(parseStrategy(name).value(), ChainShape(layers)));
        }
    }

    void json_hasTheErrorOfEach()
    {
        const auto values = publishedValues(smallLlama(), workloadOf(smallLlama(), 3, 128), anyReference());
        const Json json = toJson(values);
        QCOMPARE(json.size(), values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Json &one = json[i];
            QCOMPARE(one.size(), std::size_t(9));
            QCOMPARE(one.at("value").get<double>() / one.at("ours").get<double>() - 1, one.at("error").get<double>());
            QCOMPARE(one.at("measured").get<bool>(), values[i].measured);
            QVERIFY(!one.at("source").get<std::string>().empty() && !one.at("formula").get<std::string>().empty());
        }
        QCOMPARE(PublishedValue{}.error(), 0.0);
    }
};

REMAT_TEST(tst_published);
#include "tst_published.moc"
