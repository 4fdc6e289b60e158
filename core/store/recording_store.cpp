// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "store/recording_store.h"

#include <map>
#include <unordered_map>

#include "store/event_chunk.h"
#include "store/rows.h"

namespace remat::core {

namespace {

using Statement = SQLite::Statement;

// Far above any real step (a 96-layer model has about a million events), far below what would exhaust memory.
constexpr std::int64_t kMostEvents = 32'000'000;
constexpr std::int64_t kMostOps = 4'000'000;
constexpr Bytes kMostBytes = Bytes{1} << 50;

using AliveKey = std::pair<int, int>; // stage, category
using Alive = std::map<AliveKey, Bytes>;

/// Bytes alive after event `last`, by the stage whose op allocated them.
Alive aliveAfter(const Recording &recording, std::size_t last)
{
    Alive alive;
    std::unordered_map<std::uint32_t, AliveKey> owners;
    for (std::size_t i = 0; i <= last && i < recording.events.size(); ++i) {
        const MemoryEvent &event = recording.events[i];
        if (event.bytes > 0) {
            const int stage = event.op < recording.ops.size() ? recording.ops[event.op].stage : -1;
            const AliveKey key{stage, static_cast<int>(event.category)};
            owners[event.block] = key;
            alive[key] += event.bytes;
        } else if (const auto owner = owners.find(event.block); owner != owners.end()) {
            alive[owner->second] += event.bytes;
        }
    }
    return alive;
}

void insertAlive(SQLite::Database &db, std::int64_t run, const Recording &recording)
{
    const RecordingPeaks peaks = peaksOf(recording);
    std::map<AliveKey, std::pair<Bytes, Bytes>> rows;
    for (const auto &[key, bytes] : aliveAfter(recording, peaks.peakEvent))
        rows[key].first = bytes;
    for (const auto &[key, bytes] : aliveAfter(recording, peaks.activationPeakEvent))
        rows[key].second = bytes;
    Statement insert(db, "INSERT INTO alive_at_peak VALUES (?, ?, ?, ?, ?)");
    for (const auto &[key, bytes] : rows) {
        if (bytes.first == 0 && bytes.second == 0)
            continue;
        insert.bind(1, run);
        insert.bind(2, key.first);
        insert.bind(3, key.second);
        insert.bind(4, bytes.first);
        insert.bind(5, bytes.second);
        insert.exec();
        insert.reset();
    }
}

void insertOps(SQLite::Database &db, std::int64_t run, const Recording &recording)
{
    Statement insert(db, "INSERT INTO op_record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    std::map<std::string, std::int64_t> codes;
    for (std::size_t i = 0; i < recording.ops.size(); ++i) {
        const OpRecord &op = recording.ops[i];
        auto [code, isNew] = codes.emplace(op.code, 0);
        if (isNew)
            code->second = intern(db, op.code);
        insert.bind(1, run);
        insert.bind(2, static_cast<std::int64_t>(i));
        insert.bind(3, code->second);
        insert.bind(4, op.stage);
        insert.bind(5, op.microBatch);
        insert.bind(6, static_cast<int>(op.phase));
        insert.bind(7, op.begin);
        insert.bind(8, op.end);
        insert.bind(9, op.rebuildNs);
        insert.bind(10, op.heldBefore);
        insert.bind(11, op.peak);
        insert.bind(12, op.heldAfter);
        insert.exec();
        insert.reset();
    }
}

void insertChunks(SQLite::Database &db, std::int64_t run, const Recording &recording)
{
    Statement insert(db, "INSERT INTO event_chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    HeldTotals totals = baselineTotals(recording);
    const std::span<const MemoryEvent> events(recording.events);
    for (std::size_t start = 0, position = 0; start < events.size(); start += kEventsPerChunk, ++position) {
        const EventChunk chunk
            = encodeChunk(events.subspan(start, std::min<std::size_t>(kEventsPerChunk, events.size() - start)), totals);
        insert.bind(1, run);
        insert.bind(2, static_cast<std::int64_t>(position));
        insert.bind(3, chunk.count);
        insert.bind(4, chunk.firstNs);
        insert.bind(5, chunk.lastNs);
        insert.bind(6, chunk.heldMin);
        insert.bind(7, chunk.heldMax);
        insert.bind(8, chunk.activationMin);
        insert.bind(9, chunk.activationMax);
        insert.bind(10, kEventCodec);
        insert.bindNoCopy(11, chunk.data.data(), static_cast<int>(chunk.data.size()));
        insert.exec();
        insert.reset();
    }
}

Error damaged(std::int64_t run, const std::string &how)
{
    return {ErrorCode::failed, "The recording of run " + std::to_string(run) + " is damaged: " + how};
}

Result<void> readNamesAndBaseline(SQLite::Database &db, std::int64_t run, Recording &recording)
{
    Statement names(
        db, "SELECT string.text FROM op_name JOIN string ON string.id = op_name.name WHERE run = ? ORDER BY position");
    names.bind(1, run);
    while (names.executeStep()) {
        if (recording.names.size() > 65535)
            return damaged(run, "it has too many operator names.");
        recording.names.push_back(names.getColumn(0).getString());
    }
    Statement baseline(db, "SELECT category, bytes FROM baseline WHERE run = ?");
    baseline.bind(1, run);
    while (baseline.executeStep()) {
        const std::int64_t category = baseline.getColumn(0).getInt64();
        const Bytes bytes = baseline.getColumn(1).getInt64();
        if (category < 0 || category >= kCategoryCount || bytes < 0 || bytes > kMostBytes)
            return damaged(run, "its baseline is impossible.");
        recording.baseline[static_cast<std::size_t>(category)] = bytes;
    }
    return {};
}

Result<void> readOps(SQLite::Database &db, std::int64_t run, Recording &recording)
{
    Statement query(
        db,
        "SELECT string.text, stage, micro_batch, phase, begin_ns, end_ns, rebuild_ns, held_before_bytes, peak_bytes, "
        "held_after_bytes FROM op_record JOIN string ON string.id = op_record.code WHERE run = ? ORDER BY position");
    query.bind(1, run);
    while (query.executeStep()) {
        const std::int64_t phase = query.getColumn(3).getInt64();
        if (phase < 0 || phase > static_cast<int>(Phase::other)
            || static_cast<std::int64_t>(recording.ops.size()) >= kMostOps)
            return damaged(run, "its list of operations is impossible.");
        OpRecord op;
        op.code = query.getColumn(0).getString();
        op.stage = query.getColumn(1).getInt();
        op.microBatch = query.getColumn(2).getInt();
        op.phase = static_cast<Phase>(phase);
        op.begin = query.getColumn(4).getInt64();
        op.end = query.getColumn(5).getInt64();
        op.rebuildNs = query.getColumn(6).getInt64();
        op.heldBefore = query.getColumn(7).getInt64();
        op.peak = query.getColumn(8).getInt64();
        op.heldAfter = query.getColumn(9).getInt64();
        recording.ops.push_back(std::move(op));
    }
    return {};
}

/// Sums stay far from the ends of the number range, so that no later addition can overflow.
bool totalsArePossible(const Recording &recording)
{
    std::array<Bytes, kCategoryCount> held = recording.baseline;
    for (const MemoryEvent &event : recording.events) {
        Bytes &bytes = held[static_cast<std::size_t>(event.category)];
        if (event.bytes > kMostBytes || event.bytes < -kMostBytes)
            return false;
        bytes += event.bytes;
        if (bytes > kMostBytes || bytes < -kMostBytes)
            return false;
    }
    return true;
}

Result<void> readChunks(SQLite::Database &db, std::int64_t run, std::int64_t expected, Recording &recording)
{
    Statement query(db, "SELECT position, events, codec, data FROM event_chunk WHERE run = ? ORDER BY position");
    query.bind(1, run);
    const ChunkLimits limits{recording.ops.size(), recording.names.size()};
    for (std::int64_t position = 0; query.executeStep(); ++position) {
        const auto left = expected - static_cast<std::int64_t>(recording.events.size());
        const std::int64_t count = query.getColumn(1).getInt64();
        if (query.getColumn(0).getInt64() != position || count > left || count < 1)
            return damaged(run, "its event chunks are not complete.");
        if (query.getColumn(2).getInt64() != kEventCodec)
            return damaged(run, "its events are coded in a way that this version does not know.");
        const SQLite::Column data = query.getColumn(3);
        const std::string_view bytes(static_cast<const char *>(data.getBlob()),
                                     static_cast<std::size_t>(data.getBytes()));
        if (auto decoded = decodeChunk(bytes, static_cast<int>(count), limits, recording.events); !decoded)
            return damaged(run, decoded.error().message);
    }
    if (static_cast<std::int64_t>(recording.events.size()) != expected)
        return damaged(run, "its event chunks are not complete.");
    if (!totalsArePossible(recording))
        return damaged(run, "its sizes are impossible.");
    return {};
}

} // namespace

namespace {

void insertKeptBlocks(SQLite::Database &db, std::int64_t run, const Recording &recording)
{
    Statement insert(db, "INSERT INTO kept_block VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    std::int64_t position = 0;
    for (const KeptBlock &block : keptBlocks(recording)) {
        insert.bind(1, run);
        insert.bind(2, position++);
        insert.bind(3, block.stage);
        insert.bind(4, intern(db, block.op));
        insert.bind(5, intern(db, block.name));
        insert.bind(6, static_cast<int>(block.category));
        insert.bind(7, block.bytes);
        insert.bind(8, block.count);
        insert.bind(9, block.made);
        insert.bind(10, block.dropped);
        insert.exec();
        insert.reset();
    }
}

} // namespace

Result<std::vector<KeptBlock>> readKeptBlocks(SQLite::Database &db, std::int64_t run)
{
    std::vector<KeptBlock> blocks;
    Statement query(db,
                    "SELECT stage, op.text, name.text, category, bytes, count, made_ns, dropped_ns FROM kept_block "
                    "JOIN string AS op ON op.id = kept_block.op JOIN string AS name ON name.id = kept_block.name "
                    "WHERE run = ? ORDER BY position");
    query.bind(1, run);
    while (query.executeStep()) {
        const int category = query.getColumn(3).getInt();
        if (category < 0 || category >= kCategoryCount || static_cast<std::int64_t>(blocks.size()) >= kMostOps)
            return damaged(run, "its list of kept blocks is impossible.");
        KeptBlock block;
        block.stage = query.getColumn(0).getInt();
        block.op = query.getColumn(1).getString();
        block.name = query.getColumn(2).getString();
        block.category = static_cast<Category>(category);
        block.bytes = query.getColumn(4).getInt64();
        block.count = query.getColumn(5).getInt();
        block.made = query.getColumn(6).getInt64();
        block.dropped = query.getColumn(7).getInt64();
        blocks.push_back(std::move(block));
    }
    return blocks;
}

void insertRecording(SQLite::Database &db, std::int64_t run, const Recording &recording)
{
    Statement head(db, "INSERT INTO recording VALUES (?, ?, ?)");
    head.bind(1, run);
    head.bind(2, static_cast<std::int64_t>(recording.events.size()));
    head.bind(3, recording.synchronised ? 1 : 0);
    head.exec();
    Statement baseline(db, "INSERT INTO baseline VALUES (?, ?, ?)");
    for (int category = 0; category < kCategoryCount; ++category) {
        baseline.bind(1, run);
        baseline.bind(2, category);
        baseline.bind(3, recording.baseline[static_cast<std::size_t>(category)]);
        baseline.exec();
        baseline.reset();
    }
    Statement name(db, "INSERT INTO op_name VALUES (?, ?, ?)");
    for (std::size_t i = 0; i < recording.names.size(); ++i) {
        name.bind(1, run);
        name.bind(2, static_cast<std::int64_t>(i));
        name.bind(3, intern(db, recording.names[i]));
        name.exec();
        name.reset();
    }
    insertOps(db, run, recording);
    insertChunks(db, run, recording);
    insertAlive(db, run, recording);
    insertKeptBlocks(db, run, recording);
}

Result<Recording> readRecording(SQLite::Database &db, std::int64_t run)
{
    Recording recording;
    Statement head(db, "SELECT events, synchronised FROM recording WHERE run = ?");
    head.bind(1, run);
    if (!head.executeStep())
        return recording;
    const std::int64_t events = head.getColumn(0).getInt64();
    recording.synchronised = head.getColumn(1).getInt() == 1;
    if (events < 0 || events > kMostEvents)
        return damaged(run, "it claims " + std::to_string(events) + " events.");
    if (auto read = readNamesAndBaseline(db, run, recording); !read)
        return read.error();
    if (auto read = readOps(db, run, recording); !read)
        return read.error();
    if (auto read = readChunks(db, run, events, recording); !read)
        return read.error();
    return recording;
}

} // namespace remat::core
