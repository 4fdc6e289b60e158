// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/point.h"

#include <array>
#include <cmath>

#include "measure/json_fields.h"

namespace remat::core {

namespace {

constexpr std::array<std::string_view, 7> kStatusNames{"queued",    "running", "done",       "does_not_fit",
                                                       "cancelled", "failed",  "interrupted"};

Json positiveOrNull(int value)
{
    return value > 0 ? Json(value) : Json(nullptr);
}

void addTimes(Json &json, const Point &point)
{
    const bool timed = point.step.n > 0;
    const auto timeOrNull = [timed](Nanoseconds ns) { return timed ? Json(ns) : Json(nullptr); };
    json["step_ns"] = nullptr;
    if (timed) {
        json["step_ns"]
            = {{"median", point.step.median}, {"q1", point.step.q1}, {"q3", point.step.q3}, {"n", point.step.n}};
    }
    json["forward_ns"] = timeOrNull(point.forwardNs);
    json["recompute_ns"] = timeOrNull(point.recomputeNs);
    json["backward_ns"] = timeOrNull(point.backwardNs);
    json["loss_ns"] = timeOrNull(point.lossNs);
    json["optimizer_ns"] = timeOrNull(point.optimizerNs);
    json["other_ns"] = timeOrNull(point.otherNs);
    json["tokens_per_second"] = timed ? Json(point.tokensPerSecond) : Json(nullptr);
}

void addMemory(Json &json, const Point &point)
{
    json["peak_bytes"] = countOrNull(point.peakBytes);
    json["static_bytes"] = countOrNull(point.staticBytes);
    json["activation_peak_bytes"] = countOrNull(point.activationPeakBytes);
    json["allocated_peak_bytes"] = countOrNull(point.allocatedPeakBytes);
    json["reserved_peak_bytes"] = countOrNull(point.reservedPeakBytes);
    json["worker_scratch_peak_bytes"] = countOrNull(point.workerScratchPeakBytes);
    json["peak_op"] = textOrNull(point.peakOp);
    json["peak_stage"] = countOrNull(point.peakStage);
    json["peak_layer"] = countOrNull(point.peakLayer);
    json["peak_phase"] = textOrNull(point.peakPhase);
}

void addPrediction(Json &json, const Point &point)
{
    const bool predicted = !point.predictionSource.empty();
    json["recomputed_stage_forwards"] = point.recomputedStageForwards;
    json["recomputed_options"] = point.recomputedOptions;
    json["kept_boundaries"] = point.keptBoundaries;
    json["predicted_peak_bytes"] = countOrNull(point.predictedPeakBytes);
    json["predicted_activation_peak_bytes"] = countOrNull(point.predictedActivationPeakBytes);
    json["predicted_step_ns"] = predicted ? Json(point.predictedStepNs) : Json(nullptr);
    json["prediction_source"] = textOrNull(point.predictionSource);
}

Json equalityJson(const Equality &equality)
{
    // NaN has no JSON form: a difference that is no number is written as null and stays countable in the elements.
    const bool finite = std::isfinite(equality.maxAbsDiff);
    return {{"checked", equality.checked},
            {"reference", textOrNull(equality.reference)},
            {"differing_elements", equality.checked ? Json(equality.differingElements) : Json(nullptr)},
            {"max_abs_diff", equality.checked && finite ? Json(equality.maxAbsDiff) : Json(nullptr)},
            {"why", textOrNull(equality.why)}};
}

/// What else defined the run, and what was counted while it ran; the order is that of the view's columns.
void addEffective(Json &json, const Point &point)
{
    const bool timed = point.step.n > 0;
    const auto timeOrNull = [timed](Nanoseconds ns) { return timed ? Json(ns) : Json(nullptr); };
    json["optimizer"] = point.optimizer;
    json["train"] = point.train;
    json["loss_mode"] = point.lossMode;
    json["loss_dtype"] = point.lossDtype;
    json["attention_why"] = textOrNull(point.attentionWhy);
    json["skipped_steps"] = countOrNull(point.skippedSteps);
    json["missing_gradients"] = countOrNull(point.missingGradients);
    json["recompute_attention_ns"] = timeOrNull(point.recomputeAttentionNs);
    json["recompute_ffn_ns"] = timeOrNull(point.recomputeFfnNs);
    json["recompute_norm_ns"] = timeOrNull(point.recomputeNormNs);
    json["random_state_ns"] = timeOrNull(point.randomStateNs);
    json["segments_recomputed"] = countOrNull(point.segmentsRecomputed);
    json["segments_total"] = countOrNull(point.segmentsTotal);
    json["update_in_backward"] = point.updateInBackward;
    json["device_used_peak_bytes"] = countOrNull(point.deviceUsedPeakBytes);
    json["failure_reserved_bytes"] = countOrNull(point.failure.reserved);
    json["failure_free_bytes"] = countOrNull(point.failure.free);
    json["failure_largest_free_bytes"] = countOrNull(point.failure.largestFree);
    json["fragmentation"] = point.failure.free > 0 ? Json(point.failure.fragmentation()) : Json(nullptr);
    json["paging_suspected"] = textOrNull(point.pagingSuspected);
}

Json environmentJson(const Environment &environment)
{
    return {{"cpu", environment.cpu},
            {"cores", environment.cores},
            {"threads", environment.threads},
            {"memory_bytes", environment.memoryBytes},
            {"os", environment.os},
            {"libtorch", environment.libtorch},
            {"device_name", environment.deviceName},
            {"attention_kernel", environment.attentionKernel},
            {"matmul_precision", environment.matmulPrecision},
            {"budget_kind", environment.budgetKind},
            {"budget_bytes", environment.budgetBytes},
            {"version", environment.version},
            {"allocator", textOrNull(environment.allocator)},
            {"clock_mhz", positiveOrNull(environment.clockMhz)},
            {"driver", textOrNull(environment.driver)},
            {"memory_clock_mhz", positiveOrNull(environment.memoryClockMhz)},
            {"power_limit_watts", positiveOrNull(environment.powerLimitWatts)},
            {"temperature_c", positiveOrNull(environment.temperatureC)},
            {"device_used_bytes", countOrNull(environment.deviceUsedBytes)},
            {"process_used_bytes", countOrNull(environment.processUsedBytes)},
            {"device_why", textOrNull(environment.deviceWhy)}};
}

Result<void> readEquality(const Json &json, Equality &equality)
{
    JsonFields fields(json, "The field 'equality' of a point");
    fields.read("checked", equality.checked);
    fields.read("reference", equality.reference);
    fields.read("differing_elements", equality.differingElements);
    fields.read("max_abs_diff", equality.maxAbsDiff);
    fields.read("why", equality.why);
    return fields.ok() ? Result<void>() : fields.error();
}

Result<void> readEnvironment(const Json &json, Environment &environment)
{
    JsonFields fields(json, "The field 'environment' of a point");
    fields.read("cpu", environment.cpu);
    fields.read("cores", environment.cores);
    fields.read("threads", environment.threads);
    fields.read("memory_bytes", environment.memoryBytes);
    fields.read("os", environment.os);
    fields.read("libtorch", environment.libtorch);
    fields.read("device_name", environment.deviceName);
    fields.read("attention_kernel", environment.attentionKernel);
    fields.read("matmul_precision", environment.matmulPrecision);
    fields.read("budget_kind", environment.budgetKind);
    fields.read("budget_bytes", environment.budgetBytes);
    fields.read("version", environment.version);
    fields.read("allocator", environment.allocator);
    fields.read("clock_mhz", environment.clockMhz);
    fields.read("driver", environment.driver);
    fields.read("memory_clock_mhz", environment.memoryClockMhz);
    fields.read("power_limit_watts", environment.powerLimitWatts);
    fields.read("temperature_c", environment.temperatureC);
    fields.read("device_used_bytes", environment.deviceUsedBytes);
    fields.read("process_used_bytes", environment.processUsedBytes);
    fields.read("device_why", environment.deviceWhy);
    return fields.ok() ? Result<void>() : fields.error();
}

Result<void> readStep(const Json &json, StepTime &step)
{
    JsonFields fields(json, "The field 'step_ns' of a point");
    fields.read("median", step.median);
    fields.read("q1", step.q1);
    fields.read("q3", step.q3);
    fields.read("n", step.n);
    return fields.ok() ? Result<void>() : fields.error();
}

void readTimes(JsonFields &fields, Point &point)
{
    fields.read("forward_ns", point.forwardNs);
    fields.read("recompute_ns", point.recomputeNs);
    fields.read("backward_ns", point.backwardNs);
    fields.read("loss_ns", point.lossNs);
    fields.read("optimizer_ns", point.optimizerNs);
    fields.read("other_ns", point.otherNs);
    fields.read("tokens_per_second", point.tokensPerSecond);
    fields.read("recompute_attention_ns", point.recomputeAttentionNs);
    fields.read("recompute_ffn_ns", point.recomputeFfnNs);
    fields.read("recompute_norm_ns", point.recomputeNormNs);
    fields.read("random_state_ns", point.randomStateNs);
}

void readMemory(JsonFields &fields, Point &point)
{
    fields.read("peak_bytes", point.peakBytes);
    fields.read("static_bytes", point.staticBytes);
    fields.read("activation_peak_bytes", point.activationPeakBytes);
    fields.read("allocated_peak_bytes", point.allocatedPeakBytes);
    fields.read("reserved_peak_bytes", point.reservedPeakBytes);
    fields.read("worker_scratch_peak_bytes", point.workerScratchPeakBytes);
    fields.read("device_used_peak_bytes", point.deviceUsedPeakBytes);
    fields.read("failure_reserved_bytes", point.failure.reserved);
    fields.read("failure_free_bytes", point.failure.free);
    fields.read("failure_largest_free_bytes", point.failure.largestFree);
    fields.read("peak_op", point.peakOp);
    fields.read("peak_stage", point.peakStage);
    fields.read("peak_layer", point.peakLayer);
    fields.read("peak_phase", point.peakPhase);
}

void readIdentity(JsonFields &fields, Point &point)
{
    fields.read("run", point.run);
    fields.read("strategy", point.strategy);
    std::string status;
    fields.read("status", status);
    if (const auto known = runStatusFrom(status))
        point.status = *known;
    else
        fields.complain("status");
    fields.read("reason", point.reason);
    fields.read("model", point.model);
    fields.read("batch", point.batch);
    fields.read("seq", point.seq);
    fields.read("micro_batches", point.microBatches);
    fields.read("dtype", point.dtype);
    fields.read("attention", point.attention);
    fields.read("device", point.device);
    fields.read("grads", point.grads);
    fields.read("optimizer", point.optimizer);
    fields.read("update_in_backward", point.updateInBackward);
    fields.read("paging_suspected", point.pagingSuspected);
    fields.read("train", point.train);
    fields.read("loss_mode", point.lossMode);
    fields.read("loss_dtype", point.lossDtype);
    fields.read("attention_why", point.attentionWhy);
}

void readPrediction(JsonFields &fields, Point &point)
{
    fields.read("recomputed_stage_forwards", point.recomputedStageForwards);
    fields.read("recomputed_options", point.recomputedOptions);
    fields.read("kept_boundaries", point.keptBoundaries);
    fields.read("segments_recomputed", point.segmentsRecomputed);
    fields.read("segments_total", point.segmentsTotal);
    fields.read("skipped_steps", point.skippedSteps);
    fields.read("missing_gradients", point.missingGradients);
    fields.read("predicted_peak_bytes", point.predictedPeakBytes);
    fields.read("predicted_activation_peak_bytes", point.predictedActivationPeakBytes);
    fields.read("predicted_step_ns", point.predictedStepNs);
    fields.read("prediction_source", point.predictionSource);
    fields.read("loss", point.loss);
}

} // namespace

std::string_view toString(RunStatus status)
{
    return kStatusNames.at(static_cast<std::size_t>(status));
}

std::optional<RunStatus> runStatusFrom(std::string_view text)
{
    for (std::size_t i = 0; i < kStatusNames.size(); ++i) {
        if (kStatusNames[i] == text)
            return static_cast<RunStatus>(i);
    }
    return std::nullopt;
}

Json toJson(const Point &point)
{
    Json json;
    json["run"] = point.run;
    json["strategy"] = point.strategy;
    json["status"] = toString(point.status);
    json["reason"] = textOrNull(point.reason);
    json["model"] = point.model;
    json["batch"] = point.batch;
    json["seq"] = point.seq;
    json["micro_batches"] = point.microBatches;
    json["dtype"] = point.dtype;
    json["attention"] = point.attention;
    json["device"] = point.device;
    json["grads"] = point.grads;
    addMemory(json, point);
    addTimes(json, point);
    addPrediction(json, point);
    const bool hasLoss = std::isfinite(point.loss) && (point.loss != 0.0 || point.step.n > 0);
    json["loss"] = hasLoss ? Json(point.loss) : Json(nullptr);
    json["equality"] = equalityJson(point.equality);
    addEffective(json, point);
    json["environment"] = environmentJson(point.environment);
    return json;
}

Result<Point> pointFromJson(const Json &json)
{
    Point point;
    JsonFields fields(json, "The point");
    readIdentity(fields, point);
    readMemory(fields, point);
    readTimes(fields, point);
    readPrediction(fields, point);
    const Json *step = fields.object("step_ns");
    const Json *equality = fields.object("equality");
    const Json *environment = fields.object("environment");
    if (!fields.ok())
        return fields.error();
    if (step != nullptr) {
        if (auto read = readStep(*step, point.step); !read)
            return read.error();
    }
    if (equality != nullptr) {
        if (auto read = readEquality(*equality, point.equality); !read)
            return read.error();
    }
    if (environment != nullptr) {
        if (auto read = readEnvironment(*environment, point.environment); !read)
            return read.error();
    }
    return point;
}

} // namespace remat::core
