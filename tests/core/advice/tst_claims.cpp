// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "advice/claims.h"

#include <cmath>

#include "core/advice/advice_models.h"
#include "support/fake_backend.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

/// What a claim's text says, typed once more: shares of the activation peak saved and steps longer by.
struct Said
{
    const char *id;
    const char *strategy;
    const char *what;
    double low;
    double high;
};
constexpr const char *kSaved = "activation peak saved";
constexpr const char *kAllSaved = "whole peak saved";
constexpr const char *kLonger = "step longer by";
const std::vector<Said> kSaid{{"C1", "every:1", kSaved, 0.5, 0.5},
                              {"C1", "every:1", kAllSaved, 0.5, 0.5},
                              {"C1", "every:1", kLonger, 0.2, 0.3},
                              {"C2", "segments:2", kSaved, 0.7, 0.8},
                              {"C2", "segments:2", kLonger, 0.1, 0.15},
                              {"C3", "input-only", kSaved, 0.9, 1.0},
                              {"C4", "selective:attention", kSaved, 0.4, 0.4},
                              {"C5", "every:1", kLonger, 2.0, 2.0},
                              {"C6", "segments:4", kSaved, 0.6, 0.6},
                              {"C6", "segments:4", kLonger, 0.2, 0.2},
                              {"C6", "every:4", kSaved, 0.6, 0.6},
                              {"C6", "every:4", kLonger, 0.2, 0.2}};

/// All strategies save and cost so much; segments:2 a little more, so that it is the best.
Reference referenceWith(double saved, double savedOfAll, double longer, bool measured = false)
{
    constexpr double kWhole = 1e9;
    Reference reference;
    for (const std::string &name : referenceStrategies(ChainShape(9)))
        reference[name] = {Bytes(std::llround(kWhole * (1 - savedOfAll))), Bytes(std::llround(kWhole * (1 - saved))),
                           Nanoseconds(std::llround(kWhole * (1 + longer))), measured};
    reference["none"] = {Bytes(kWhole), Bytes(kWhole), Nanoseconds(kWhole), true};
    reference["segments:2"].activationPeak -= 1;
    for (auto &[strategy, point] : reference) // as if every prediction were exact
        point.expected = {strategy, point.peak, point.activationPeak, point.step, 0.0};
    return reference;
}

std::optional<ClaimedNumber> numberOf(const std::vector<Claim> &claims, const Said &said)
{
    std::optional<ClaimedNumber> found;
    for (const Claim &claim : claims)
        for (const ClaimedNumber &number : claim.numbers)
            if (claim.id == said.id && claim.strategy == said.strategy && number.what == said.what) {
                if (found)
                    return std::nullopt; // twice
                found = number;
            }
    return found;
}

/// The claim is right where our number, give or take two points, lies in its range.
ClaimVerdict naiveVerdict(const Said &said, double ours)
{
    if (ours - 0.02 > said.high + 1e-12)
        return ClaimVerdict::tooLow;
    if (ours + 0.02 < said.low - 1e-12)
        return ClaimVerdict::tooHigh;
    return ClaimVerdict::holds;
}

std::vector<Claim> claimsOn(const Reference &reference)
{
    const ModelConfig model = tinyModel(9);
    return testedClaims(model, workloadOf(model, 2, 16), reference);
}

} // namespace

class tst_claims : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void verdicts_turnAtTheBorders()
    {
        for (const Said &said : kSaid)
            for (const double border : {said.low - 0.02, said.high + 0.02})
                for (const double by : {-0.3, -1e-6, 1e-6, 0.3}) {
                    const double ours = border + by;
                    const auto claims = claimsOn(referenceWith(ours, ours, ours));
                    const auto number = numberOf(claims, said);
                    const std::string what = said.id + (", " + std::string(said.what)) + ", " + std::to_string(ours);
                    QVERIFY2(number, what.c_str());
                    QVERIFY2(std::abs(number->ours - ours) < 1e-8, what.c_str());
                    QVERIFY2(number->verdict == naiveVerdict(said, ours), what.c_str());
                    QVERIFY(number->claimed.low == said.low && number->claimed.high == said.high);
                }
    }

    /// A claim without an upper end cannot be too low.
    void moreThanClaimed_holds()
    {
        const Said extreme{"C3", "input-only", kLonger, 0.5, 0.0};
        for (const double ours : {0.0, 0.479, 0.481, 3.0, 9.0, 12.8, 4000.0}) {
            const auto number = numberOf(claimsOn(referenceWith(0.5, 0.5, ours)), extreme);
            QVERIFY(number && number->claimed.low == 0.5 && number->claimed.high >= 9.0);
            QVERIFY(number->verdict == (ours < 0.48 ? ClaimVerdict::tooHigh : ClaimVerdict::holds));
        }
    }

    void numbers_areAllOfTheClaims()
    {
        const auto claims = claimsOn(referenceWith(0.5, 0.3, 0.2));
        std::size_t numbers = 0;
        std::string ids;
        for (const Claim &claim : claims) {
            QVERIFY(claim.text.ends_with('.') && claim.explanation.ends_with('.'));
            numbers += claim.numbers.size();
            ids += claim.id;
        }
        QCOMPARE(ids, std::string("C1C2C3C4C5C6C6C7"));
        QCOMPARE(numbers, kSaid.size() + 2); // "or more", and the size of scores
    }

    /// Every strategy with numbers of its own: none may stand for another.
    void numbers_areThoseOfTheStrategy()
    {
        Reference reference = referenceWith(0.5, 0.5, 0.2);
        int n = 1;
        for (auto &[strategy, point] : reference)
            point = {1'000'000 + 7919 * n, 1'000'000 + 104'729 * n, 1'000'000 + 1'299'709 * n, true}, ++n;
        reference["segments:2"].activationPeak = 1; // the best segments
        const auto claims = claimsOn(reference);
        const ReferencePoint &none = reference.at("none");
        for (const Said &said : kSaid) {
            const ReferencePoint &point = reference.at(said.strategy);
            const double wanted = said.what == kSaved ? 1 - double(point.activationPeak) / double(none.activationPeak)
                : said.what == kAllSaved              ? 1 - double(point.peak) / double(none.peak)
                                                      : double(point.step) / double(none.step) - 1;
            const auto number = numberOf(claims, said);
            QVERIFY2(number && std::abs(number->ours - wanted) < 1e-12, said.strategy);
        }
    }

    void measured_onlyWhereBothAre()
    {
        for (const bool none : {false, true})
            for (const bool other : {false, true}) {
                Reference reference = referenceWith(0.5, 0.5, 0.2, other);
                reference["none"].measured = none;
                const auto claims = claimsOn(reference);
                for (const Said &said : kSaid)
                    QCOMPARE(numberOf(claims, said)->measured, none && other);
            }
    }

    void measuredPoints_takeThePlaceOfPredictions()
    {
        const ModelConfig model = tinyModel(9);
        const Workload workload = workloadOf(model, 2, 16);
        const auto costs = byFake()(model, workload)->costs;
        const auto shareOf = [&](const std::vector<Point> &points) {
            return *numberOf(testedClaims(model, workload, referenceOf(model, workload, costs, points).value()),
                             kSaid[0]);
        };
        const Simulation none = simulationOf("none", model, workload, costs);
        const Simulation every = simulationOf("every:1", model, workload, costs);
        QVERIFY(std::abs(shareOf({}).ours - (1 - double(every.activationPeak) / double(none.activationPeak))) < 1e-12);
        QVERIFY(!shareOf({}).measured);
        std::vector<Point> points(2);
        points[0].strategy = "none";
        points[1].strategy = "every:1";
        for (Point &point : points) {
            point.status = RunStatus::done;
            point.step = {10, 9, 11, 5};
            point.peakBytes = point.activationPeakBytes = point.strategy == "none" ? 1000 : 125;
        }
        QVERIFY(shareOf(points).measured && std::abs(shareOf(points).ours - 0.875) < 1e-12);
    }

    void segments_areThoseThatSaveMost()
    {
        Reference reference = referenceWith(0.5, 0.5, 0.2);
        reference["segments:4"].activationPeak = reference["segments:2"].activationPeak / 2;
        reference["segments:3+selective:mlp"] = {1, 1, 1, true}; // no plain segments
        QVERIFY(numberOf(claimsOn(reference), {"C2", "segments:4", kSaved, 0, 0}));
        QVERIFY(!numberOf(claimsOn(reference), {"C2", "segments:2", kSaved, 0, 0}));
    }

    void strategiesThatAModelLacks_leaveTheirClaimsOut()
    {
        Reference reference = referenceWith(0.5, 0.5, 0.2);
        for (const char *name : {"segments:2", "segments:4", "every:4"})
            reference.erase(name);
        std::string ids;
        for (const Claim &claim : claimsOn(reference))
            ids += claim.id;
        QCOMPARE(ids, std::string("C1C3C4C5C7"));
        QCOMPARE(claimsOn({}).size(), std::size_t(1));
    }

    /// 32 sequences, 8 heads, 1024 tokens: 2^28 elements.
    void scores_areCountedInBytes()
    {
        const ModelConfig model = tinyModel(2);
        for (const Dtype dtype : {Dtype::fp32, Dtype::bf16, Dtype::mixedFp16}) {
            Workload workload = workloadOf(model, 3, 16);
            workload.dtype = dtype;
            const Claim claim = testedClaims(model, workload, {}).back();
            const ClaimedNumber &number = claim.numbers.at(0);
            QVERIFY(number.isBytes && claim.id == "C7");
            QCOMPARE(number.ours, dtype == Dtype::fp32 ? 1073741824.0 : 536870912.0);
            QCOMPARE(number.claimed.low, 268435456.0);
            QVERIFY(number.verdict == ClaimVerdict::tooLow);
            const Bytes here = 3 * 2 * 16 * 16 * (dtype == Dtype::fp32 ? 4 : 2);
            QVERIFY2(claim.explanation.find(" are " + formatBytes(here)) != std::string::npos,
                     claim.explanation.c_str());
        }
    }

    void json_hasEveryNumber()
    {
        const auto claims = claimsOn(referenceWith(0.5, 0.3, 0.2));
        const Json json = toJson(claims);
        QCOMPARE(json.size(), claims.size());
        QCOMPARE(json[0].at("id").get<std::string>(), std::string("C1"));
        QCOMPARE(json[0].at("numbers").size(), claims[0].numbers.size());
        QCOMPARE(json[0].at("numbers")[2].at("claimed").dump(), std::string("[0.2,0.3]"));
        QCOMPARE(json[0].at("numbers")[0].at("verdict").get<std::string>(), std::string("holds"));
        for (const ClaimVerdict verdict : {ClaimVerdict::holds, ClaimVerdict::tooLow, ClaimVerdict::tooHigh})
            QVERIFY(!toString(verdict).empty());
        QVERIFY(toString(ClaimVerdict::tooLow) != toString(ClaimVerdict::tooHigh));
    }
};

REMAT_TEST(tst_claims);
#include "tst_claims.moc"
