// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "store/event_chunk.h"

#include <rapidcheck.h>
#include <zstd.h>

#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

rc::Gen<MemoryEvent> anyEvent()
{
    return rc::gen::exec([] {
        MemoryEvent event;
        event.ns = *rc::gen::arbitrary<std::int64_t>();
        event.bytes = *rc::gen::inRange<std::int64_t>(-(std::int64_t{1} << 40), std::int64_t{1} << 40);
        event.block = *rc::gen::arbitrary<std::uint32_t>();
        event.op = *rc::gen::inRange<std::uint32_t>(0, 50);
        event.name = *rc::gen::inRange<std::uint16_t>(0, 9);
        event.category = static_cast<Category>(*rc::gen::inRange(0, kCategoryCount));
        event.phase = static_cast<Phase>(*rc::gen::inRange(0, 6));
        return event;
    });
}

std::string textOf(const std::vector<MemoryEvent> &events)
{
    Recording recording;
    recording.events = events;
    return describe(recording);
}

std::vector<MemoryEvent> plainEvents(int count)
{
    std::vector<MemoryEvent> events;
    for (int i = 0; i < count; ++i) {
        MemoryEvent event;
        event.ns = 1000 * i;
        event.bytes = i % 2 == 0 ? 4096 : -4096;
        event.block = static_cast<std::uint32_t>(i / 2);
        event.op = static_cast<std::uint32_t>(i / 100);
        event.category = Category::savedActivation;
        events.push_back(event);
    }
    return events;
}

constexpr ChunkLimits kLimits{50, 9};

} // namespace

class tst_event_chunk : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void chunk_anyEvents_surviveTheRoundTrip()
    {
        const bool ok = rc::check("decode(encode(events)) == events", [] {
            const auto events = *rc::gen::nonEmpty(rc::gen::container<std::vector<MemoryEvent>>(anyEvent()));
            HeldTotals totals;
            const EventChunk chunk = encodeChunk(events, totals);
            std::vector<MemoryEvent> read;
            RC_ASSERT(decodeChunk(chunk.data, chunk.count, kLimits, read).has_value());
            RC_ASSERT(textOf(read) == textOf(events));
        });
        QVERIFY(ok);
    }

    void chunk_full_isSmallAndSummed()
    {
        const auto events = plainEvents(kEventsPerChunk);
        HeldTotals totals{100, 0};
        const EventChunk chunk = encodeChunk(events, totals);
        QCOMPARE(chunk.count, kEventsPerChunk);
        QCOMPARE(chunk.heldMin, Bytes(100));
        QCOMPARE(chunk.heldMax, Bytes(4196));
        QCOMPARE(chunk.activationMax, Bytes(4096));
        QCOMPARE(totals.held, Bytes(100));
        QCOMPARE(chunk.firstNs, Nanoseconds(0));
        QCOMPARE(chunk.lastNs, Nanoseconds(8191000));
        QVERIFY(chunk.data.size() < 8192);
        std::vector<MemoryEvent> read;
        QVERIFY(decodeChunk(chunk.data, chunk.count, {100, 1}, read).has_value());
        QVERIFY(textOf(read) == textOf(events));
    }

    void decode_corruptedBytes_neverCrash()
    {
        HeldTotals totals;
        const EventChunk chunk = encodeChunk(plainEvents(300), totals);
        const bool ok = rc::check("any damage is found or decodes within the limits", [&] {
            std::string data = chunk.data;
            const int changes = *rc::gen::inRange(1, 8);
            for (int i = 0; i < changes; ++i)
                data[*rc::gen::inRange<std::size_t>(0, data.size())] = *rc::gen::arbitrary<char>();
            data.resize(*rc::gen::inRange<std::size_t>(0, data.size() + 1));
            std::vector<MemoryEvent> read;
            if (decodeChunk(data, chunk.count, kLimits, read)) {
                for (const MemoryEvent &event : read)
                    RC_ASSERT(event.op < kLimits.ops && event.name < kLimits.names
                              && int(event.category) < kCategoryCount);
            }
        });
        QVERIFY(ok);
    }

    void decode_arbitraryPlainBytes_neverCrash()
    {
        const bool ok = rc::check("bytes that decompress but are no events", [] {
            const auto plain = *rc::gen::arbitrary<std::string>();
            std::string data(ZSTD_compressBound(plain.size()), '\0');
            data.resize(ZSTD_compress(data.data(), data.size(), plain.data(), plain.size(), 1));
            std::vector<MemoryEvent> read;
            (void)decodeChunk(data, *rc::gen::inRange(-3, 20), kLimits, read).has_value();
        });
        QVERIFY(ok);
    }

    void decode_wrongCounts_areRefused()
    {
        HeldTotals totals;
        const EventChunk chunk = encodeChunk(plainEvents(10), totals);
        std::vector<MemoryEvent> read;
        for (const int count : {-1, 0, 9, 11, kEventsPerChunk, kEventsPerChunk + 1, 2000000000})
            QVERIFY(!decodeChunk(chunk.data, count, kLimits, read).has_value());
    }

    void decode_claimOfGigabytes_allocatesNothing()
    {
        const std::string zeros(64 * 1024 * 1024, '\0');
        std::string bomb(ZSTD_compressBound(zeros.size()), '\0');
        bomb.resize(ZSTD_compress(bomb.data(), bomb.size(), zeros.data(), zeros.size(), 1));
        std::vector<MemoryEvent> read;
        const auto decoded = decodeChunk(bomb, 100, kLimits, read);
        QVERIFY(!decoded.has_value());
        QVERIFY(decoded.error().message.find("more bytes") != std::string::npos);
    }

    void decode_indexOutOfRange_isRefused()
    {
        auto events = plainEvents(5);
        events[3].op = 50;
        HeldTotals totals;
        const EventChunk chunk = encodeChunk(events, totals);
        std::vector<MemoryEvent> read;
        QVERIFY(!decodeChunk(chunk.data, chunk.count, kLimits, read).has_value());
        read.clear();
        QVERIFY(decodeChunk(chunk.data, chunk.count, {51, 1}, read).has_value());
    }
};

REMAT_TEST(tst_event_chunk);
#include "tst_event_chunk.moc"
