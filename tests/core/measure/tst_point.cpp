// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "measure/point.h"

#include <cmath>
#include <limits>

#include "support/test_registry.h"

using namespace remat::core;

namespace {

Environment measuredEnvironment()
{
    return {"a cpu",
            4,
            2,
            1 << 30,
            "Debian",
            "2.11.0",
            "cpu",
            "flash (cpu)",
            "highest",
            "requested bytes",
            5,
            "0.1.0",
            "max_split_size_mb:64",
            1980,
            "",
            "580.65.06",
            2619,
            700,
            41,
            3000,
            2000,
            ""};
}

Point measuredPoint()
{
    Point point;
    point.run = 7;
    point.strategy = "every:2";
    point.status = RunStatus::done;
    point.model = "tiny";
    point.batch = 4;
    point.seq = 64;
    point.microBatches = 2;
    point.dtype = "fp32";
    point.attention = "sdpa";
    point.device = "cpu";
    point.grads = "freed";
    point.optimizer = "sgd:0.9";
    point.train = "lora:8";
    point.lossMode = "chunked:4";
    point.lossDtype = "fp32";
    point.attentionWhy = "the head size is above 256";
    point.recomputeAttentionNs = 7;
    point.recomputeFfnNs = 5;
    point.recomputeNormNs = 2;
    point.randomStateNs = 1;
    point.segmentsRecomputed = point.segmentsTotal = 2;
    point.skippedSteps = 3;
    point.missingGradients = 0;
    point.updateInBackward = true;
    point.deviceUsedPeakBytes = 4000;
    point.failure = {900, 300, 120};
    point.pagingSuspected = "It pages.";
    point.peakBytes = 1000;
    point.staticBytes = 400;
    point.activationPeakBytes = 600;
    point.workerScratchPeakBytes = 0;
    point.peakOp = "E3";
    point.peakStage = 3;
    point.peakLayer = 1;
    point.peakPhase = "recompute";
    point.step = {100, 98, 103, 5};
    point.forwardNs = 30;
    point.recomputeNs = 15;
    point.backwardNs = 40;
    point.lossNs = 5;
    point.optimizerNs = 8;
    point.otherNs = 2;
    point.tokensPerSecond = 1234.5;
    point.recomputedStageForwards = 4;
    point.keptBoundaries = 2;
    point.predictedPeakBytes = 1000;
    point.predictedActivationPeakBytes = 600;
    point.predictedStepNs = 99;
    point.predictionSource = "probe";
    point.loss = 4.25;
    point.equality = {true, "none", 0, 0.0, ""};
    point.environment = measuredEnvironment();
    return point;
}

} // namespace

class tst_point : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void toJson_keys_areThoseOfTheFormat()
    {
        const std::string expected
            = "run strategy status reason model batch seq micro_batches dtype attention device grads "
              "peak_bytes static_bytes activation_peak_bytes allocated_peak_bytes reserved_peak_bytes "
              "worker_scratch_peak_bytes peak_op peak_stage peak_layer peak_phase step_ns forward_ns "
              "recompute_ns backward_ns loss_ns optimizer_ns other_ns tokens_per_second "
              "recomputed_stage_forwards recomputed_options kept_boundaries predicted_peak_bytes "
              "predicted_activation_peak_bytes predicted_step_ns prediction_source loss equality optimizer "
              "train loss_mode loss_dtype attention_why skipped_steps missing_gradients recompute_attention_ns "
              "recompute_ffn_ns recompute_norm_ns random_state_ns segments_recomputed segments_total "
              "update_in_backward device_used_peak_bytes failure_reserved_bytes failure_free_bytes "
              "failure_largest_free_bytes fragmentation paging_suspected environment";
        std::string keys;
        const Json json = toJson(measuredPoint());
        for (const auto &[key, value] : json.items())
            keys += (keys.empty() ? "" : " ") + key;
        QCOMPARE(keys, expected);
    }

    void toJson_whatWasNotMeasured_isNull()
    {
        Point point;
        point.status = RunStatus::doesNotFit;
        const Json json = toJson(point);
        for (const char *key : {"peak_bytes",
                                "static_bytes",
                                "activation_peak_bytes",
                                "allocated_peak_bytes",
                                "reserved_peak_bytes",
                                "worker_scratch_peak_bytes",
                                "peak_op",
                                "peak_stage",
                                "peak_layer",
                                "peak_phase",
                                "step_ns",
                                "forward_ns",
                                "tokens_per_second",
                                "predicted_peak_bytes",
                                "predicted_step_ns",
                                "prediction_source",
                                "loss",
                                "reason",
                                "segments_recomputed",
                                "segments_total",
                                "skipped_steps",
                                "missing_gradients",
                                "device_used_peak_bytes",
                                "failure_reserved_bytes",
                                "failure_free_bytes",
                                "failure_largest_free_bytes",
                                "fragmentation",
                                "paging_suspected"})
            QVERIFY2(json.at(key).is_null(), key);
        QCOMPARE(json.at("status").get<std::string>(), std::string("does_not_fit"));
        QVERIFY(json.at("equality").at("differing_elements").is_null());
        for (const char *key : {"driver", "memory_clock_mhz", "power_limit_watts", "temperature_c", "device_used_bytes",
                                "process_used_bytes", "device_why"})
            QVERIFY2(json.at("environment").at(key).is_null(), key);
    }

    void roundTrip_keepsEverything()
    {
        const Point point = measuredPoint();
        const auto read = pointFromJson(toJson(point));
        QVERIFY(read.has_value());
        QVERIFY(toJson(*read) == toJson(point));
        QCOMPARE(read->allocatedPeakBytes, Bytes(-1));
        QCOMPARE(read->environment.budgetBytes, Bytes(5));
        QCOMPARE(read->step.q3, Nanoseconds(103));
        QCOMPARE(read->recomputeFfnNs, Nanoseconds(5));
        QCOMPARE(read->train, std::string("lora:8"));
        QCOMPARE(read->skippedSteps, 3);
        QCOMPARE(read->environment.clockMhz, 1980);
        QCOMPARE(read->environment.driver, std::string("580.65.06"));
        QCOMPARE(read->environment.processUsedBytes, Bytes(2000));
        QVERIFY(read->updateInBackward);
        QCOMPARE(read->failure.largestFree, Bytes(120));
        QCOMPARE(toJson(*read).at("fragmentation").get<double>(), 0.6);
    }

    void roundTrip_everyStatus()
    {
        for (int i = 0; i <= static_cast<int>(RunStatus::interrupted); ++i) {
            Point point;
            point.status = static_cast<RunStatus>(i);
            const auto read = pointFromJson(toJson(point));
            QVERIFY(read.has_value());
            QVERIFY(read->status == point.status);
        }
        QVERIFY(!runStatusFrom("nonsense").has_value());
    }

    void toJson_nan_isStillADocument()
    {
        Point point = measuredPoint();
        point.loss = std::numeric_limits<double>::quiet_NaN();
        point.equality.maxAbsDiff = std::numeric_limits<double>::infinity();
        point.equality.differingElements = 9;
        const Json json = toJson(point);
        QVERIFY(json.at("loss").is_null());
        QVERIFY(json.at("equality").at("max_abs_diff").is_null());
        QCOMPARE(json.at("equality").at("differing_elements").get<int>(), 9);
    }

    void fromJson_wrongTypes_isOneSentence_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("no object") << QByteArray("[1]");
        QTest::newRow("no status") << QByteArray("{}");
        QTest::newRow("unknown status") << QByteArray(R"({"status":"lost"})");
        QTest::newRow("text for a number") << QByteArray(R"({"status":"done","batch":"4"})");
        QTest::newRow("huge int") << QByteArray(R"({"status":"done","micro_batches":99999999999})");
        QTest::newRow("step is an array") << QByteArray(R"({"status":"done","step_ns":[1,2]})");
        QTest::newRow("bad equality") << QByteArray(R"({"status":"done","equality":{"checked":1}})");
        QTest::newRow("bad environment") << QByteArray(R"({"status":"done","environment":{"cores":"two"}})");
    }
    void fromJson_wrongTypes_isOneSentence()
    {
        QFETCH(QByteArray, text);
        const auto json = parseJson(std::string_view(text.constData(), std::size_t(text.size())), "test");
        QVERIFY(json.has_value());
        const auto read = pointFromJson(*json);
        QVERIFY(!read.has_value());
        QCOMPARE(read.error().code, ErrorCode::refused);
        QVERIFY(read.error().message.ends_with('.'));
    }
};

REMAT_TEST(tst_point);
#include "tst_point.moc"
