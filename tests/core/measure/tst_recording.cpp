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
