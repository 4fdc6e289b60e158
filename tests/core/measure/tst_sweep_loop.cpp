// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "core/measure/sweep_fixture.h"

#include <algorithm>
#include <map>

#include "measure/statistics.h"
#include "schedule/simulator.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

Bytes remat::tests::SweepFixture::peakOf(const std::string &strategy) const
{
    return simulate(scheduleOf(strategy), fakeCosts(plan.model, plan.workload)).value().peak;
}

class tst_sweep_loop : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void options_ofTheStrategies_areProbedAndPredicted()
    {
        SweepFixture sweep({"none", "selective:attention+mlp@1", "every:2+selective:mlp", "selective:drop_up"});
        sweep.plan.workload.train = {TrainKind::last, 3};
        const auto points = sweep.run();
        QVERIFY2(points, points ? "" : points.error().message.c_str());
        QCOMPARE(sweep.behaviour->probedOptions, (std::vector<std::string>{"drop_core", "drop_up", "lean_mlp"}));
        QCOMPARE((*points)[1].recomputedOptions, 2);
        QCOMPARE((*points)[2].recomputedOptions, 3); // block 0 is frozen
        QCOMPARE((*points)[3].recomputedOptions, 3);
        for (const Point &point : *points) {
            QVERIFY(point.status == RunStatus::done);
            QCOMPARE(point.predictedPeakBytes, point.peakBytes);
        }
        QVERIFY((*points)[3].recomputeNs > (*points)[0].recomputeNs);
    }

    void settings_thatTookEffect_areCounted()
    {
        SweepFixture sweep({"none", "every:1", "segments:2", "halves"});
        sweep.behaviour->attentionWhy = "dropout needs the explicit products";
        const auto points = sweep.run();
        QVERIFY(points);
        const int expected[] = {0, 4, 2, 8};
        for (std::size_t i = 0; i < points->size(); ++i) {
            QCOMPARE((*points)[i].segmentsTotal, expected[i]);
            QCOMPARE((*points)[i].segmentsRecomputed, expected[i]);
            QCOMPARE((*points)[i].attentionWhy, sweep.behaviour->attentionWhy);
            QCOMPARE((*points)[i].optimizer, std::string("adamw"));
            QCOMPARE((*points)[i].train, std::string("all"));
            QCOMPARE((*points)[i].lossMode, std::string("full"));
            QCOMPARE((*points)[i].recomputeAttentionNs, (*points)[i].recomputeNs / 2);
        }
    }

    void skippedSteps_areCountedAndRunAgain()
    {
        SweepFixture sweep({"none"});
        sweep.behaviour->skips = 4; // the proof takes two
        const auto points = sweep.run();
        QVERIFY(points);
        QCOMPARE(points->front().skippedSteps, 2);
        QVERIFY(points->front().status == RunStatus::done);
        QVERIFY(points->front().step.n >= 5);

        SweepFixture endless({"none"});
        endless.behaviour->skips = 1000;
        const auto given = endless.run();
        QVERIFY(given);
        QVERIFY(given->front().status == RunStatus::failed);
        QVERIFY(given->front().reason.find("33 steps") != std::string::npos);
    }

    void whatDidNotFit_saysWhatTheAllocatorHad()
    {
        SweepFixture sweep({"none", "every:1"});
        sweep.behaviour->budget = sweep.peakOf("every:1");
        sweep.behaviour->failure = {1000, 400, 100};
        const auto points = sweep.run();
        QVERIFY(points.has_value());
        QVERIFY(points->front().status == RunStatus::doesNotFit);
        QCOMPARE(points->front().failure.reserved, Bytes(1000));
        QCOMPARE(points->front().failure.fragmentation(), 0.75);
        QCOMPARE(points->front().segmentsRecomputed, -1); // never recorded
        QCOMPARE(points->front().skippedSteps, -1);       // no step was run
        QVERIFY(points->back().status == RunStatus::done);
        QCOMPARE(points->back().failure.free, Bytes(-1));
        QCOMPARE(points->back().skippedSteps, 0);
        QCOMPARE(points->back().missingGradients, 0);
    }

    void missingGradients_failTheRun()
    {
        SweepFixture sweep({"none", "every:1"});
        sweep.behaviour->missingGradients = 2;
        const auto points = sweep.run();
        QVERIFY(points);
        for (const Point &point : *points) {
            QVERIFY(point.status == RunStatus::failed);
            QCOMPARE(point.missingGradients, 2);
            QVERIFY(point.reason.find("qkv.lora_a") != std::string::npos);
        }
    }

    void reference_onASibling_trainsWhatItHas()
    {
        SweepFixture sweep({"recursive"}, 8);
        sweep.plan.workload.train = {TrainKind::last, 6};
        sweep.behaviour->budget = sweep.peakOf("recursive");
        const auto points = sweep.run();
        QVERIFY2(points, points ? "" : points.error().message.c_str());
        QVERIFY2(points->front().equality.checked, points->front().equality.why.c_str());
    }

    void sweep_allFit_pointsInOrderWithPredictionsMet()
    {
        SweepFixture sweep({"none", "every:1", "every:2", "segments:2"});
        const auto points = sweep.run();
        QVERIFY(points.has_value());
        QCOMPARE(int(points->size()), 4);
        for (std::size_t i = 0; i < points->size(); ++i) {
            const Point &point = (*points)[i];
            QCOMPARE(point.strategy, sweep.plan.strategies[i].text);
            QVERIFY(point.status == RunStatus::done);
            QCOMPARE(point.peakBytes, point.predictedPeakBytes);
            QCOMPARE(point.activationPeakBytes, point.predictedActivationPeakBytes);
            QCOMPARE(point.peakBytes, sweep.peakOf(point.strategy));
            QVERIFY(point.step.n >= 5);
            QCOMPARE(point.predictionSource, std::string("probe"));
            QVERIFY(!point.peakOp.empty());
            QVERIFY(!point.peakPhase.empty());
            QCOMPARE(point.loss, 5.0);
        }
        QVERIFY((*points)[0].peakBytes > (*points)[1].peakBytes);
        QVERIFY((*points)[0].step.median < (*points)[1].step.median);
        QCOMPARE((*points)[0].recomputedStageForwards, 0);
        QCOMPARE((*points)[1].recomputedStageForwards, 8);
        QCOMPARE(sweep.behaviour->probes, 1);
        QCOMPARE(sweep.behaviour->prepares, 1);
        QCOMPARE(sweep.behaviour->records, 4);
    }

    void sweep_split_addsUpToTheStepNearestTheMedian()
    {
        SweepFixture sweep({"every:2"});
        sweep.plan.repeats = 6;
        const Point point = sweep.run().value().front();
        const Nanoseconds sum
            = point.forwardNs + point.recomputeNs + point.backwardNs + point.lossNs + point.optimizerNs + point.otherNs;
        QVERIFY(std::abs(sum - point.step.median) <= point.step.q3 - point.step.q1);
        QVERIFY(point.recomputeNs > 0);
        const auto tokens = static_cast<double>(point.batch * point.seq);
        QCOMPARE(point.tokensPerSecond, tokens * 1e9 / static_cast<double>(point.step.median));
    }

    void sweep_steps_areWarmedUpAndInterleaved()
    {
        SweepFixture sweep({"none", "every:1", "every:2"});
        sweep.plan.repeats = 3;
        QVERIFY(sweep.run().has_value());
        std::vector<Schedule> expected;
        for (const char *strategy : {"none", "none", "every:1", "every:1", "every:2", "every:2"})
            expected.push_back(sweep.scheduleOf(strategy));
        for (int round = 0; round < 3; ++round) {
            for (const char *strategy : {"none", "every:1", "every:2"})
                expected.push_back(sweep.scheduleOf(strategy));
        }
        QVERIFY(sweep.behaviour->stepped == expected);
        QCOMPARE(sweep.behaviour->resets, 1);
    }

    void sweep_repeats_fixTheCount()
    {
        SweepFixture sweep({"none", "every:1"});
        sweep.plan.repeats = 9;
        const auto points = sweep.run().value();
        for (const Point &point : points)
            QCOMPARE(point.step.n, 9);
    }

    void sweep_oneDoesNotFit_othersAreUntouched()
    {
        SweepFixture alone({"every:1"});
        const Point reference = alone.run().value().front();
        SweepFixture sweep({"none", "every:1"});
        sweep.behaviour->budget = sweep.peakOf("none") - 1;
        const auto points = sweep.run().value();
        QVERIFY(points[0].status == RunStatus::doesNotFit);
        QVERIFY(points[0].reason.find("needs 1 bytes more") != std::string::npos);
        QCOMPARE(points[0].peakBytes, Bytes(-1));
        QCOMPARE(points[0].predictedPeakBytes, sweep.peakOf("none"));
        QVERIFY(points[1].status == RunStatus::done);
        QCOMPARE(points[1].peakBytes, reference.peakBytes);
        QCOMPARE(points[1].staticBytes, reference.staticBytes);
        QCOMPARE(int(sweep.observer.runs.size()), 2);
        QVERIFY(sweep.observer.runs[0].recording.events.empty());
    }

    void sweep_outOfMemoryInMidTiming_nextRecordingFindsTheSettledState()
    {
        SweepFixture sweep({"none", "every:1"});
        sweep.plan.repeats = 3;
        const Schedule none = sweep.scheduleOf("none");
        int seen = 0;
        sweep.behaviour->onStep = [&](const Schedule &schedule) {
            const bool fails = schedule == none && ++seen == 5; // its last timed step
            sweep.behaviour->budget = fails ? sweep.peakOf("none") - 8 : 0;
        };
        const auto points = sweep.run().value();
        QVERIFY(points[0].status == RunStatus::doesNotFit);
        QVERIFY(points[1].status == RunStatus::done);
        QCOMPARE(points[1].staticBytes, fakeCosts(sweep.plan.model, sweep.plan.workload).staticBytes);
        QCOMPARE(points[1].peakBytes, sweep.peakOf("every:1"));
    }

    void sweep_parametersDoNotFit_everyRunSaysSo()
    {
        SweepFixture sweep({"none", "every:1"});
        sweep.behaviour->budget = 16;
        const auto points = sweep.run().value();
        for (const Point &point : points) {
            QVERIFY(point.status == RunStatus::doesNotFit);
            QVERIFY(!point.reason.empty());
        }
        QCOMPARE(int(sweep.observer.runs.size()), 2);
    }

    void sweep_nothingRuns_countsOfTheScheduleAreMadeOnce()
    {
        SweepFixture sweep({"every:1+selective:mlp"});
        sweep.behaviour->budget = 16;
        sweep.behaviour->probeDoesNotFit = true;
        const Point point = sweep.run().value().front();
        QVERIFY(point.status == RunStatus::doesNotFit);
        QCOMPARE(point.recomputedStageForwards, 8);
        QCOMPARE(point.recomputedOptions, 4);
    }

    void sweep_budgets_arePlannedFromTheProbe()
    {
        SweepFixture sweep({"none", "every:1"});
        const Bytes between = (sweep.peakOf("none") + sweep.peakOf("every:1")) / 2;
        for (const Bytes budget : {between, Bytes(1)})
            sweep.plan.strategies.push_back(parseStrategy("budget:" + std::to_string(budget)).value());
        const auto points = sweep.run().value();
        QVERIFY(points[2].status == RunStatus::done);
        QVERIFY(points[2].peakBytes <= between);
        QCOMPARE(points[2].peakBytes, points[2].predictedPeakBytes);
        QVERIFY(points[3].status == RunStatus::doesNotFit);
        QVERIFY(points[3].reason.starts_with("No schedule fits 1 B: the smallest peak is "));
        QVERIFY(points[0].status == RunStatus::done && points[1].status == RunStatus::done);
        QCOMPARE(int(sweep.observer.runs.size()), 4);
    }

    void sweep_probeDoesNotFit_runsGoOnWithoutPrediction()
    {
        SweepFixture sweep({"every:1"});
        sweep.behaviour->probeDoesNotFit = true;
        const Point point = sweep.run().value().front();
        QVERIFY(point.status == RunStatus::done);
        QCOMPARE(point.predictedPeakBytes, Bytes(-1));
        QVERIFY(point.predictionSource.empty());
        QCOMPARE(point.recomputedStageForwards, 8);
        QVERIFY(sweep.observer.probed.empty());
    }

    void sweep_engineFails_isAnErrorAndLeavesNothingOpen()
    {
        SweepFixture sweep({"none"});
        sweep.behaviour->failWith = "There is no such device.";
        const auto points = sweep.run();
        QVERIFY(!points.has_value());
        QCOMPARE(points.error().message, std::string("There is no such device."));
    }

    void sweep_engineBreaksOnOneSchedule_onlyThatRunFails_data()
    {
        QTest::addColumn<int>("call");
        for (int call = 0; call < 7; ++call) // proof, warm-up, timed steps, recorded step
            QTest::addRow("call %d", call) << call;
    }
    void sweep_engineBreaksOnOneSchedule_onlyThatRunFails()
    {
        QFETCH(int, call);
        SweepFixture sweep({"every:1", "every:2"});
        sweep.plan.repeats = 3;
        const Schedule broken = sweep.scheduleOf("every:1");
        int calls = 0;
        sweep.behaviour->fails = [&](const Schedule &schedule) { return schedule == broken && calls++ == call; };
        const auto points = sweep.run().value();
        QVERIFY(points[0].status == RunStatus::failed);
        QCOMPARE(points[0].reason, std::string("The engine broke on this schedule."));
        QVERIFY(points[1].status == RunStatus::done);
        QCOMPARE(points[1].peakBytes, sweep.peakOf("every:2"));
        QCOMPARE(points[1].staticBytes, fakeCosts(sweep.plan.model, sweep.plan.workload).staticBytes);
    }

    void sweep_progress_countsTimedStepsOfAllRuns()
    {
        SweepFixture sweep({"none", "every:1"});
        sweep.plan.repeats = 4;
        QVERIFY(sweep.run().has_value());
        int last = -1;
        for (const Progress &progress : sweep.observer.progresses) {
            if (progress.phase != "timing")
                continue;
            QCOMPARE(progress.step, ++last);
            QCOMPARE(progress.steps, 8);
            QCOMPARE(progress.runs, 2);
        }
        QCOMPARE(last, 7);
    }

    void sweep_strategyOutOfRange_isAnErrorBeforeAnythingRuns()
    {
        SweepFixture sweep({"none", "first:9"});
        QVERIFY(!sweep.run().has_value());
        QCOMPARE(sweep.behaviour->probes, 0);
    }

    void sweep_observerFails_endsTheSweepWithItsSentence()
    {
        SweepFixture sweep({"none", "every:1"});
        sweep.observer.finishedError = "The disk is full.";
        const auto points = sweep.run();
        QVERIFY(!points.has_value());
        QCOMPARE(points.error().message, std::string("The disk is full."));
        QVERIFY(std::all_of(sweep.observer.runs.begin() + 1, sweep.observer.runs.end(),
                            [](const FinishedRun &run) { return run.point.status == RunStatus::failed; }));
    }

    void sweep_cancelled_atEveryProgress_keepsWhatIsFinished()
    {
        SweepFixture whole({"none", "every:1"});
        whole.plan.repeats = 2;
        QVERIFY(whole.run().has_value());
        for (std::size_t at = 0; at < whole.observer.progresses.size(); ++at) {
            SweepFixture sweep({"none", "every:1"});
            sweep.plan.repeats = 2;
            std::size_t seen = 0;
            sweep.observer.onProgress = [&](const Progress &) {
                if (seen++ == at)
                    sweep.source.request_stop();
            };
            const auto points = sweep.run();
            QVERIFY(points.has_value());
            for (const Point &point : *points)
                QVERIFY(point.status == RunStatus::done || point.status == RunStatus::cancelled);
            QCOMPARE(sweep.observer.runs.size(), sweep.observer.startedPoints.size());
            for (const FinishedRun &run : sweep.observer.runs)
                QCOMPARE(run.recording.events.empty(), run.point.status != RunStatus::done);
        }
    }

    void sweep_shuffled_givesTheSameBytes()
    {
        std::vector<std::string> strategies{"none", "every:1", "every:3", "sqrt", "recursive", "input-only", "first:2"};
        std::map<std::string, std::pair<Bytes, Bytes>> expected;
        SweepFixture first(strategies);
        const Bytes budget = first.peakOf("none") - 1; // so that one of them ends early
        for (int shuffle = 0; shuffle < 6; ++shuffle) {
            SweepFixture sweep(strategies);
            sweep.plan.repeats = 2;
            sweep.behaviour->budget = budget;
            const auto points = sweep.run().value();
            for (const Point &point : points) {
                const std::pair<Bytes, Bytes> bytes{point.peakBytes, point.staticBytes};
                const auto [it, isNew] = expected.emplace(point.strategy, bytes);
                QVERIFY(isNew || it->second == bytes);
            }
            std::rotate(strategies.begin(), strategies.begin() + 2, strategies.end());
            std::swap(strategies[1], strategies[4]);
        }
        QCOMPARE(int(expected.size()), 7);
        QCOMPARE(expected.at("none").first, Bytes(-1));
    }

    void sweep_startedPoint_isRunningWithItsPrediction()
    {
        SweepFixture sweep({"none", "every:1"});
        const auto points = sweep.run().value();
        QCOMPARE(int(sweep.observer.startedPoints.size()), 2);
        for (const Point &point : sweep.observer.startedPoints) {
            QVERIFY(point.status == RunStatus::running);
            QVERIFY(point.predictedPeakBytes > 0);
        }
        QCOMPARE(points[0].run, std::int64_t(1));
        QCOMPARE(points[1].run, std::int64_t(2));
        QCOMPARE(points[1].environment.cpu, std::string("fake processor"));
        QVERIFY(!points[1].environment.version.empty());
    }
};

REMAT_TEST(tst_sweep_loop);
#include "tst_sweep_loop.moc"
