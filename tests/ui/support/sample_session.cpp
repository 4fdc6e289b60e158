// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "ui/support/sample_session.h"

#include <algorithm>
#include <map>

#include "schedule/simulator.h"
#include "schedule/strategy.h"

namespace remat::tests {

namespace {

constexpr core::Bytes kMiB = 1024 * 1024;

/// Walks over the ops of a schedule and writes down what an executor would allocate and free.
class StepWriter
{
public:
    StepWriter(const core::Schedule &schedule, const core::ChainCosts &costs) : m_schedule(schedule), m_costs(costs) { }

    core::Recording write();

private:
    std::uint32_t take(core::Bytes bytes, core::Category category);
    void give(std::uint32_t block);
    void begin(const std::string &code, int stage, core::Phase phase);
    void end(core::Nanoseconds ns);
    void forward(const core::Op &op, const core::OpFacts &facts);
    void loss();
    void backward(const core::Op &op);
    void release(std::map<int, std::uint32_t> &blocks, int key);

    const core::Schedule &m_schedule;
    const core::ChainCosts &m_costs;
    core::Recording m_recording;
    std::map<std::uint32_t, std::pair<core::Bytes, core::Category>> m_live;
    std::map<int, std::uint32_t> m_boundary;
    std::map<int, std::uint32_t> m_saved;
    std::map<int, std::string> m_option; // of the stage's last saving forward
    std::uint32_t m_gradient = 0;
    std::uint32_t m_next = 1;
    core::Nanoseconds m_now = 0;
    core::Bytes m_held = 0;
};

std::uint32_t StepWriter::take(core::Bytes bytes, core::Category category)
{
    const auto op = static_cast<std::uint32_t>(m_recording.ops.size() - 1);
    m_recording.events.push_back(
        {m_now, bytes, m_next, op, static_cast<std::uint16_t>(m_next % 3), category, m_recording.ops.back().phase});
    m_live[m_next] = {bytes, category};
    m_held += bytes;
    m_recording.ops.back().peak = std::max(m_recording.ops.back().peak, m_held);
    m_now += 20'000;
    return m_next++;
}

void StepWriter::give(std::uint32_t block)
{
    const auto found = m_live.find(block);
    if (found == m_live.end())
        return;
    const auto op = static_cast<std::uint32_t>(m_recording.ops.size() - 1);
    m_recording.events.push_back(
        {m_now, -found->second.first, block, op, 0, found->second.second, m_recording.ops.back().phase});
    m_held -= found->second.first;
    m_live.erase(found);
    m_now += 20'000;
}

void StepWriter::release(std::map<int, std::uint32_t> &blocks, int key)
{
    if (const auto found = blocks.find(key); found != blocks.end()) {
        give(found->second);
        blocks.erase(found);
    }
}

void StepWriter::begin(const std::string &code, int stage, core::Phase phase)
{
    core::OpRecord op;
    op.code = code;
    op.stage = stage;
    op.phase = phase;
    op.begin = m_now;
    op.heldBefore = op.peak = m_held;
    m_recording.ops.push_back(op);
}

void StepWriter::end(core::Nanoseconds ns)
{
    core::OpRecord &op = m_recording.ops.back();
    m_now = std::max(m_now, op.begin + ns);
    op.end = m_now;
    op.heldAfter = m_held;
}

void StepWriter::forward(const core::Op &op, const core::OpFacts &facts)
{
    const core::StageCost &cost = m_costs.stages[static_cast<std::size_t>(op.stage)];
    const bool save = op.kind == core::OpKind::forwardSave;
    begin(core::toString(op), op.stage, facts.recomputation ? core::Phase::recompute : core::Phase::forward);
    if (save) {
        m_option[op.stage] = op.option;
        m_saved[op.stage]
            = take(cost.options.at(op.option).saved,
                   facts.recomputation ? core::Category::recomputedActivation : core::Category::savedActivation);
    }
    const std::uint32_t scratch = take(cost.forward.activation, core::Category::temporary);
    m_now += cost.forwardNs / 2;
    release(m_boundary, op.stage + 1);
    if (!facts.phantomOutput)
        m_boundary[op.stage + 1] = take(cost.output,
                                        facts.outputKept               ? core::Category::boundary
                                            : facts.outputSurvivesNext ? core::Category::savedActivation
                                                                       : core::Category::temporary);
    give(scratch);
    if (facts.lastReadOfInput && !save)
        release(m_boundary, op.stage);
    end(cost.forwardNs);
}

void StepWriter::loss()
{
    begin("L", m_schedule.stages, core::Phase::loss);
    const std::uint32_t logits = take(9 * kMiB, core::Category::logitsAndLoss);
    m_now += m_costs.loss.ns / 2;
    const std::uint32_t copy = take(4 * kMiB, core::Category::logitsAndLoss);
    m_gradient = take(m_costs.stages.back().output, core::Category::activationGradient);
    give(copy);
    give(logits);
    release(m_boundary, m_schedule.stages);
    end(m_costs.loss.ns);
}

void StepWriter::backward(const core::Op &op)
{
    const core::StageCost &cost = m_costs.stages[static_cast<std::size_t>(op.stage)];
    begin(core::toString(op), op.stage, core::Phase::backward);
    const std::uint32_t scratch = take(cost.forward.activation, core::Category::temporary);
    const std::string &option = m_option[op.stage];
    const core::Nanoseconds rebuild = cost.options.at(option).rebuildNs;
    const core::Nanoseconds ns = cost.options.at(option).backwardNs + rebuild;
    m_recording.ops.back().rebuildNs = rebuild;
    m_now += ns / 2;
    const std::uint32_t next = take(std::max<core::Bytes>(cost.output, 1), core::Category::activationGradient);
    give(m_gradient);
    m_gradient = next;
    release(m_saved, op.stage);
    release(m_boundary, op.stage);
    give(scratch);
    end(ns);
}

core::Recording StepWriter::write()
{
    m_recording.names = {"aten::addmm", "aten::gelu", "aten::native_layer_norm"};
    m_recording.baseline[static_cast<std::size_t>(core::Category::parameter)] = 38 * kMiB;
    m_recording.baseline[static_cast<std::size_t>(core::Category::optimizerState)] = 76 * kMiB;
    m_held = 114 * kMiB;
    const auto liveness = core::analyse(m_schedule);
    if (!liveness)
        return {};
    for (std::size_t i = 0; i < m_schedule.ops.size(); ++i) {
        const core::Op &op = m_schedule.ops[i];
        if (op.kind == core::OpKind::loss)
            loss();
        else if (op.kind == core::OpKind::backward)
            backward(op);
        else
            forward(op, liveness->facts[i]);
    }
    begin("optimizer", -1, core::Phase::optimizer);
    give(m_gradient);
    give(take(kMiB, core::Category::temporary));
    end(m_costs.optimizerNs);
    return std::move(m_recording);
}

core::Schedule scheduleOf(const std::string &strategy, int layers)
{
    const auto parsed = core::parseStrategy(strategy);
    auto schedule = parsed ? core::makeSchedule(*parsed, layers) : core::Result<core::Schedule>(parsed.error());
    return schedule ? std::move(schedule).value() : core::Schedule{};
}

} // namespace

core::ModelConfig sampleModel(int layers)
{
    core::ModelConfig model;
    model.name = "nanoGPT";
    model.family = "nanogpt";
    model.layers = layers;
    model.width = 256;
    model.heads = model.kvHeads = 4;
    model.headSize = 64;
    model.ffnWidth = 1024;
    model.vocabulary = 8192;
    model.positions = 1024;
    model.tiedHead = true;
    model.residualDropout = model.embeddingDropout = 0.1;
    model.derived = {{"head_size", "64", "n_embd / n_head"}};
    model.defaulted = {{"bias", "true", "absent; the family's default"}};
    model.ignored = {{"init_device", "meta", "no effect on a training step"}};
    return model;
}

core::ChainCosts sampleCosts(int layers)
{
    core::ChainCosts costs;
    costs.staticBytes = 114 * kMiB;
    costs.optimizerNs = 9'000'000;
    costs.loss = {{9 * kMiB, 9 * kMiB}, {9 * kMiB, 9 * kMiB}, 0, 6'000'000};
    for (int stage = 0; stage < 2 * layers + 2; ++stage) {
        const bool edge = stage == 0 || stage == 2 * layers + 1;
        const bool attention = stage % 2 == 1;
        core::StageCost cost;
        cost.output = kMiB;
        cost.forward = {edge ? kMiB : 3 * kMiB, edge ? kMiB : 3 * kMiB};
        cost.forwardNs = edge ? 700'000 : attention ? 5'200'000 : 4'700'000;
        core::OptionCost option;
        option.saved = edge ? kMiB : attention ? 6 * kMiB : 9 * kMiB;
        option.forwardSave = option.forwardSavePhantom = cost.forward;
        option.backwardFirst = option.backwardLater = cost.forward;
        option.forwardSaveNs = cost.forwardNs;
        option.phantomNs = cost.forwardNs * 7 / 10;
        option.backwardNs = cost.forwardNs * 2;
        cost.options[""] = option;
        if (!edge) {
            // What is dropped is a third of what attention saves, four ninths of what the feed-forward does.
            option.saved -= attention ? 2 * kMiB : 4 * kMiB;
            option.rebuildNs = cost.forwardNs / (attention ? 4 : 8);
            cost.options[attention ? "drop_core" : "lean_mlp"] = option;
        }
        costs.stages.push_back(cost);
    }
    return costs;
}

core::Recording sampleRecording(const std::string &strategy, int layers)
{
    const core::Schedule schedule = scheduleOf(strategy, layers);
    const core::ChainCosts costs = sampleCosts(layers);
    return StepWriter(schedule, costs).write();
}

core::Point samplePoint(const std::string &strategy, int layers, std::int64_t run)
{
    core::Point point;
    point.run = run;
    point.strategy = strategy;
    point.status = core::RunStatus::done;
    point.model = "nanoGPT";
    point.batch = 4;
    point.seq = 256;
    point.dtype = "fp32";
    point.attention = "sdpa";
    point.device = "cpu";
    point.grads = "freed";
    const core::Recording recording = sampleRecording(strategy, layers);
    const core::RecordingPeaks peaks = core::peaksOf(recording);
    point.peakBytes = point.predictedPeakBytes = peaks.peak;
    point.activationPeakBytes = point.predictedActivationPeakBytes = peaks.activationPeak;
    point.staticBytes = 114 * kMiB;
    const core::Nanoseconds step = recording.ops.back().end;
    point.step = {step, step - step / 180, step + step / 150, 12};
    if (const auto simulation = core::simulate(scheduleOf(strategy, layers), sampleCosts(layers)))
        point.recomputedStageForwards = simulation->recomputedForwards;
    point.equality.checked = true;
    point.equality.reference = "none";
    return point;
}

SampleReader::SampleReader(int layers, const std::vector<std::string> &strategies) : m_layers(layers)
{
    for (const std::string &strategy : strategies)
        add(samplePoint(strategy, layers, static_cast<std::int64_t>(m_runs.size()) + 1));
}

void SampleReader::add(const core::Point &point, const core::Schedule &schedule)
{
    m_schedules[point.run] = schedule;
    core::StoredRun run;
    run.workload = 1;
    run.point = point;
    run.startedAt = "2026-03-14T09:26:53Z";
    m_runs.push_back(run);
    ++m_version;
}

core::Result<std::vector<core::StoredWorkload>> SampleReader::workloads() const
{
    core::StoredWorkload workload;
    workload.id = 1;
    workload.model = sampleModel(m_layers);
    workload.workload.seq = 256;
    workload.workload.threads = 2;
    return std::vector<core::StoredWorkload>{workload};
}

core::Result<core::Schedule> SampleReader::schedule(std::int64_t run) const
{
    const auto stored = m_schedules.find(run);
    return stored != m_schedules.end() ? stored->second : core::Schedule();
}

core::Result<core::Recording> SampleReader::recording(std::int64_t run) const
{
    for (const core::StoredRun &stored : m_runs) {
        if (stored.point.run == run && stored.point.status == core::RunStatus::done)
            return sampleRecording(stored.point.strategy, m_layers);
    }
    return core::Recording{};
}

core::Result<std::vector<core::KeptBlock>> SampleReader::keptBlocks(std::int64_t run) const
{
    const auto read = recording(run);
    return read ? core::keptBlocks(*read) : core::Result<std::vector<core::KeptBlock>>(read.error());
}

core::Result<std::optional<core::ChainCosts>> SampleReader::costs(std::int64_t) const
{
    return std::optional(sampleCosts(m_layers));
}

std::unique_ptr<SampleReader> lectureSession()
{
    auto reader = std::make_unique<SampleReader>(
        12,
        std::vector<std::string>{"none", "every:1", "every:2", "every:3", "every:4", "every:6", "segments:1",
                                 "segments:2", "segments:3", "segments:4", "segments:12", "recursive",
                                 "selective:attention", "selective:mlp", "segments:3+selective:attention+mlp"});
    core::Point failed = samplePoint("sequential:2", 12, 90);
    failed.status = core::RunStatus::doesNotFit;
    failed.peakBytes = failed.activationPeakBytes = -1;
    failed.step = {};
    failed.reason = "The budget of 150 MiB is short by 12.0 MiB at the recomputation of layer 3 · feed-forward.";
    failed.environment.budgetBytes = (114 + 150) * kMiB;
    reader->add(failed);
    return reader;
}

} // namespace remat::tests
