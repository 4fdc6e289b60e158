// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "memory/recording_builder.h"

#include <algorithm>
#include <unordered_map>

namespace remat::gpu {

using core::Bytes;
using core::Category;
using core::OpRecord;
using core::Phase;
using core::Recording;

namespace {

struct BlockFacts
{
    Category category = Category::other;
    bool tagged = false;
    bool worker = false;
    bool madeHere = false; // allocated during the recorded step
    std::uint32_t madeIn = 0;
    std::uint32_t releasedIn = UINT32_MAX;
    Phase phase = Phase::other;
};

/// The address of a CUDA block is used again after its release; a block is a life, not an address.
class BlockTable
{
public:
    explicit BlockTable(const MemoryEventLog &log)
    {
        m_blockOfEvent.reserve(log.size());
        for (const RawEvent &event : log)
            take(event);
    }

    [[nodiscard]] std::uint32_t blockOf(std::size_t event) const { return m_blockOfEvent[event]; }
    [[nodiscard]] const BlockFacts &facts(std::uint32_t block) const { return m_blocks[block]; }
    [[nodiscard]] std::vector<BlockFacts> &blocks() { return m_blocks; }

private:
    void take(const RawEvent &event)
    {
        if (event.kind == RawEvent::Kind::allocation) {
            m_current[event.block] = static_cast<std::uint32_t>(m_blocks.size());
            m_blocks.push_back({event.category, event.category != Category::other, event.worker, true, event.op,
                                UINT32_MAX, event.phase});
        }
        const auto [it, isUnknown] = m_current.try_emplace(event.block, static_cast<std::uint32_t>(m_blocks.size()));
        if (isUnknown) // existed before the step
            m_blocks.push_back({event.category, true, event.worker, false, 0, UINT32_MAX, Phase::other});
        BlockFacts &facts = m_blocks[it->second];
        if (event.kind == RawEvent::Kind::tag) {
            facts.category = event.category;
            facts.tagged = true;
        }
        if (event.kind == RawEvent::Kind::release)
            facts.releasedIn = event.op;
        m_blockOfEvent.push_back(it->second);
    }

    std::unordered_map<std::uint64_t, std::uint32_t> m_current;
    std::vector<BlockFacts> m_blocks;
    std::vector<std::uint32_t> m_blockOfEvent;
};

Category categoryOf(const BlockFacts &facts, const std::vector<OpRecord> &ops)
{
    if (facts.worker)
        return Category::workerScratch;
    if (facts.tagged || facts.madeIn >= ops.size())
        return facts.category;
    const OpRecord &op = ops[facts.madeIn];
    const bool outlivesOp = facts.releasedIn != facts.madeIn;
    const char kind = op.code.empty() ? '?' : op.code.front();
    if (kind == 'E' && outlivesOp)
        return op.phase == Phase::recompute ? Category::recomputedActivation : Category::savedActivation;
    if (kind == 'L')
        return Category::logitsAndLoss;
    if (facts.phase == Phase::recompute && kind == 'B')
        return Category::recomputedActivation;
    return outlivesOp ? Category::other : Category::temporary;
}

/// Held bytes before, at most during and after each op, and worker scratch left out.
class OpBytes
{
public:
    OpBytes(std::vector<OpRecord> &ops, Bytes held) : m_ops(ops), m_held(held) { open(0); }
    void take(std::uint32_t op, Bytes bytes)
    {
        while (m_current < op && m_current + 1 < m_ops.size())
            open(m_current + 1);
        m_held += bytes;
        if (!m_ops.empty())
            m_ops[m_current].peak = std::max(m_ops[m_current].peak, m_held);
    }
    void finish()
    {
        while (m_current + 1 < m_ops.size())
            open(m_current + 1);
        if (!m_ops.empty())
            m_ops[m_current].heldAfter = m_held;
    }

private:
    void open(std::size_t op)
    {
        if (m_ops.empty())
            return;
        m_ops[m_current].heldAfter = m_held;
        m_current = op;
        m_ops[op].heldBefore = m_held;
        m_ops[op].peak = m_held;
    }

    std::vector<OpRecord> &m_ops;
    std::size_t m_current = 0;
    Bytes m_held;
};

} // namespace

Recording buildRecording(const MemoryEventLog &log, std::vector<OpRecord> ops,
                         const std::array<Bytes, core::kCategoryCount> &baseline, core::Nanoseconds stepBegin)
{
    Recording recording;
    recording.baseline = baseline;
    BlockTable table(log);
    for (BlockFacts &facts : table.blocks())
        facts.category = categoryOf(facts, ops);
    Bytes held = 0;
    for (std::size_t i = 0; i < baseline.size(); ++i)
        held += static_cast<Category>(i) == Category::workerScratch ? 0 : baseline[i];
    OpBytes bytes(ops, held);
    recording.events.reserve(log.size());
    std::size_t at = 0;
    for (const RawEvent &event : log) {
        const std::uint32_t block = table.blockOf(at++);
        if (event.kind == RawEvent::Kind::tag)
            continue;
        const BlockFacts &facts = table.facts(block);
        if (!facts.worker)
            bytes.take(event.op, event.bytes);
        recording.events.push_back(
            {event.ns - stepBegin, event.bytes, block, event.op, event.name, facts.category, event.phase});
    }
    bytes.finish();
    recording.ops = std::move(ops);
    return recording;
}

} // namespace remat::gpu
