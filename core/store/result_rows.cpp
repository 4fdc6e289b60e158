// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/rows.h"

#include <string_view>

#include "store/bind.h"

namespace remat::core {

namespace {

using Statement = SQLite::Statement;

constexpr std::string_view kColumns
    = "run, machine, peak_bytes, static_bytes, activation_peak_bytes, allocated_peak_bytes, reserved_peak_bytes, "
      "worker_scratch_peak_bytes, peak_op, peak_stage, peak_layer, peak_phase, step_median_ns, step_q1_ns, "
      "step_q3_ns, step_n, forward_ns, recompute_ns, backward_ns, loss_ns, optimizer_ns, other_ns, "
      "tokens_per_second, loss, equality_checked, equality_reference, equality_differing_elements, "
      "equality_max_abs_diff, equality_why, loss_dtype, attention_why, skipped_steps, missing_gradients, "
      "recompute_attention_ns, recompute_ffn_ns, recompute_norm_ns, random_state_ns, segments_recomputed, "
      "device_used_peak_bytes, failure_reserved_bytes, failure_free_bytes, failure_largest_free_bytes, "
      "paging_suspected, allocator, clock_mhz, driver, memory_clock_mhz, power_limit_watts, temperature_c, "
      "device_used_bytes, process_used_bytes, device_why";

/// By name, since a migration may have changed the order of a table's columns.
std::string insertResultSql()
{
    std::string values(":");
    for (const char c : kColumns)
        (values += c) += c == ' ' ? ":" : "";
    return "INSERT INTO result(" + std::string(kColumns) + ") VALUES (" + values + ")";
}

std::int64_t storeMachine(SQLite::Database &db, const Environment &environment)
{
    const auto bindAll = [&environment](Statement &statement) {
        statement.bind(1, environment.cpu);
        statement.bind(2, environment.cores);
        statement.bind(3, environment.threads);
        statement.bind(4, environment.memoryBytes);
        statement.bind(5, environment.os);
        statement.bind(6, environment.libtorch);
        statement.bind(7, environment.deviceName);
        statement.bind(8, environment.attentionKernel);
        statement.bind(9, environment.matmulPrecision);
        statement.bind(10, environment.budgetKind);
        statement.bind(11, environment.budgetBytes);
        statement.bind(12, environment.version);
    };
    Statement insert(db,
                     "INSERT OR IGNORE INTO machine(cpu, cores, threads, memory_bytes, os, libtorch, device_name, "
                     "attention_kernel, matmul_precision, budget_kind, budget_bytes, version) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bindAll(insert);
    insert.exec();
    Statement select(
        db,
        "SELECT id FROM machine WHERE cpu = ? AND cores = ? AND threads = ? AND memory_bytes = ? AND os = ? "
        "AND libtorch = ? AND device_name = ? AND attention_kernel = ? AND matmul_precision = ? "
        "AND budget_kind = ? AND budget_bytes = ? AND version = ?");
    bindAll(select);
    return firstId(select);
}

void bindResultMemory(Statement &insert, const Point &point)
{
    bindBytes(insert, ":peak_bytes", point.peakBytes);
    bindBytes(insert, ":static_bytes", point.staticBytes);
    bindBytes(insert, ":activation_peak_bytes", point.activationPeakBytes);
    bindBytes(insert, ":allocated_peak_bytes", point.allocatedPeakBytes);
    bindBytes(insert, ":reserved_peak_bytes", point.reservedPeakBytes);
    bindBytes(insert, ":worker_scratch_peak_bytes", point.workerScratchPeakBytes);
    bindText(insert, ":peak_op", point.peakOp);
    bindBytes(insert, ":peak_stage", point.peakStage);
    bindBytes(insert, ":peak_layer", point.peakLayer);
    bindText(insert, ":peak_phase", point.peakPhase);
}

void bindResultTimes(Statement &insert, const Point &point)
{
    const bool timed = point.step.n > 0;
    bindIf(insert, ":step_median_ns", timed, point.step.median);
    bindIf(insert, ":step_q1_ns", timed, point.step.q1);
    bindIf(insert, ":step_q3_ns", timed, point.step.q3);
    bindIf(insert, ":step_n", timed, point.step.n);
    bindIf(insert, ":forward_ns", timed, point.forwardNs);
    bindIf(insert, ":recompute_ns", timed, point.recomputeNs);
    bindIf(insert, ":backward_ns", timed, point.backwardNs);
    bindIf(insert, ":loss_ns", timed, point.lossNs);
    bindIf(insert, ":optimizer_ns", timed, point.optimizerNs);
    bindIf(insert, ":other_ns", timed, point.otherNs);
    bindIf(insert, ":recompute_attention_ns", timed, point.recomputeAttentionNs);
    bindIf(insert, ":recompute_ffn_ns", timed, point.recomputeFfnNs);
    bindIf(insert, ":recompute_norm_ns", timed, point.recomputeNormNs);
    bindIf(insert, ":random_state_ns", timed, point.randomStateNs);
    bindReal(insert, ":tokens_per_second", timed, point.tokensPerSecond);
    bindReal(insert, ":loss", timed || point.loss != 0.0, point.loss);
}

void bindResultEquality(Statement &insert, const Equality &equality)
{
    insert.bind(":equality_checked", equality.checked ? 1 : 0);
    bindText(insert, ":equality_reference", equality.reference);
    bindIf(insert, ":equality_differing_elements", equality.checked, equality.differingElements);
    bindReal(insert, ":equality_max_abs_diff", equality.checked, equality.maxAbsDiff);
    bindText(insert, ":equality_why", equality.why);
}

void bindEffective(Statement &insert, const Point &point)
{
    insert.bind(":loss_dtype", point.lossDtype.empty() ? std::string("fp32") : point.lossDtype);
    bindText(insert, ":attention_why", point.attentionWhy);
    bindBytes(insert, ":skipped_steps", point.skippedSteps);
    bindBytes(insert, ":missing_gradients", point.missingGradients);
    bindBytes(insert, ":segments_recomputed", point.segmentsRecomputed);
    bindText(insert, ":paging_suspected", point.pagingSuspected);
}

void bindDevice(Statement &insert, const Point &point)
{
    const Environment &environment = point.environment;
    bindBytes(insert, ":device_used_peak_bytes", point.deviceUsedPeakBytes);
    bindBytes(insert, ":failure_reserved_bytes", point.failure.reserved);
    bindBytes(insert, ":failure_free_bytes", point.failure.free);
    bindBytes(insert, ":failure_largest_free_bytes", point.failure.largestFree);
    bindText(insert, ":allocator", environment.allocator);
    bindIf(insert, ":clock_mhz", environment.clockMhz > 0, environment.clockMhz);
    bindText(insert, ":driver", environment.driver);
    bindIf(insert, ":memory_clock_mhz", environment.memoryClockMhz > 0, environment.memoryClockMhz);
    bindIf(insert, ":power_limit_watts", environment.powerLimitWatts > 0, environment.powerLimitWatts);
    bindIf(insert, ":temperature_c", environment.temperatureC > 0, environment.temperatureC);
    bindBytes(insert, ":device_used_bytes", environment.deviceUsedBytes);
    bindBytes(insert, ":process_used_bytes", environment.processUsedBytes);
    bindText(insert, ":device_why", environment.deviceWhy);
}

} // namespace

void insertResult(SQLite::Database &db, std::int64_t run, const Point &point)
{
    const std::int64_t machine = storeMachine(db, point.environment);
    Statement insert(db, insertResultSql());
    insert.bind(":run", run);
    insert.bind(":machine", machine);
    bindResultMemory(insert, point);
    bindResultTimes(insert, point);
    bindResultEquality(insert, point.equality);
    bindEffective(insert, point);
    bindDevice(insert, point);
    insert.exec();
}

} // namespace remat::core
