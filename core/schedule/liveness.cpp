// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/liveness.h"

#include <algorithm>
#include <string>

namespace remat::core {

namespace {

constexpr int kNone = -1;

/// Walks the list once; everything it learns about an op's output is written into that op's facts when a later op
/// reads it.
class LivenessPass
{
public:
    LivenessPass(const Schedule &schedule, int firstTrainable)
        : m_schedule(schedule),
          m_first(firstTrainable),
          m_producer(static_cast<std::size_t>(schedule.stages) + 1, kNone),
          m_saved(static_cast<std::size_t>(schedule.stages), kNone),
          m_ran(static_cast<std::size_t>(schedule.stages), false),
          m_lastReader(schedule.ops.size(), kNone),
          m_lastBoundaryZeroReader(kNone),
          m_nextBackward(schedule.stages - 1)
    {
        m_result.firstTrainable = firstTrainable;
        m_result.facts.resize(schedule.ops.size());
    }

    Result<Liveness> run()
    {
        for (m_at = 0; m_at < static_cast<int>(m_schedule.ops.size()); ++m_at) {
            if (std::string problem = take(m_schedule.ops[index(m_at)]); !problem.empty())
                return fail(m_at, problem);
        }
        if (m_lossAt == kNone)
            return Error{ErrorCode::refused, "The schedule is invalid: it has no loss (L)."};
        if (m_nextBackward >= m_first)
            return Error{ErrorCode::refused,
                         "The schedule is invalid: stage " + std::to_string(m_nextBackward) + " has no backward (B"
                             + std::to_string(m_nextBackward) + ")."};
        return finish();
    }

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    [[nodiscard]] Error fail(int at, const std::string &problem) const
    {
        return {ErrorCode::refused,
                "The schedule is invalid at operation " + std::to_string(at) + " ("
                    + toString(m_schedule.ops[index(at)]) + "): " + problem + "."};
    }

    std::string take(const Op &op)
    {
        if (op.kind == OpKind::loss)
            return takeLoss();
        if (op.stage < 0 || op.stage >= m_schedule.stages)
            return "the chain has stages 0 to " + std::to_string(m_schedule.stages - 1);
        if (op.kind == OpKind::backward)
            return takeBackward(op.stage);
        return takeForward(op);
    }

    std::string read(int boundary)
    {
        if (boundary == 0) {
            m_lastBoundaryZeroReader = m_at;
            return {};
        }
        const int producer = m_producer[index(boundary)];
        if (producer == kNone)
            return "its input, the output of stage " + std::to_string(boundary - 1) + ", does not exist yet";
        m_lastReader[index(producer)] = m_at;
        return {};
    }

    std::string takeForward(const Op &op)
    {
        const int stage = op.stage;
        if (op.kind == OpKind::forwardSave) {
            if (stage < m_first)
                return "stages below the first trainable one (" + std::to_string(m_first) + ") are only run by F";
            if (m_saved[index(stage)] != kNone)
                return "stage " + std::to_string(stage) + " was already saved at operation "
                    + std::to_string(m_saved[index(stage)]);
        }
        if (std::string problem = read(stage); !problem.empty())
            return problem;
        const int output = stage + 1;
        const bool pinned = output < m_schedule.stages && m_saved[index(output)] != kNone && output <= m_nextBackward;
        if (pinned)
            return "it makes the input of stage " + std::to_string(output) + ", which a live graph still holds";
        m_result.facts[index(m_at)].recomputation = m_ran[index(stage)];
        m_ran[index(stage)] = true;
        m_producer[index(output)] = m_at;
        if (op.kind == OpKind::forwardSave)
            m_saved[index(stage)] = m_at;
        return {};
    }

    std::string takeLoss()
    {
        if (m_lossAt != kNone)
            return "the loss was already computed at operation " + std::to_string(m_lossAt);
        m_lossAt = m_at;
        return read(m_schedule.stages);
    }

    std::string takeBackward(int stage)
    {
        if (m_lossAt == kNone)
            return "there is no gradient before the loss (L)";
        if (stage < m_first)
            return "stages below the first trainable one (" + std::to_string(m_first) + ") have no backward";
        if (stage != m_nextBackward)
            return m_nextBackward < m_first
                ? std::string("every backward was already done")
                : "backwards run in falling order, the next one is B" + std::to_string(m_nextBackward);
        if (m_saved[index(stage)] == kNone)
            return "stage " + std::to_string(stage) + " has no saved graph (E" + std::to_string(stage) + ")";
        --m_nextBackward;
        return {};
    }

    Result<Liveness> finish()
    {
        for (int at = 0; at < static_cast<int>(m_schedule.ops.size()); ++at) {
            const Op &op = m_schedule.ops[index(at)];
            if (op.kind != OpKind::forward && op.kind != OpKind::forwardSave)
                continue;
            OpFacts &facts = m_result.facts[index(at)];
            const int last = m_lastReader[index(at)];
            if (last == kNone) {
                if (op.kind == OpKind::forward)
                    return fail(at, "nobody reads its output, so it is useless");
                facts.phantomOutput = true;
                continue;
            }
            m_result.facts[index(last)].lastReadOfInput = true;
            facts.outputKept = at < m_lossAt && last > m_lossAt;
            const Op &reader = m_schedule.ops[index(last)];
            facts.outputSurvivesNext = last != at + 1 || reader.kind == OpKind::forwardSave;
        }
        if (m_lastBoundaryZeroReader != kNone)
            m_result.facts[index(m_lastBoundaryZeroReader)].lastReadOfInput = true;
        return std::move(m_result);
    }

    const Schedule &m_schedule;
    int m_first;
    std::vector<int> m_producer; // per boundary: op of its latest production
    std::vector<int> m_saved;    // per stage: op of its ForwardSave
    std::vector<bool> m_ran;
    std::vector<int> m_lastReader; // per op: last reader of its output
    int m_lastBoundaryZeroReader;
    int m_nextBackward;
    int m_lossAt = kNone;
    int m_at = 0;
    Liveness m_result;
};

} // namespace

Result<Liveness> analyse(const Schedule &schedule, int firstTrainable)
{
    if (schedule.stages < 1)
        return Error{ErrorCode::refused, "The schedule is invalid: it has no stages."};
    if (firstTrainable < 0 || firstTrainable >= schedule.stages)
        return Error{ErrorCode::refused,
                     "The first trainable stage " + std::to_string(firstTrainable) + " is not one of the chain's "
                         + std::to_string(schedule.stages) + "."};
    return LivenessPass(schedule, firstTrainable).run();
}

} // namespace remat::core
