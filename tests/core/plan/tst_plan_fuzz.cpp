// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan/planner.h"
#include "schedule/chain_file.h"
#include "schedule/schedule.h"
#include "support/random_chain.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

constexpr const char *kChain
    = R"({"format":"remat-chain","version":1,"boundary":[3,2,1,3,1],"saved":[2,[2,1],0,2],"forward":[1,1.5,1,1],
    "backward":[2,2,[2,3],2],"forward_transient":[6,7,2,7],"backward_transient":[2,1,0,2],"loss_transient":4,
    "loss_time":2,"keeps_output":[true,false,true,true],"run":[1,1,1,1],"run_transient":[1,2,3,4],
    "forward_phantom":[1,1,1,0.5],"phantom_transient":[1,1,1,1],"gradient":[1,2,0,4]})";
constexpr const char *kPlan = R"({"format":"remat-schedule","version":1,"stages":4,
    "ops":["F0","F1","F2","E3","L","B3","F0","E1","E2","B2","B1","E0","B0"],"workload_hash":"abc"})";

/// Other text in the place of a part: bytes, numbers at the edge of every type, other JSON values.
std::string mutated(std::string text, RandomChains &random)
{
    static const std::vector<std::string> kParts{"-1",
                                                 "0",
                                                 "1e308",
                                                 "9223372036854775807",
                                                 "1125899906842624",
                                                 "null",
                                                 "[]",
                                                 "{}",
                                                 "true",
                                                 "\"E1\"",
                                                 "\"\"",
                                                 "[[1]]",
                                                 "0.1",
                                                 "4294967296",
                                                 "\"B0\"",
                                                 "\"F3\"",
                                                 "\"E1:1\"",
                                                 ",",
                                                 "]",
                                                 "\"saved\"",
                                                 "1125899906842625",
                                                 "[1,2]"};
    for (Bytes i = random.pick(1, 4); i > 0 && !text.empty(); --i) {
        const auto at = static_cast<std::size_t>(random.pick(0, Bytes(text.size()) - 1));
        if (random.chance(25)) {
            text[at] = static_cast<char>(random.pick(1, 126));
            continue;
        }
        // A whole value between two separators.
        const auto begin = text.find_last_of("[,:", at);
        const auto end = text.find_first_of(",]}", at);
        if (begin == std::string::npos || end == std::string::npos || begin >= end)
            continue;
        text.replace(begin + 1, end - begin - 1,
                     kParts[static_cast<std::size_t>(random.pick(0, Bytes(kParts.size()) - 1))]);
    }
    return text;
}

bool isSentence(const Error &error)
{
    return error.message.size() > 10 && error.message.ends_with('.') && error.message.find('\n') == std::string::npos;
}

/// Empty where a chain that was read can be planned for: answers that hold, or a sentence.
std::string planAll(const ChainFile &chain)
{
    for (const PlannerInfo &info : plannerTable()) {
        auto planner = Planner::make(info.kind, planProblem(chain.costs));
        if (!planner) {
            if (!isSentence(planner.error()))
                return planner.error().message;
            continue;
        }
        const Bytes least = planner->plan(0).minFeasibleBudget;
        for (const Bytes budget : {Bytes(-1), Bytes(10), least, 2 * least, Bytes(1) << 60}) {
            const PlanAnswer answer = planner->plan(budget);
            if (answer.feasible != (answer.plan.simulation.peak <= budget))
                return std::string(info.name) + " is wrong about feasible";
        }
    }
    return {};
}

} // namespace

class tst_plan_fuzz : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void chainFiles_areReadOrRefusedInASentence()
    {
        RandomChains random(61);
        int readable = 0;
        for (int i = 0; i < 4000; ++i) {
            const std::string text = mutated(kChain, random);
            const auto json = parseJson(text, "The chain");
            if (!json) {
                QVERIFY2(isSentence(json.error()), text.c_str());
                continue;
            }
            const auto chain = chainFromJson(*json, "The chain");
            if (!chain) {
                QVERIFY2(isSentence(chain.error()), (text + chain.error().message).c_str());
                continue;
            }
            ++readable;
            if (readable % 5 != 0)
                continue;
            const std::string problem = planAll(*chain);
            QVERIFY2(problem.empty(), (problem + ": " + text).c_str());
        }
        QVERIFY2(readable > 200, qPrintable(QString::number(readable)));
    }

    void planFiles_areReadOrRefusedInASentence()
    {
        RandomChains random(62);
        const ChainFile chain = chainFromJson(parseJson(kChain, "chain").value(), "chain").value();
        int readable = 0;
        int valid = 0;
        for (int i = 0; i < 6000; ++i) {
            const std::string text = mutated(kPlan, random);
            const auto json = parseJson(text, "The plan");
            if (!json)
                continue;
            const auto plan = planFromJson(*json, "The plan");
            if (!plan) {
                QVERIFY2(isSentence(plan.error()), (text + plan.error().message).c_str());
                continue;
            }
            ++readable;
            const auto simulation = simulate(plan->schedule, chain.costs);
            if (!simulation)
                QVERIFY2(isSentence(simulation.error()), (text + simulation.error().message).c_str());
            else
                ++valid;
            QVERIFY(planFromJson(toJson(*plan), "again")->schedule == plan->schedule);
        }
        QVERIFY2(readable > 400 && valid > 50, qPrintable(QString("%1 %2").arg(readable).arg(valid)));
    }

    void randomOps_areSimulatedOrRefusedInASentence()
    {
        RandomChains random(63);
        const ChainFile chain = chainFromJson(parseJson(kChain, "chain").value(), "chain").value();
        const Schedule whole = planFromJson(parseJson(kPlan, "plan").value(), "plan")->schedule;
        for (int i = 0; i < 4000; ++i) {
            Schedule schedule = whole;
            for (Bytes changes = random.pick(1, 3); changes > 0; --changes) {
                const auto at = schedule.ops.begin() + random.pick(0, Bytes(schedule.ops.size()) - 1);
                const Op op = whole.ops[std::size_t(random.pick(0, Bytes(whole.ops.size()) - 1))];
                if (random.chance(30) && schedule.ops.size() > 1)
                    schedule.ops.erase(at);
                else if (random.chance(50))
                    schedule.ops.insert(at, op);
                else
                    *at = op;
            }
            const auto simulation = simulate(schedule, chain.costs);
            QVERIFY(simulation.has_value() || isSentence(simulation.error()));
        }
    }

    void anOptionOfAbsurdSize_isPlannedAround()
    {
        for (const char *key : {"saved", "forward_transient", "run_transient", "backward_transient", "gradient"}) {
            Json json
                = parseJson(R"({"boundary":[1,1,1],"saved":[4,4],"forward":[1,1],"backward":[2,2]})", "x").value();
            const bool perOption = json.contains(key) || std::string(key).find("ward_") != std::string::npos;
            json[key] = perOption ? parseJson("[[4,1125899906842624],4]", "x").value()
                                  : parseJson("[1125899906842624,4]", "x").value();
            const auto chain = chainFromJson(json, "chain");
            QVERIFY2(chain.has_value(), key);
            const std::string problem = planAll(*chain);
            QVERIFY2(problem.empty(), (std::string(key) + ": " + problem).c_str());
        }
    }
};

REMAT_TEST(tst_plan_fuzz);
#include "tst_plan_fuzz.moc"
