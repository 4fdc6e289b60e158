// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/rows.h"

#include <array>
#include <chrono>
#include <cmath>
#include <ctime>

#include "measure/json_fields.h"

namespace remat::core {

namespace {

using Statement = SQLite::Statement;

void bindBytes(Statement &statement, const char *name, Bytes bytes)
{
    if (bytes < 0)
        statement.bind(name);
    else
        statement.bind(name, bytes);
}

void bindText(Statement &statement, const char *name, const std::string &text)
{
    if (text.empty())
        statement.bind(name);
    else
        statement.bind(name, text);
}

void bindIf(Statement &statement, const char *name, bool known, std::int64_t value)
{
    if (known)
        statement.bind(name, value);
    else
        statement.bind(name);
}

void bindReal(Statement &statement, const char *name, bool known, double value)
{
    if (known && std::isfinite(value))
        statement.bind(name, value);
    else
        statement.bind(name);
}

std::int64_t firstId(Statement &statement)
{
    const bool found = statement.executeStep();
    return found ? statement.getColumn(0).getInt64() : 0;
}

std::int64_t storeModel(SQLite::Database &db, const ModelConfig &model)
{
    const std::string json = jsonText(toJson(model));
    Statement insert(db, "INSERT OR IGNORE INTO model(name, layers, json, stages_per_layer) VALUES (?, ?, ?, ?)");
    insert.bind(1, model.name);
    insert.bind(2, model.layers);
    insert.bind(3, json);
    insert.bind(4, chainShape(model).stagesPerLayer);
    insert.exec();
    Statement select(db, "SELECT id FROM model WHERE json = ?");
    select.bind(1, json);
    return firstId(select);
}

std::int64_t storeSchedule(SQLite::Database &db, const Schedule &schedule)
{
    const std::string json = jsonText(toJson(PlanFile{schedule, {}}));
    Statement insert(db, "INSERT OR IGNORE INTO schedule(stages, json) VALUES (?, ?)");
    insert.bind(1, schedule.stages);
    insert.bind(2, json);
    insert.exec();
    Statement select(db, "SELECT id FROM schedule WHERE json = ?");
    select.bind(1, json);
    return firstId(select);
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
    insert.bind(":skipped_steps", point.skippedSteps);
    insert.bind(":missing_gradients", point.missingGradients);
    insert.bind(":segments_recomputed", point.segmentsRecomputed);
    bindText(insert, ":allocator", point.environment.allocator);
    bindIf(insert, ":clock_mhz", point.environment.clockMhz > 0, point.environment.clockMhz);
}

} // namespace

std::string utcNow()
{
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    const std::string fraction = std::to_string(1000 + ms).substr(1);
    return std::string(text.data(), size) + "." + fraction + "Z";
}

std::int64_t intern(SQLite::Database &db, const std::string &text)
{
    Statement select(db, "SELECT id FROM string WHERE text = ?");
    select.bind(1, text);
    if (const std::int64_t id = firstId(select); id != 0)
        return id;
    Statement insert(db, "INSERT INTO string(text) VALUES (?)");
    insert.bind(1, text);
    insert.exec();
    return db.getLastInsertRowid();
}

std::int64_t storeWorkload(SQLite::Database &db, const ModelConfig &model, const Workload &workload)
{
    const std::string hash = workloadHash(model, workload);
    const std::int64_t modelId = storeModel(db, model);
    Statement select(db, "SELECT id FROM workload WHERE hash = ? AND model = ?");
    select.bind(1, hash);
    select.bind(2, modelId);
    if (const std::int64_t id = firstId(select); id != 0)
        return id;
    Statement insert(
        db,
        "INSERT INTO workload(model, hash, batch, seq, micro_batches, dtype, attention, device, grads, json, "
        "optimizer, train, loss_mode) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, modelId);
    insert.bind(2, hash);
    insert.bind(3, workload.batch);
    insert.bind(4, workload.seq);
    insert.bind(5, workload.microBatches);
    insert.bind(6, std::string(toString(workload.dtype)));
    insert.bind(7, std::string(toString(workload.attention)));
    insert.bind(8, workload.device);
    insert.bind(9, std::string(toString(workload.gradients)));
    insert.bind(10, jsonText(toJson(workload)));
    insert.bind(11, optimizerText(workload));
    insert.bind(12, trainText(workload));
    insert.bind(13, lossText(workload));
    insert.exec();
    return db.getLastInsertRowid();
}

void storeCosts(SQLite::Database &db, std::int64_t workload, const ChainCosts &costs)
{
    Statement insert(db, "INSERT INTO cost_set(workload, made_at, source, json) VALUES (?, ?, ?, ?)");
    insert.bind(1, workload);
    insert.bind(2, utcNow());
    insert.bind(3, std::string(toString(costs.source)));
    insert.bind(4, jsonText(toJson(costs)));
    insert.exec();
    const std::int64_t set = db.getLastInsertRowid();
    Statement row(db, "INSERT INTO stage_cost VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (std::size_t i = 0; i < costs.stages.size(); ++i) {
        const StageCost &stage = costs.stages[i];
        for (const auto &[name, option] : stage.options) {
            row.bind(1, set);
            row.bind(2, static_cast<std::int64_t>(i));
            row.bind(3, intern(db, name.empty() ? "keep_all" : name));
            const std::array<std::int64_t, 12> values{stage.output,
                                                      option.saved,
                                                      stage.gradientGrowth,
                                                      stage.forward.total,
                                                      option.forwardSave.total,
                                                      option.backwardFirst.total,
                                                      stage.forwardNs,
                                                      option.forwardSaveNs,
                                                      option.phantomNs,
                                                      option.backwardNs,
                                                      option.rebuildNs,
                                                      stage.remembered};
            for (std::size_t column = 0; column < values.size(); ++column)
                row.bind(4 + static_cast<int>(column), values[column]);
            row.exec();
            row.reset();
        }
    }
}

std::int64_t insertRun(SQLite::Database &db, std::int64_t workload, const Point &point, const Schedule &schedule)
{
    const bool predicted = !point.predictionSource.empty();
    Statement insert(db,
                     "INSERT INTO run(workload, schedule, strategy, status, started_at, recomputed_stage_forwards, "
                     "recomputed_options, kept_boundaries, predicted_peak_bytes, predicted_activation_peak_bytes, "
                     "predicted_step_ns, prediction_source, segments_total) VALUES (:workload, :schedule, :strategy, "
                     ":status, :started_at, "
                     ":forwards, :options, :kept, :peak, :activation, :step, :source, :segments)");
    insert.bind(":workload", workload);
    insert.bind(":schedule", storeSchedule(db, schedule));
    insert.bind(":strategy", intern(db, point.strategy));
    insert.bind(":status", static_cast<int>(RunStatus::running));
    insert.bind(":started_at", utcNow());
    insert.bind(":forwards", point.recomputedStageForwards);
    insert.bind(":options", point.recomputedOptions);
    insert.bind(":kept", point.keptBoundaries);
    bindBytes(insert, ":peak", point.predictedPeakBytes);
    bindBytes(insert, ":activation", point.predictedActivationPeakBytes);
    bindIf(insert, ":step", predicted, point.predictedStepNs);
    bindText(insert, ":source", point.predictionSource);
    insert.bind(":segments", point.segmentsTotal);
    insert.exec();
    return db.getLastInsertRowid();
}

void insertResult(SQLite::Database &db, std::int64_t run, const Point &point)
{
    const std::int64_t machine = storeMachine(db, point.environment);
    Statement insert(
        db,
        "INSERT INTO result VALUES (:run, :machine, :peak_bytes, :static_bytes, :activation_peak_bytes, "
        ":allocated_peak_bytes, :reserved_peak_bytes, :worker_scratch_peak_bytes, :peak_op, :peak_stage, :peak_layer, "
        ":peak_phase, :step_median_ns, :step_q1_ns, :step_q3_ns, :step_n, :forward_ns, :recompute_ns, :backward_ns, "
        ":loss_ns, :optimizer_ns, :other_ns, :tokens_per_second, :loss, :equality_checked, :equality_reference, "
        ":equality_differing_elements, :equality_max_abs_diff, :equality_why, :loss_dtype, :attention_why, "
        ":skipped_steps, :missing_gradients, :recompute_attention_ns, :recompute_ffn_ns, :recompute_norm_ns, "
        ":random_state_ns, :segments_recomputed, :allocator, :clock_mhz)");
    insert.bind(":run", run);
    insert.bind(":machine", machine);
    bindResultMemory(insert, point);
    bindResultTimes(insert, point);
    bindResultEquality(insert, point.equality);
    bindEffective(insert, point);
    insert.exec();
}

bool setFinalStatus(SQLite::Database &db, std::int64_t run, RunStatus status, const std::string &reason)
{
    Statement update(db, "UPDATE run SET status = ?, reason = ?, finished_at = ? WHERE id = ? AND status <= ?");
    update.bind(1, static_cast<int>(status));
    update.bind(2, reason);
    update.bind(3, utcNow());
    update.bind(4, run);
    update.bind(5, static_cast<int>(RunStatus::running));
    return update.exec() == 1;
}

int closeUnfinished(SQLite::Database &db, RunStatus status, const std::string &reason)
{
    Statement update(db, "UPDATE run SET status = ?, reason = ?, finished_at = ? WHERE status <= ?");
    update.bind(1, static_cast<int>(status));
    update.bind(2, reason);
    update.bind(3, utcNow());
    update.bind(4, static_cast<int>(RunStatus::running));
    return update.exec();
}

} // namespace remat::core
