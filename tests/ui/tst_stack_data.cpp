// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <numeric>

#include <QRandomGenerator>

#include "models/stack_data.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"

using namespace remat;
using namespace remat::ui;

class tst_stack_data : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void totals_ofARecording_equalItsPeaks_data();
    void totals_ofARecording_equalItsPeaks();
    void highest_inAnyRange_equalsASearch();
    void walker_inAnyOrder_equalsASum();
    void layers_ofAStack_sumToTheCategories();
    void phases_coverTheStepInOrder();
    void workerScratch_isNoPartOfTheStack();
    void emptyRecording_isOneState();
};

namespace {

core::Recording randomRecording(int events)
{
    QRandomGenerator random(11);
    core::Recording recording;
    recording.baseline[static_cast<std::size_t>(core::Category::boundary)] = 1 << 20;
    recording.ops.push_back({"E1", 1, 0, core::Phase::forward, 0, events * 10, 0, 0, 0, 0});
    recording.names = {"aten::mm"};
    for (int i = 0; i < events; ++i) {
        const auto category = static_cast<core::Category>(random.bounded(core::kCategoryCount));
        recording.events.push_back(
            {i * 7, 1 + random.bounded(5000), static_cast<std::uint32_t>(i), 0, 0, category, core::Phase::forward});
    }
    return recording;
}

} // namespace

void tst_stack_data::totals_ofARecording_equalItsPeaks_data()
{
    QTest::addColumn<QString>("strategy");
    for (const char *strategy : {"none", "every:2", "segments:3", "recursive", "input-only"})
        QTest::addRow("%s", strategy) << QString::fromLatin1(strategy);
}

void tst_stack_data::totals_ofARecording_equalItsPeaks()
{
    QFETCH(QString, strategy);
    const core::Recording recording = tests::sampleRecording(strategy.toStdString(), 6);
    const core::RecordingPeaks peaks = core::peaksOf(recording);
    const StackData activations(recording, {false, false, 6});
    const StackData everything(recording, {false, true, 6});
    QCOMPARE(activations.total(activations.peak()), peaks.activationPeak);
    QCOMPARE(everything.total(everything.peak()), peaks.peak);
    QCOMPARE(activations.peak(), peaks.activationPeakEvent + 1);
    StackData::Walker walker(activations);
    const auto &held = walker.at(activations.peak());
    for (std::size_t c = 0; c < held.size(); ++c) {
        if (core::isActivation(static_cast<core::Category>(c)))
            QCOMPARE(held[c], peaks.atActivationPeak[c]);
    }
}

void tst_stack_data::highest_inAnyRange_equalsASearch()
{
    const StackData stack(randomRecording(5000), {false, true, 4});
    QRandomGenerator random(3);
    for (int round = 0; round < 2000; ++round) {
        std::size_t first = random.bounded(5001), last = random.bounded(5001);
        if (first > last)
            std::swap(first, last);
        std::size_t best = first;
        for (std::size_t i = first; i <= last; ++i)
            best = stack.total(i) > stack.total(best) ? i : best;
        QCOMPARE(stack.highest(first, last), best);
    }
}

void tst_stack_data::walker_inAnyOrder_equalsASum()
{
    const core::Recording recording = randomRecording(3000);
    const StackData stack(recording, {false, true, 4});
    StackData::Walker walker(stack);
    QRandomGenerator random(5);
    for (int round = 0; round < 300; ++round) {
        const std::size_t state = random.bounded(3001);
        const auto &held = walker.at(state);
        QCOMPARE(std::accumulate(held.begin(), held.end(), core::Bytes{0}), stack.total(state));
        std::vector<core::Bytes> expected(held.size(), 0);
        expected[static_cast<std::size_t>(core::Category::boundary)] = 1 << 20;
        for (std::size_t i = 0; i < state; ++i) {
            if (recording.events[i].category != core::Category::workerScratch)
                expected[static_cast<std::size_t>(recording.events[i].category)] += recording.events[i].bytes;
        }
        QCOMPARE(held, expected);
    }
}

void tst_stack_data::layers_ofAStack_sumToTheCategories()
{
    const core::Recording recording = tests::sampleRecording("segments:2", 6);
    const StackData categories(recording, {false, false, 6}), layers(recording, {true, false, 6});
    QCOMPARE(layers.states(), categories.states());
    for (std::size_t state = 0; state < layers.states(); ++state)
        QCOMPARE(layers.total(state), categories.total(state));
    QCOMPARE(layers.series().size(), std::size_t{13});
}

void tst_stack_data::phases_coverTheStepInOrder()
{
    const StackData stack(tests::sampleRecording("segments:3", 6), {false, false, 6});
    QVERIFY(stack.phases().size() > 5);
    core::Nanoseconds end = 0;
    for (const PhaseSpan &span : stack.phases()) {
        QCOMPARE(span.begin, end);
        end = span.end;
    }
    QCOMPARE(end, stack.duration());
    QVERIFY(stack.phases().front().phase == core::Phase::forward);
    QVERIFY(stack.phases().back().phase == core::Phase::optimizer);
}

void tst_stack_data::workerScratch_isNoPartOfTheStack()
{
    core::Recording recording = randomRecording(10);
    const core::Bytes before = StackData(recording, {false, true, 4}).total(10);
    recording.events.push_back({100, 1 << 30, 99, 0, 0, core::Category::workerScratch, core::Phase::forward});
    const StackData stack(recording, {false, true, 4});
    QCOMPARE(stack.total(11), before);
}

void tst_stack_data::emptyRecording_isOneState()
{
    const StackData stack(core::Recording{}, {false, false, 4});
    QCOMPARE(stack.states(), std::size_t{1});
    QCOMPARE(stack.total(0), core::Bytes{0});
    QCOMPARE(stack.stateAt(1000), std::size_t{0});
    QVERIFY(stack.usedSeries().empty());
}

REMAT_TEST(tst_stack_data);

#include "tst_stack_data.moc"
