// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/rows.h"

#include <array>
#include <chrono>
#include <ctime>

#include "measure/json_fields.h"
#include "store/bind.h"

namespace remat::core {

namespace {

using Statement = SQLite::Statement;

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
        "optimizer, train, loss_mode, update_in_backward) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
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
    insert.bind(14, workload.updateInBackward ? 1 : 0);
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
    bindBytes(insert, ":segments", point.segmentsTotal);
    insert.exec();
    return db.getLastInsertRowid();
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
