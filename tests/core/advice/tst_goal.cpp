// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "advice/goal.h"

#include <random>

#include "advice/command_line.h"
#include "advice/estimate.h"
#include "core/advice/advice_models.h"
#include "plan/planned_strategy.h"
#include "support/fake_backend.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

const Strategy kNone;

constexpr GoalKind kKinds[]{GoalKind::fits, GoalKind::fastest, GoalKind::longestSequence};

/// Smallest peak of any schedule, as the estimate has it.
Bytes smallestPeak(const ModelConfig &model, const Workload &workload, const CostsAt &costsAt)
{
    const auto forecast = costsAt(model, workload).value();
    return estimateOf(model, workload, forecast.costs, makeSchedule(kNone, chainShape(model, workload)).value())
        ->smallestPeak;
}

/// Empty where an answer keeps its promise when it is simulated again.
std::string problemOf(const GoalAnswer &answer, const ModelConfig &model, const CostsAt &costsAt)
{
    if (!answer.words.ends_with('.'))
        return "no sentence";
    const Bytes least = smallestPeak(model, answer.workload, costsAt);
    if (!answer.reachable) {
        if (least <= answer.budget)
            return "a schedule fits";
        if (answer.expected.peak != least || answer.words.find(formatBytes(least)) == std::string::npos)
            return "another smallest peak";
        return {};
    }
    const auto costs = costsAt(model, answer.workload)->costs;
    const Simulation simulation = simulationOf(answer.expected.strategy, model, answer.workload, costs);
    if (simulation.peak > answer.budget)
        return "it does not fit";
    if (simulation.peak != answer.expected.peak || simulation.stepNs != answer.expected.step)
        return "another expectation";
    const double tokens = double(answer.workload.batch * answer.workload.seq * answer.workload.microBatches);
    if (std::abs(tokens * 1e9 / double(simulation.stepNs) / answer.expected.tokensPerSecond - 1) > 1e-9)
        return "other tokens per second";
    if ((answer.expected.strategy == "none")
        != (simulationOf("none", model, answer.workload, costs).peak <= answer.budget))
        return "none fits or does not";
    return {};
}

/// What a user who types the command gets.
std::string problemOfCommand(const GoalAnswer &answer, const ModelConfig &model, int cores)
{
    const std::string command = commandFor(answer, model, "'my config.json' --layers 3", cores);
    const auto words = wordsOf(command);
    if (words.size() < 5 || words[0] != "remat" || words[1] != "measure" || words[2] != "my config.json"
        || words[3] != "--layers" || words[4] != "3")
        return "it starts otherwise";
    if (words[words.size() - 2] != "--strategy" || !parseStrategy(words.back()))
        return "no strategy";
    if (answer.reachable && words.back() != answer.expected.strategy)
        return "another strategy";
    Workload typed = withArguments({}, {words.begin() + 5, words.end()});
    const auto again = resolveWorkload(typed, model, cores > 0 ? cores : answer.workload.threads);
    if (!again)
        return again.error().message;
    return workloadHash(model, *again) == workloadHash(model, answer.workload) ? "" : "another workload";
}

} // namespace

class tst_goal : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answers_fitWhenSimulatedAgain()
    {
        std::mt19937_64 random(46);
        int reached = 0;
        int missed = 0;
        for (int round = 0; round < 60; ++round) {
            const ModelConfig model = tinyModel(1 + int(random() % 4));
            const Workload workload = workloadOf(model, 1 + int(random() % 6), 16);
            const CostsAt costsAt = byFake(Nanoseconds(random() % 200'000));
            const Bytes none = simulationOf("none", model, workload, costsAt(model, workload)->costs).peak;
            const Bytes budget = Bytes(double(none) * (0.2 + double(random() % 1500) / 1000.0));
            for (const GoalKind kind : kKinds) {
                const auto answer = answerGoal(kind, model, workload, budget, costsAt);
                QVERIFY(answer);
                QVERIFY(answer->kind == kind && answer->budget == budget);
                const std::string wrong = problemOf(*answer, model, costsAt);
                QVERIFY2(wrong.empty(), (answer->words + " " + wrong).c_str());
                (answer->reachable ? reached : missed) += 1;
            }
        }
        QVERIFY(reached > 40 && missed > 10);
    }

    void fastest_isNoSlowerThanAnyPowerOfTwo()
    {
        std::mt19937_64 random(47);
        for (int round = 0; round < 40; ++round) {
            const ModelConfig model = tinyModel(1 + int(random() % 3));
            const Workload workload = workloadOf(model, 4, 16);
            const CostsAt costsAt = byFake(Nanoseconds(random() % 3) * Nanoseconds(random() % 300'000));
            const Bytes none = simulationOf("none", model, workload, costsAt(model, workload)->costs).peak;
            const Bytes budget = Bytes(double(none) * (0.5 + double(random() % 3000) / 1000.0));
            const auto fastest = answerGoal(GoalKind::fastest, model, workload, budget, costsAt).value();
            bool any = false;
            for (std::int64_t batch = 1; batch <= 256; batch *= 2) {
                const auto fits
                    = answerGoal(GoalKind::fits, model, workloadOf(model, batch, 16), budget, costsAt).value();
                any = any || fits.reachable;
                QVERIFY2(!fits.reachable
                             || (fastest.reachable
                                 && fastest.expected.tokensPerSecond * 1.0101 >= fits.expected.tokensPerSecond),
                         (fastest.words + " | " + fits.words).c_str());
            }
            QCOMPARE(fastest.reachable, any);
        }
    }

    void longestSequence_isFollowedByOneThatDoesNotFit()
    {
        std::mt19937_64 random(48);
        for (int round = 0; round < 60; ++round) {
            const ModelConfig model = tinyModel(1 + int(random() % 3));
            const Workload workload = workloadOf(model, 2, 16);
            const CostsAt costsAt = byFake();
            const Bytes none = simulationOf("none", model, workload, costsAt(model, workload)->costs).peak;
            const Bytes budget = Bytes(double(none) * (0.4 + double(random() % 3000) / 1000.0));
            const auto answer = answerGoal(GoalKind::longestSequence, model, workload, budget, costsAt).value();
            if (!answer.reachable) {
                QCOMPARE(answer.workload.seq, std::int64_t(1));
                continue;
            }
            const bool ends = answer.workload.seq == model.positions;
            QCOMPARE(answer.words.find("64 positions") != std::string::npos, ends);
            Workload longer = answer.workload;
            longer.seq += 1;
            QVERIFY(ends || smallestPeak(model, longer, costsAt) > budget);
        }
    }

    void realModels_answersFit_andCommandsAreReadBack()
    {
        for (const std::string &name : modelNames()) {
            const ModelConfig model = modelNamed(name, 3);
            Workload workload = workloadOf(model, 4, 64);
            workload.seed = 7;
            const CostsAt costsAt = byFormula("rtx3090");
            const Bytes none = simulationOf("none", model, workload, costsAt(model, workload)->costs).peak;
            for (const double share : {0.05, 0.9, 1.3})
                for (const GoalKind kind : kKinds) {
                    workload.memoryBudget = Bytes(double(none) * share);
                    const auto answer = answerGoal(kind, model, workload, workload.memoryBudget, costsAt);
                    QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
                    const std::string what
                        = name + ", " + std::string(toString(kind)) + ", " + std::to_string(share) + ": ";
                    std::string wrong = problemOf(*answer, model, costsAt);
                    if (wrong.empty())
                        wrong = problemOfCommand(*answer, model, int(share * 10)); // 0, 9 and 13 cores
                    QVERIFY2(wrong.empty(), (what + answer->words + " " + wrong).c_str());
                    QVERIFY(answer->roughTimes);
                }
        }
    }

    void costs_thatFail_areErrors()
    {
        const ModelConfig model = tinyModel(2);
        const CostsAt broken = [](const ModelConfig &, const Workload &) -> Result<Forecast> {
            return Error{ErrorCode::failed, "The probe broke."};
        };
        for (const GoalKind kind : kKinds) {
            const auto answer = answerGoal(kind, model, workloadOf(model, 1, 8), 1000, broken);
            QVERIFY(!answer && answer.error().message == "The probe broke.");
        }
    }

    void names_areReadBack()
    {
        for (const GoalKind kind : kKinds)
            QVERIFY(goalFrom(toString(kind)).value() == kind);
        const auto none = goalFrom("cheapest");
        QVERIFY(!none && none.error().code == ErrorCode::usage);
        for (const GoalKind kind : kKinds)
            QVERIFY(none.error().message.find(toString(kind)) != std::string::npos);
    }

    void json_hasNullsWhereNothingFits()
    {
        const ModelConfig model = tinyModel(2);
        const Workload workload = workloadOf(model, 2, 16);
        const Json reached = toJson(answerGoal(GoalKind::fits, model, workload, 1 << 30, byFake()).value());
        const Json missed = toJson(answerGoal(GoalKind::fits, model, workload, 1, byFake()).value());
        for (const char *key : {"strategy", "step_ns", "tokens_per_second"}) {
            QVERIFY2(!reached.at(key).is_null(), key);
            QVERIFY2(missed.at(key).is_null(), key);
        }
        QVERIFY(reached.at("reachable").get<bool>() && !missed.at("reachable").get<bool>());
        QCOMPARE(reached.at("goal").get<std::string>(), std::string("fits"));
        QVERIFY(missed.at("peak_bytes").get<Bytes>() > 1);
    }
};

REMAT_TEST(tst_goal);
#include "tst_goal.moc"
