// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/schema.h"

namespace remat::core {

namespace {

// Times are INTEGER nanoseconds, sizes INTEGER bytes; what was not measured is NULL. The views at the end are the public
// format: their columns only ever grow. Tables are for this program and may change with a migration.
constexpr const char *kVersion1 = R"sql(
CREATE TABLE status(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO status VALUES (0,'queued'),(1,'running'),(2,'done'),(3,'does_not_fit'),(4,'cancelled'),(5,'failed'),(6,'interrupted');
CREATE TABLE category(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, activation INTEGER NOT NULL) STRICT;
INSERT INTO category VALUES (0,'parameter',0),(1,'parameter_gradient',0),(2,'optimizer_state',0),(3,'input',0),(4,'constant',0),
  (5,'workspace',0),(6,'boundary',1),(7,'saved_activation',1),(8,'recomputed_activation',1),(9,'activation_gradient',1),
  (10,'logits_and_loss',1),(11,'cast_copy',1),(12,'temporary',1),(13,'worker_scratch',0),(14,'other',1);
CREATE TABLE phase(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO phase VALUES (0,'forward'),(1,'loss'),(2,'recompute'),(3,'backward'),(4,'optimizer'),(5,'other');
CREATE TABLE string(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE model(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, layers INTEGER NOT NULL CHECK(layers BETWEEN 1 AND 100000),
  json TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE workload(
  id INTEGER PRIMARY KEY, model INTEGER NOT NULL REFERENCES model(id), hash TEXT NOT NULL,
  batch INTEGER NOT NULL, seq INTEGER NOT NULL, micro_batches INTEGER NOT NULL, dtype TEXT NOT NULL, attention TEXT NOT NULL,
  device TEXT NOT NULL, grads TEXT NOT NULL, json TEXT NOT NULL, UNIQUE(hash, model)) STRICT;
CREATE TABLE cost_set(
  id INTEGER PRIMARY KEY AUTOINCREMENT, workload INTEGER NOT NULL REFERENCES workload(id), made_at TEXT NOT NULL,
  source TEXT NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE stage_cost(
  cost_set INTEGER NOT NULL REFERENCES cost_set(id), stage INTEGER NOT NULL, option INTEGER NOT NULL REFERENCES string(id),
  output_bytes INTEGER NOT NULL, saved_bytes INTEGER NOT NULL, gradient_bytes INTEGER NOT NULL,
  forward_transient_bytes INTEGER NOT NULL, forward_save_transient_bytes INTEGER NOT NULL,
  backward_transient_bytes INTEGER NOT NULL, forward_ns INTEGER NOT NULL, forward_save_ns INTEGER NOT NULL,
  phantom_ns INTEGER NOT NULL, backward_ns INTEGER NOT NULL, rebuild_ns INTEGER NOT NULL,
  PRIMARY KEY(cost_set, stage, option)) STRICT, WITHOUT ROWID;

CREATE TABLE schedule(id INTEGER PRIMARY KEY, stages INTEGER NOT NULL, json TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE machine(
  id INTEGER PRIMARY KEY, cpu TEXT NOT NULL, cores INTEGER NOT NULL, threads INTEGER NOT NULL, memory_bytes INTEGER NOT NULL,
  os TEXT NOT NULL, libtorch TEXT NOT NULL, device_name TEXT NOT NULL, attention_kernel TEXT NOT NULL,
  matmul_precision TEXT NOT NULL, budget_kind TEXT NOT NULL, budget_bytes INTEGER NOT NULL, version TEXT NOT NULL,
  UNIQUE(cpu, cores, threads, memory_bytes, os, libtorch, device_name, attention_kernel, matmul_precision, budget_kind,
         budget_bytes, version)) STRICT;
CREATE TABLE run(
  id INTEGER PRIMARY KEY AUTOINCREMENT, workload INTEGER NOT NULL REFERENCES workload(id),
  schedule INTEGER NOT NULL REFERENCES schedule(id), strategy INTEGER NOT NULL REFERENCES string(id),
  status INTEGER NOT NULL REFERENCES status(id), reason TEXT NOT NULL DEFAULT '',
  started_at TEXT NOT NULL, finished_at TEXT,
  recomputed_stage_forwards INTEGER NOT NULL, recomputed_options INTEGER NOT NULL, kept_boundaries INTEGER NOT NULL,
  predicted_peak_bytes INTEGER, predicted_activation_peak_bytes INTEGER, predicted_step_ns INTEGER, prediction_source TEXT)
  STRICT;
CREATE TABLE result(
  run INTEGER PRIMARY KEY REFERENCES run(id), machine INTEGER NOT NULL REFERENCES machine(id),
  peak_bytes INTEGER, static_bytes INTEGER, activation_peak_bytes INTEGER, allocated_peak_bytes INTEGER,
  reserved_peak_bytes INTEGER, worker_scratch_peak_bytes INTEGER,
  peak_op TEXT, peak_stage INTEGER, peak_layer INTEGER, peak_phase TEXT,
  step_median_ns INTEGER, step_q1_ns INTEGER, step_q3_ns INTEGER, step_n INTEGER,
  forward_ns INTEGER, recompute_ns INTEGER, backward_ns INTEGER, loss_ns INTEGER, optimizer_ns INTEGER, other_ns INTEGER,
  tokens_per_second REAL, loss REAL,
  equality_checked INTEGER NOT NULL CHECK(equality_checked IN (0, 1)), equality_reference TEXT,
  equality_differing_elements INTEGER, equality_max_abs_diff REAL, equality_why TEXT) STRICT;

CREATE TABLE recording(
  run INTEGER PRIMARY KEY REFERENCES run(id), events INTEGER NOT NULL CHECK(events >= 0),
  synchronised INTEGER NOT NULL CHECK(synchronised IN (0, 1))) STRICT;
CREATE TABLE baseline(
  run INTEGER NOT NULL REFERENCES recording(run), category INTEGER NOT NULL REFERENCES category(id), bytes INTEGER NOT NULL,
  PRIMARY KEY(run, category)) STRICT, WITHOUT ROWID;
CREATE TABLE op_name(
  run INTEGER NOT NULL REFERENCES recording(run), position INTEGER NOT NULL, name INTEGER NOT NULL REFERENCES string(id),
  PRIMARY KEY(run, position)) STRICT, WITHOUT ROWID;
CREATE TABLE op_record(
  run INTEGER NOT NULL REFERENCES recording(run), position INTEGER NOT NULL, code INTEGER NOT NULL REFERENCES string(id),
  stage INTEGER NOT NULL, micro_batch INTEGER NOT NULL, phase INTEGER NOT NULL REFERENCES phase(id),
  begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, rebuild_ns INTEGER NOT NULL, held_before_bytes INTEGER NOT NULL,
  peak_bytes INTEGER NOT NULL, held_after_bytes INTEGER NOT NULL,
  PRIMARY KEY(run, position)) STRICT, WITHOUT ROWID;
CREATE TABLE event_chunk(
  run INTEGER NOT NULL REFERENCES recording(run), position INTEGER NOT NULL, events INTEGER NOT NULL CHECK(events BETWEEN 1 AND 8192),
  first_ns INTEGER NOT NULL, last_ns INTEGER NOT NULL, held_min_bytes INTEGER NOT NULL, held_max_bytes INTEGER NOT NULL,
  activation_min_bytes INTEGER NOT NULL, activation_max_bytes INTEGER NOT NULL, codec INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(run, position)) STRICT;
CREATE TABLE alive_at_peak(
  run INTEGER NOT NULL REFERENCES recording(run), stage INTEGER NOT NULL, category INTEGER NOT NULL REFERENCES category(id),
  peak_bytes INTEGER NOT NULL, activation_peak_bytes INTEGER NOT NULL,
  PRIMARY KEY(run, stage, category)) STRICT, WITHOUT ROWID;

CREATE TABLE user_run(
  run INTEGER PRIMARY KEY REFERENCES run(id), note TEXT NOT NULL DEFAULT '',
  starred INTEGER NOT NULL DEFAULT 0 CHECK(starred IN (0, 1)), hidden INTEGER NOT NULL DEFAULT 0 CHECK(hidden IN (0, 1))) STRICT;

CREATE TRIGGER run_final BEFORE UPDATE ON run WHEN OLD.status > 1
  BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;
CREATE TRIGGER result_final BEFORE UPDATE ON result BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;

CREATE VIEW points AS
  SELECT run.id AS run, strategy.text AS strategy, status.name AS status, nullif(run.reason, '') AS reason,
    model.name AS model, batch, seq, micro_batches, dtype, attention, device, grads,
    result.peak_bytes AS peak_bytes, static_bytes, activation_peak_bytes, allocated_peak_bytes, reserved_peak_bytes,
    worker_scratch_peak_bytes, peak_op, peak_stage, peak_layer, peak_phase,
    step_median_ns, step_q1_ns, step_q3_ns, step_n, forward_ns, recompute_ns, backward_ns, loss_ns, optimizer_ns, other_ns,
    tokens_per_second, recomputed_stage_forwards, recomputed_options, kept_boundaries,
    predicted_peak_bytes, predicted_activation_peak_bytes, predicted_step_ns, prediction_source, loss,
    equality_checked, equality_reference, equality_differing_elements, equality_max_abs_diff, equality_why
  FROM run JOIN string AS strategy ON strategy.id = run.strategy JOIN status ON status.id = run.status
    JOIN workload ON workload.id = run.workload JOIN model ON model.id = workload.model
    LEFT JOIN result ON result.run = run.id;
CREATE VIEW environment AS
  SELECT result.run AS run, cpu, cores, threads, memory_bytes, os, libtorch, device_name, attention_kernel, matmul_precision,
    budget_kind, budget_bytes, version
  FROM result JOIN machine ON machine.id = result.machine;
CREATE VIEW ops AS
  SELECT op_record.run AS run, position, string.text AS op, nullif(stage, -1) AS stage,
    CASE WHEN stage BETWEEN 1 AND 2 * model.layers THEN (stage - 1) / 2 END AS layer,
    micro_batch, phase.name AS phase, begin_ns, end_ns, rebuild_ns, held_before_bytes, op_record.peak_bytes AS peak_bytes,
    held_after_bytes
  FROM op_record JOIN string ON string.id = op_record.code JOIN phase ON phase.id = op_record.phase
    JOIN run ON run.id = op_record.run JOIN workload ON workload.id = run.workload JOIN model ON model.id = workload.model;
CREATE VIEW layer_times AS
  SELECT run, layer,
    sum(CASE WHEN phase = 'forward' THEN end_ns - begin_ns ELSE 0 END) AS forward_ns,
    sum(CASE WHEN phase = 'recompute' THEN end_ns - begin_ns ELSE rebuild_ns END) AS recompute_ns,
    sum(CASE WHEN phase = 'backward' THEN end_ns - begin_ns - rebuild_ns ELSE 0 END) AS backward_ns
  FROM ops WHERE layer IS NOT NULL GROUP BY run, layer;
CREATE VIEW layer_memory AS
  SELECT alive_at_peak.run AS run, (stage - 1) / 2 AS layer, category.name AS category,
    sum(alive_at_peak.peak_bytes) AS peak_bytes, sum(alive_at_peak.activation_peak_bytes) AS activation_peak_bytes
  FROM alive_at_peak JOIN category ON category.id = alive_at_peak.category JOIN run ON run.id = alive_at_peak.run
    JOIN workload ON workload.id = run.workload JOIN model ON model.id = workload.model
  WHERE stage BETWEEN 1 AND 2 * model.layers GROUP BY alive_at_peak.run, layer, category.id;
CREATE VIEW stage_costs AS
  SELECT cost_set.workload AS workload, cost_set.source AS source, stage, string.text AS option, output_bytes, saved_bytes,
    gradient_bytes, forward_transient_bytes, forward_save_transient_bytes, backward_transient_bytes, forward_ns,
    forward_save_ns, phantom_ns, backward_ns, rebuild_ns
  FROM stage_cost JOIN cost_set ON cost_set.id = stage_cost.cost_set JOIN string ON string.id = stage_cost.option
  WHERE cost_set.id IN (SELECT max(id) FROM cost_set GROUP BY workload);
)sql";

// Views are made anew: two of them knew only blocks of two stages. What older programs did not write has its meaning then.
constexpr const char *kVersion2 = R"sql(
DROP VIEW layer_times;
DROP VIEW layer_memory;
DROP VIEW ops;
DROP VIEW points;
DROP VIEW environment;
DROP VIEW stage_costs;
ALTER TABLE model ADD COLUMN stages_per_layer INTEGER NOT NULL DEFAULT 2 CHECK(stages_per_layer IN (1, 2));
ALTER TABLE workload ADD COLUMN optimizer TEXT NOT NULL DEFAULT 'adamw';
ALTER TABLE workload ADD COLUMN train TEXT NOT NULL DEFAULT 'all';
ALTER TABLE workload ADD COLUMN loss_mode TEXT NOT NULL DEFAULT 'full';
UPDATE workload SET optimizer = coalesce(json_extract(json, '$.optimizer'), 'adamw');
ALTER TABLE stage_cost ADD COLUMN remembered_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN segments_total INTEGER NOT NULL DEFAULT 0;
ALTER TABLE result ADD COLUMN loss_dtype TEXT NOT NULL DEFAULT 'fp32';
ALTER TABLE result ADD COLUMN attention_why TEXT;
ALTER TABLE result ADD COLUMN skipped_steps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE result ADD COLUMN missing_gradients INTEGER NOT NULL DEFAULT 0;
ALTER TABLE result ADD COLUMN recompute_attention_ns INTEGER;
ALTER TABLE result ADD COLUMN recompute_ffn_ns INTEGER;
ALTER TABLE result ADD COLUMN recompute_norm_ns INTEGER;
ALTER TABLE result ADD COLUMN random_state_ns INTEGER;
ALTER TABLE result ADD COLUMN segments_recomputed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE result ADD COLUMN allocator TEXT;
ALTER TABLE result ADD COLUMN clock_mhz INTEGER;
CREATE TABLE kept_block(
  run INTEGER NOT NULL REFERENCES recording(run), position INTEGER NOT NULL, stage INTEGER NOT NULL,
  op INTEGER NOT NULL REFERENCES string(id), name INTEGER NOT NULL REFERENCES string(id),
  category INTEGER NOT NULL REFERENCES category(id), bytes INTEGER NOT NULL, count INTEGER NOT NULL CHECK(count > 0),
  made_ns INTEGER NOT NULL, dropped_ns INTEGER NOT NULL, PRIMARY KEY(run, position)) STRICT, WITHOUT ROWID;

CREATE VIEW points AS
  SELECT run.id AS run, strategy.text AS strategy, status.name AS status, nullif(run.reason, '') AS reason,
    model.name AS model, batch, seq, micro_batches, dtype, attention, device, grads,
    result.peak_bytes AS peak_bytes, static_bytes, activation_peak_bytes, allocated_peak_bytes, reserved_peak_bytes,
    worker_scratch_peak_bytes, peak_op, peak_stage, peak_layer, peak_phase,
    step_median_ns, step_q1_ns, step_q3_ns, step_n, forward_ns, recompute_ns, backward_ns, loss_ns, optimizer_ns, other_ns,
    tokens_per_second, recomputed_stage_forwards, recomputed_options, kept_boundaries,
    predicted_peak_bytes, predicted_activation_peak_bytes, predicted_step_ns, prediction_source, loss,
    equality_checked, equality_reference, equality_differing_elements, equality_max_abs_diff, equality_why,
    optimizer, train, loss_mode, coalesce(loss_dtype, 'fp32') AS loss_dtype, attention_why, skipped_steps, missing_gradients,
    recompute_attention_ns, recompute_ffn_ns, recompute_norm_ns, random_state_ns, segments_recomputed, segments_total
  FROM run JOIN string AS strategy ON strategy.id = run.strategy JOIN status ON status.id = run.status
    JOIN workload ON workload.id = run.workload JOIN model ON model.id = workload.model
    LEFT JOIN result ON result.run = run.id;
CREATE VIEW environment AS
  SELECT result.run AS run, cpu, cores, threads, memory_bytes, os, libtorch, device_name, attention_kernel, matmul_precision,
    budget_kind, budget_bytes, version, allocator, clock_mhz
  FROM result JOIN machine ON machine.id = result.machine;
CREATE VIEW ops AS
  SELECT op_record.run AS run, position, string.text AS op, nullif(stage, -1) AS stage,
    CASE WHEN stage BETWEEN 1 AND stages_per_layer * model.layers THEN (stage - 1) / stages_per_layer END AS layer,
    micro_batch, phase.name AS phase, begin_ns, end_ns, rebuild_ns, held_before_bytes, op_record.peak_bytes AS peak_bytes,
    held_after_bytes
  FROM op_record JOIN string ON string.id = op_record.code JOIN phase ON phase.id = op_record.phase
    JOIN run ON run.id = op_record.run JOIN workload ON workload.id = run.workload JOIN model ON model.id = workload.model;
CREATE VIEW layer_times AS
  SELECT run, layer,
    sum(CASE WHEN phase = 'forward' THEN end_ns - begin_ns ELSE 0 END) AS forward_ns,
    sum(CASE WHEN phase = 'recompute' THEN end_ns - begin_ns ELSE rebuild_ns END) AS recompute_ns,
    sum(CASE WHEN phase = 'backward' THEN end_ns - begin_ns - rebuild_ns ELSE 0 END) AS backward_ns
  FROM ops WHERE layer IS NOT NULL GROUP BY run, layer;
CREATE VIEW layer_memory AS
  SELECT alive_at_peak.run AS run, (stage - 1) / stages_per_layer AS layer, category.name AS category,
    sum(alive_at_peak.peak_bytes) AS peak_bytes, sum(alive_at_peak.activation_peak_bytes) AS activation_peak_bytes
  FROM alive_at_peak JOIN category ON category.id = alive_at_peak.category JOIN run ON run.id = alive_at_peak.run
    JOIN workload ON workload.id = run.workload JOIN model ON model.id = workload.model
  WHERE stage BETWEEN 1 AND stages_per_layer * model.layers GROUP BY alive_at_peak.run, layer, category.id;
CREATE VIEW stage_costs AS
  SELECT cost_set.workload AS workload, cost_set.source AS source, stage, string.text AS option, output_bytes, saved_bytes,
    gradient_bytes, forward_transient_bytes, forward_save_transient_bytes, backward_transient_bytes, forward_ns,
    forward_save_ns, phantom_ns, backward_ns, rebuild_ns, remembered_bytes
  FROM stage_cost JOIN cost_set ON cost_set.id = stage_cost.cost_set JOIN string ON string.id = stage_cost.option
  WHERE cost_set.id IN (SELECT max(id) FROM cost_set GROUP BY workload);
CREATE VIEW kept_blocks AS
  SELECT kept_block.run AS run, position,
    CASE WHEN stage BETWEEN 1 AND stages_per_layer * model.layers THEN (stage - 1) / stages_per_layer END AS layer,
    stage, op.text AS op, name.text AS operator, category.name AS category, bytes, count, made_ns, dropped_ns
  FROM kept_block JOIN string AS op ON op.id = kept_block.op JOIN string AS name ON name.id = kept_block.name
    JOIN category ON category.id = kept_block.category JOIN run ON run.id = kept_block.run
    JOIN workload ON workload.id = run.workload JOIN model ON model.id = workload.model;
)sql";

// Counts that nobody made are NULL, not 0. Version 2 wrote 0 and the parts of recomputation where it had measured, version 1
// wrote neither; a 0 that cannot be told apart becomes NULL.
constexpr const char *kVersion3 = R"sql(
DROP VIEW points;
DROP VIEW environment;
DROP TRIGGER run_final;
DROP TRIGGER result_final;
ALTER TABLE workload ADD COLUMN update_in_backward INTEGER NOT NULL DEFAULT 0 CHECK(update_in_backward IN (0, 1));
UPDATE workload SET update_in_backward = 1 WHERE json_extract(json, '$.update_in_backward') = 1;
ALTER TABLE run RENAME COLUMN segments_total TO old_segments_total;
ALTER TABLE run ADD COLUMN segments_total INTEGER;
UPDATE run SET segments_total = old_segments_total
  WHERE old_segments_total > 0 OR id IN (SELECT run FROM result WHERE recompute_attention_ns IS NOT NULL);
ALTER TABLE run DROP COLUMN old_segments_total;
ALTER TABLE result RENAME COLUMN segments_recomputed TO old_segments_recomputed;
ALTER TABLE result RENAME COLUMN skipped_steps TO old_skipped_steps;
ALTER TABLE result RENAME COLUMN missing_gradients TO old_missing_gradients;
ALTER TABLE result ADD COLUMN segments_recomputed INTEGER;
ALTER TABLE result ADD COLUMN skipped_steps INTEGER;
ALTER TABLE result ADD COLUMN missing_gradients INTEGER;
UPDATE result SET segments_recomputed = old_segments_recomputed WHERE recompute_attention_ns IS NOT NULL;
UPDATE result SET skipped_steps = old_skipped_steps WHERE old_skipped_steps > 0 OR recompute_attention_ns IS NOT NULL;
UPDATE result SET missing_gradients = old_missing_gradients
  WHERE old_missing_gradients > 0 OR (recompute_attention_ns IS NOT NULL AND equality_checked = 1);
ALTER TABLE result DROP COLUMN old_segments_recomputed;
ALTER TABLE result DROP COLUMN old_skipped_steps;
ALTER TABLE result DROP COLUMN old_missing_gradients;
ALTER TABLE result ADD COLUMN device_used_peak_bytes INTEGER;
ALTER TABLE result ADD COLUMN failure_reserved_bytes INTEGER;
ALTER TABLE result ADD COLUMN failure_free_bytes INTEGER;
ALTER TABLE result ADD COLUMN failure_largest_free_bytes INTEGER;
ALTER TABLE result ADD COLUMN paging_suspected TEXT;
ALTER TABLE result ADD COLUMN driver TEXT;
ALTER TABLE result ADD COLUMN memory_clock_mhz INTEGER;
ALTER TABLE result ADD COLUMN power_limit_watts INTEGER;
ALTER TABLE result ADD COLUMN temperature_c INTEGER;
ALTER TABLE result ADD COLUMN device_used_bytes INTEGER;
ALTER TABLE result ADD COLUMN process_used_bytes INTEGER;
ALTER TABLE result ADD COLUMN device_why TEXT;
CREATE TRIGGER run_final BEFORE UPDATE ON run WHEN OLD.status > 1
  BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;
CREATE TRIGGER result_final BEFORE UPDATE ON result BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;

CREATE VIEW points AS
  SELECT run.id AS run, strategy.text AS strategy, status.name AS status, nullif(run.reason, '') AS reason,
    model.name AS model, batch, seq, micro_batches, dtype, attention, device, grads,
    result.peak_bytes AS peak_bytes, static_bytes, activation_peak_bytes, allocated_peak_bytes, reserved_peak_bytes,
    worker_scratch_peak_bytes, peak_op, peak_stage, peak_layer, peak_phase,
    step_median_ns, step_q1_ns, step_q3_ns, step_n, forward_ns, recompute_ns, backward_ns, loss_ns, optimizer_ns, other_ns,
    tokens_per_second, recomputed_stage_forwards, recomputed_options, kept_boundaries,
    predicted_peak_bytes, predicted_activation_peak_bytes, predicted_step_ns, prediction_source, loss,
    equality_checked, equality_reference, equality_differing_elements, equality_max_abs_diff, equality_why,
    optimizer, train, loss_mode, coalesce(loss_dtype, 'fp32') AS loss_dtype, attention_why, skipped_steps, missing_gradients,
    recompute_attention_ns, recompute_ffn_ns, recompute_norm_ns, random_state_ns, segments_recomputed, segments_total,
    update_in_backward, device_used_peak_bytes, failure_reserved_bytes, failure_free_bytes, failure_largest_free_bytes,
    CASE WHEN failure_free_bytes > 0 THEN 1.0 - 1.0 * failure_largest_free_bytes / failure_free_bytes END AS fragmentation,
    paging_suspected
  FROM run JOIN string AS strategy ON strategy.id = run.strategy JOIN status ON status.id = run.status
    JOIN workload ON workload.id = run.workload JOIN model ON model.id = workload.model
    LEFT JOIN result ON result.run = run.id;
CREATE VIEW environment AS
  SELECT result.run AS run, cpu, cores, threads, memory_bytes, os, libtorch, device_name, attention_kernel, matmul_precision,
    budget_kind, budget_bytes, version, allocator, clock_mhz, driver, memory_clock_mhz, power_limit_watts, temperature_c,
    device_used_bytes, process_used_bytes, device_why
  FROM result JOIN machine ON machine.id = result.machine;
)sql";

} // namespace

const std::vector<Migration> &migrations()
{
    static const std::vector<Migration> list{{1, kVersion1}, {2, kVersion2}, {3, kVersion3}};
    return list;
}

} // namespace remat::core
