// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/rows.h"

namespace remat::core {

namespace {

using Statement = SQLite::Statement;

struct Row
{
    Statement &statement;

    void read(const char *column, std::string &target) const { target = value(column).getString(); }
    void read(const char *column, int &target) const
    {
        if (!value(column).isNull())
            target = value(column).getInt();
    }
    void read(const char *column, std::int64_t &target) const
    {
        if (!value(column).isNull())
            target = value(column).getInt64();
    }
    void read(const char *column, double &target) const { target = value(column).getDouble(); }
    [[nodiscard]] SQLite::Column value(const char *column) const { return statement.getColumn(column); }
};

void readIdentity(const Row &row, Point &point)
{
    row.read("run_id", point.run); // both views have a column run, and a run that ended early has no environment
    row.read("strategy", point.strategy);
    row.read("reason", point.reason);
    row.read("model", point.model);
    row.read("batch", point.batch);
    row.read("seq", point.seq);
    row.read("micro_batches", point.microBatches);
    row.read("dtype", point.dtype);
    row.read("attention", point.attention);
    row.read("device", point.device);
    row.read("grads", point.grads);
    row.read("optimizer", point.optimizer);
    point.updateInBackward = row.value("update_in_backward").getInt() == 1;
    row.read("paging_suspected", point.pagingSuspected);
    row.read("train", point.train);
    row.read("loss_mode", point.lossMode);
    row.read("loss_dtype", point.lossDtype);
    row.read("attention_why", point.attentionWhy);
}

void readMemory(const Row &row, Point &point)
{
    row.read("peak_bytes", point.peakBytes);
    row.read("static_bytes", point.staticBytes);
    row.read("activation_peak_bytes", point.activationPeakBytes);
    row.read("allocated_peak_bytes", point.allocatedPeakBytes);
    row.read("reserved_peak_bytes", point.reservedPeakBytes);
    row.read("worker_scratch_peak_bytes", point.workerScratchPeakBytes);
    row.read("device_used_peak_bytes", point.deviceUsedPeakBytes);
    row.read("failure_reserved_bytes", point.failure.reserved);
    row.read("failure_free_bytes", point.failure.free);
    row.read("failure_largest_free_bytes", point.failure.largestFree);
    row.read("peak_op", point.peakOp);
    row.read("peak_stage", point.peakStage);
    row.read("peak_layer", point.peakLayer);
    row.read("peak_phase", point.peakPhase);
}

void readTimes(const Row &row, Point &point)
{
    row.read("step_median_ns", point.step.median);
    row.read("step_q1_ns", point.step.q1);
    row.read("step_q3_ns", point.step.q3);
    row.read("step_n", point.step.n);
    row.read("forward_ns", point.forwardNs);
    row.read("recompute_ns", point.recomputeNs);
    row.read("backward_ns", point.backwardNs);
    row.read("loss_ns", point.lossNs);
    row.read("optimizer_ns", point.optimizerNs);
    row.read("other_ns", point.otherNs);
    row.read("tokens_per_second", point.tokensPerSecond);
    row.read("loss", point.loss);
    row.read("recompute_attention_ns", point.recomputeAttentionNs);
    row.read("recompute_ffn_ns", point.recomputeFfnNs);
    row.read("recompute_norm_ns", point.recomputeNormNs);
    row.read("random_state_ns", point.randomStateNs);
}

void readPredictionAndProof(const Row &row, Point &point)
{
    row.read("recomputed_stage_forwards", point.recomputedStageForwards);
    row.read("recomputed_options", point.recomputedOptions);
    row.read("kept_boundaries", point.keptBoundaries);
    row.read("segments_recomputed", point.segmentsRecomputed);
    row.read("segments_total", point.segmentsTotal);
    row.read("skipped_steps", point.skippedSteps);
    row.read("missing_gradients", point.missingGradients);
    row.read("predicted_peak_bytes", point.predictedPeakBytes);
    row.read("predicted_activation_peak_bytes", point.predictedActivationPeakBytes);
    row.read("predicted_step_ns", point.predictedStepNs);
    row.read("prediction_source", point.predictionSource);
    int checked = 0;
    row.read("equality_checked", checked);
    point.equality.checked = checked == 1;
    row.read("equality_reference", point.equality.reference);
    row.read("equality_differing_elements", point.equality.differingElements);
    row.read("equality_max_abs_diff", point.equality.maxAbsDiff);
    row.read("equality_why", point.equality.why);
}

void readEnvironment(const Row &row, Environment &environment)
{
    row.read("cpu", environment.cpu);
    row.read("cores", environment.cores);
    row.read("threads", environment.threads);
    row.read("memory_bytes", environment.memoryBytes);
    row.read("os", environment.os);
    row.read("libtorch", environment.libtorch);
    row.read("device_name", environment.deviceName);
    row.read("attention_kernel", environment.attentionKernel);
    row.read("matmul_precision", environment.matmulPrecision);
    row.read("budget_kind", environment.budgetKind);
    row.read("budget_bytes", environment.budgetBytes);
    row.read("version", environment.version);
    row.read("allocator", environment.allocator);
    row.read("clock_mhz", environment.clockMhz);
    row.read("driver", environment.driver);
    row.read("memory_clock_mhz", environment.memoryClockMhz);
    row.read("power_limit_watts", environment.powerLimitWatts);
    row.read("temperature_c", environment.temperatureC);
    row.read("device_used_bytes", environment.deviceUsedBytes);
    row.read("process_used_bytes", environment.processUsedBytes);
    row.read("device_why", environment.deviceWhy);
}

} // namespace

Result<std::vector<StoredRun>> readRuns(SQLite::Database &db)
{
    std::vector<StoredRun> runs;
    Statement query(
        db,
        "SELECT points.run AS run_id, points.*, environment.*, run.workload AS workload_id, run.started_at AS "
        "started_at, "
        "ifnull(user_run.note, '') AS note, ifnull(user_run.starred, 0) AS starred, "
        "ifnull(user_run.hidden, 0) AS hidden FROM points JOIN run ON run.id = points.run "
        "LEFT JOIN environment ON environment.run = points.run LEFT JOIN user_run ON user_run.run = points.run "
        "ORDER BY run.id");
    while (query.executeStep()) {
        const Row row{query};
        StoredRun run;
        readEnvironment(row, run.point.environment);
        readIdentity(row, run.point);
        readMemory(row, run.point);
        readTimes(row, run.point);
        readPredictionAndProof(row, run.point);
        const auto status = runStatusFrom(row.value("status").getString());
        if (!status)
            return Error{ErrorCode::failed,
                         "Run " + std::to_string(run.point.run) + " of the session has an unknown status."};
        run.point.status = *status;
        run.workload = row.value("workload_id").getInt64();
        row.read("started_at", run.startedAt);
        row.read("note", run.note);
        run.starred = row.value("starred").getInt() == 1;
        run.hidden = row.value("hidden").getInt() == 1;
        runs.push_back(std::move(run));
    }
    return runs;
}

Result<std::vector<StoredWorkload>> readWorkloads(SQLite::Database &db)
{
    std::vector<StoredWorkload> workloads;
    Statement query(db,
                    "SELECT workload.id, workload.hash, workload.json, model.json FROM workload "
                    "JOIN model ON model.id = workload.model ORDER BY workload.id");
    while (query.executeStep()) {
        StoredWorkload stored;
        stored.id = query.getColumn(0).getInt64();
        stored.hash = query.getColumn(1).getString();
        const auto workloadJson = parseJson(query.getColumn(2).getString(), "The stored workload");
        const auto modelJson = parseJson(query.getColumn(3).getString(), "The stored model");
        if (!workloadJson)
            return workloadJson.error();
        if (!modelJson)
            return modelJson.error();
        auto workload = workloadFromJson(*workloadJson);
        auto model = modelFromJson(*modelJson);
        if (!workload)
            return workload.error();
        if (!model)
            return model.error();
        stored.workload = std::move(*workload);
        stored.model = std::move(*model);
        workloads.push_back(std::move(stored));
    }
    return workloads;
}

} // namespace remat::core
