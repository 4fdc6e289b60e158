// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "measure/recording.h"

#include <set>

#include "support/test_registry.h"

using namespace remat::core;

namespace {

MemoryEvent memoryEvent(Bytes bytes, Category category)
{
    MemoryEvent made;
    made.bytes = bytes;
    made.category = category;
    return made;
}

Bytes at(const std::array<Bytes, kCategoryCount> &bytes, Category category)
{
    return bytes[static_cast<std::size_t>(category)];
}

/// One micro-batch of two stages; gelu keeps two equal blocks, one of three is dropped before the loss.
Recording smallStep()
{
    Recording recording;
    recording.names = {"aten::add", "aten::gelu"};
    recording.ops = {{"zero", -1, 0, Phase::other, 0, 1},    {"E0", 0, 0, Phase::forward, 1, 4},
                     {"E1", 1, 0, Phase::forward, 4, 9},     {"L", 2, 0, Phase::loss, 9, 14},
                     {"F0", 0, 0, Phase::recompute, 14, 15}, {"E0", 0, 0, Phase::recompute, 15, 16},
                     {"B1", 1, 0, Phase::backward, 16, 30}};
    const auto event = [&](Nanoseconds ns, Bytes bytes, unsigned block, unsigned op, Category category) {
        recording.events.push_back({ns, bytes, block, op, std::uint16_t(op == 2 ? 1 : 0), category, Phase::forward});
    };
    event(2, 16, 1, 1, Category::boundary);
    event(3, 99, 2, 1, Category::temporary);
    event(5, 40, 3, 2, Category::savedActivation);
    event(6, 40, 4, 2, Category::savedActivation);
    event(6, 40, 5, 2, Category::savedActivation);
    event(7, 8, 6, 2, Category::castCopy);
    event(8, -40, 5, 2, Category::savedActivation);
    event(10, 7, 7, 3, Category::savedActivation);
    event(16, -40, 3, 6, Category::savedActivation);
    event(17, -40, 4, 6, Category::savedActivation);
    event(18, -16, 1, 6, Category::boundary);
    return recording;
}

} // namespace

class tst_recording : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void toString_everyCategoryAndPhase_isDistinct()
    {
        std::set<std::string_view> names;
        for (int i = 0; i < kCategoryCount; ++i)
            names.insert(toString(static_cast<Category>(i)));
        QCOMPARE(int(names.size()), kCategoryCount);
        QCOMPARE(toString(Category::other), std::string_view("other"));
        QCOMPARE(toString(Category::boundary), std::string_view("boundary"));
        QCOMPARE(toString(Phase::other), std::string_view("other"));
        QCOMPARE(toString(Phase::recompute), std::string_view("recompute"));
    }

    void isActivation_leavesOutWhatTheAxisLeavesOut()
    {
        for (Category category : {Category::parameter, Category::parameterGradient, Category::optimizerState,
                                  Category::input, Category::constant, Category::workspace, Category::workerScratch})
            QVERIFY(!isActivation(category));
        for (Category category : {Category::boundary, Category::savedActivation, Category::recomputedActivation,
                                  Category::activationGradient, Category::logitsAndLoss, Category::castCopy,
                                  Category::temporary, Category::other})
            QVERIFY(isActivation(category));
    }

    void peaksOf_bothAxes_mayLieAtDifferentEvents()
    {
        Recording recording;
        recording.baseline[static_cast<std::size_t>(Category::parameter)] = 1000;
        recording.events = {memoryEvent(300, Category::savedActivation), memoryEvent(-200, Category::savedActivation),
                            memoryEvent(250, Category::parameterGradient), memoryEvent(50, Category::temporary)};
        const RecordingPeaks peaks = peaksOf(recording);
        QCOMPARE(peaks.peak, Bytes(1400));
        QCOMPARE(peaks.peakEvent, std::size_t(3));
        QCOMPARE(peaks.activationPeak, Bytes(300));
        QCOMPARE(peaks.activationPeakEvent, std::size_t(0));
        QCOMPARE(at(peaks.atPeak, Category::parameterGradient), Bytes(250));
        QCOMPARE(at(peaks.atPeak, Category::savedActivation), Bytes(100));
        QCOMPARE(at(peaks.atActivationPeak, Category::savedActivation), Bytes(300));
    }

    void peaksOf_workerScratch_isCountedApart()
    {
        Recording recording;
        recording.baseline[static_cast<std::size_t>(Category::parameter)] = 10;
        recording.events = {memoryEvent(500, Category::workerScratch), memoryEvent(5, Category::boundary),
                            memoryEvent(-500, Category::workerScratch)};
        const RecordingPeaks peaks = peaksOf(recording);
        QCOMPARE(peaks.peak, Bytes(15));
        QCOMPARE(peaks.activationPeak, Bytes(5));
        QCOMPARE(peaks.workerScratchPeak, Bytes(500));
    }

    void keptBlocks_aliveAtTheLoss_areListedByOpAndOperator()
    {
        const Recording recording = smallStep();
        const auto blocks = keptBlocks(recording);
        QCOMPARE(int(blocks.size()), 3);
        QCOMPARE(blocks[0].op, std::string("E0"));
        QVERIFY(blocks[0].category == Category::boundary);
        QCOMPARE(blocks[1].name, std::string("aten::gelu"));
        QCOMPARE(blocks[1].stage, 1);
        QCOMPARE(blocks[1].bytes, Bytes(40));
        QCOMPARE(blocks[1].count, 2);
        QCOMPARE(blocks[1].made, Nanoseconds(5));
        QCOMPARE(blocks[1].dropped, Nanoseconds(17));
        QVERIFY(blocks[2].category == Category::castCopy);
        QCOMPARE(blocks[2].dropped, Nanoseconds(30)); // never: the end of the step
        QVERIFY(keptBlocks({}).empty());
    }

    void segmentsRecomputed_countsGroupsOfTheFirstMicroBatch()
    {
        Recording recording = smallStep();
        QCOMPARE(segmentsRecomputed(recording), 1);
        recording.ops.push_back({"E0", 0, 0, Phase::recompute, 30, 31});
        recording.ops.push_back({"E0", 0, 1, Phase::recompute, 31, 32});
        QCOMPARE(segmentsRecomputed(recording), 2);
        QCOMPARE(segmentsRecomputed({}), 0);
    }

    void peaksOf_noEvents_isTheBaseline()
    {
        Recording recording;
        recording.baseline[static_cast<std::size_t>(Category::optimizerState)] = 77;
        recording.baseline[static_cast<std::size_t>(Category::boundary)] = 3;
        QCOMPARE(peaksOf(recording).peak, Bytes(80));
        QCOMPARE(peaksOf(recording).activationPeak, Bytes(3));
    }
};

REMAT_TEST(tst_recording);
#include "tst_recording.moc"
