// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "advice/claims.h"

namespace remat::core {

namespace {

/// Claims are given in whole percents; nobody is wrong by less than two points.
constexpr double kSlack = 0.02;
/// Of "or more", a number that JSON can hold: 80 layers from the input alone already take 14 times as long.
constexpr double kNoEnd = 1e6;

class ClaimTester
{
public:
    explicit ClaimTester(const Reference &reference) : m_reference(reference) { }

    [[nodiscard]] bool knows(const std::string &strategy) const
    {
        return againstNone(m_reference, strategy).has_value();
    }

    ClaimedNumber saved(const std::string &strategy, ClaimedRange claimed) const
    {
        return number("activation peak saved", claimed, 1.0 - share(strategy).activationPeak, strategy);
    }
    ClaimedNumber savedOfAll(const std::string &strategy, ClaimedRange claimed) const
    {
        return number("whole peak saved", claimed, 1.0 - share(strategy).peak, strategy);
    }
    ClaimedNumber longer(const std::string &strategy, ClaimedRange claimed) const
    {
        return number("step longer by", claimed, share(strategy).step - 1.0, strategy);
    }

    static ClaimVerdict verdictOf(const ClaimedRange &claimed, double ours, double slack)
    {
        if (claimed.high < ours - slack)
            return ClaimVerdict::tooLow;
        return claimed.low > ours + slack ? ClaimVerdict::tooHigh : ClaimVerdict::holds;
    }

private:
    /// Of a strategy that is known.
    AgainstNone share(const std::string &strategy) const { return *againstNone(m_reference, strategy); }

    ClaimedNumber number(const char *what, ClaimedRange claimed, double ours, const std::string &strategy) const
    {
        return {what, claimed, ours, false, share(strategy).measured, verdictOf(claimed, ours, kSlack)};
    }

    const Reference &m_reference;
};

/// The segments that claim C2 could mean: those that save the most.
std::string bestSegments(const Reference &reference)
{
    std::string best;
    for (const auto &[strategy, point] : reference)
        if (strategy.starts_with("segments:") && strategy.find('+') == std::string::npos
            && (best.empty() || point.activationPeak < reference.at(best).activationPeak))
            best = strategy;
    return best;
}

/// Elements of the scores of one layer in bytes: sequences × heads × s². Independent of kernels, which may never make them.
Claim scoresClaim(const ModelConfig &model, const Workload &workload)
{
    const Bytes element = computeElementSize(workload.dtype);
    const double claimedCase = 32.0 * 8 * 1024 * 1024 * static_cast<double>(element);
    const double claimed = 256.0 * 1024 * 1024;
    const Bytes here = workload.batch * model.heads * workload.seq * workload.seq * element;
    Claim claim{"C7", "Attention scores of batch 32, 8 heads and 1,024 tokens take 256 MB.", "none", {}, {}};
    claim.numbers.push_back({"the scores of that layer in " + std::string(toString(workload.dtype)),
                             {claimed, claimed},
                             claimedCase,
                             true,
                             false,
                             ClaimTester::verdictOf({claimed, claimed}, claimedCase, 0.0)});
    claim.explanation
        = "268,435,456 elements: 256 MiB are their one-byte dropout mask alone. In this workload the scores of "
          "a layer are "
        + formatBytes(here) + "; fused kernels never make them.";
    return claim;
}

void addIfKnown(std::vector<Claim> &claims, const ClaimTester &test, Claim claim,
                std::vector<ClaimedNumber> (*numbers)(const ClaimTester &, const std::string &))
{
    if (claim.strategy.empty() || !test.knows(claim.strategy))
        return;
    claim.numbers = numbers(test, claim.strategy);
    claims.push_back(std::move(claim));
}

using Numbers = std::vector<ClaimedNumber>;

/// "Every 4 layers" is said of two things.
void addEveryFourth(std::vector<Claim> &claims, const ClaimTester &test)
{
    for (const char *strategy : {"segments:4", "every:4"})
        addIfKnown(claims, test,
                   {"C6",
                    "A checkpoint every 4 layers saves 60 % and costs 20 %.",
                    strategy,
                    {},
                    "Groups of 4 recompute all and save more; checkpointing one block of 4 costs less and saves less."},
                   [](const ClaimTester &t, const std::string &s) {
                       return Numbers{t.saved(s, {0.6, 0.6}), t.longer(s, {0.2, 0.2})};
                   });
}

} // namespace

std::vector<Claim> testedClaims(const ModelConfig &model, const Workload &workload, const Reference &reference)
{
    const ClaimTester test(reference);
    std::vector<Claim> claims;
    addIfKnown(
        claims, test,
        {"C1",
         "Checkpointing every layer saves about 50 % of memory and costs 20 to 30 %.",
         "every:1",
         {},
         "Of activations it saves far more; of the whole peak less, as states stay. The time is one forward in a "
         "step: a third where the backward takes two."},
        [](const ClaimTester &t, const std::string &s) {
            return Numbers{t.saved(s, {0.5, 0.5}), t.savedOfAll(s, {0.5, 0.5}), t.longer(s, {0.2, 0.3})};
        });
    addIfKnown(claims, test,
               {"C2",
                "Segments save 70 to 80 % and cost 10 to 15 %.",
                bestSegments(reference),
                {},
                "Plain segments recompute everything, as every:1 does; only plans within blocks come near this price."},
               [](const ClaimTester &t, const std::string &s) {
                   return Numbers{t.saved(s, {0.7, 0.8}), t.longer(s, {0.1, 0.15})};
               });
    addIfKnown(claims, test,
               {"C3",
                "Extreme checkpointing saves 90 % or more and costs 50 % or more.",
                "input-only",
                {},
                "Deep models save 90 % for one forward; what is beyond costs many forwards a layer."},
               [](const ClaimTester &t, const std::string &s) {
                   return Numbers{t.saved(s, {0.9, 1.0}), t.longer(s, {0.5, kNoEnd})};
               });
    addIfKnown(claims, test,
               {"C4",
                "Checkpointing only attention saves about 40 % of a layer's activations.",
                "selective:attention",
                {},
                "It depends on tokens ÷ head size, and is next to nothing where the kernel never makes the scores."},
               [](const ClaimTester &t, const std::string &s) {
                   return Numbers{t.saved(s, {0.4, 0.4})};
               });
    addIfKnown(
        claims, test,
        {"C5",
         "Deep models checkpointed layer by layer take 3 times as long.",
         "every:1",
         {},
         "One more forward can cost a third; more comes from fixed costs of a region, paging or nested recomputation."},
        [](const ClaimTester &t, const std::string &s) {
            return Numbers{t.longer(s, {2.0, 2.0})};
        });
    addEveryFourth(claims, test);
    claims.push_back(scoresClaim(model, workload));
    return claims;
}

std::string_view toString(ClaimVerdict verdict)
{
    return verdict == ClaimVerdict::holds ? "holds" : verdict == ClaimVerdict::tooLow ? "too low" : "too high";
}

Json toJson(const std::vector<Claim> &claims)
{
    Json list = Json::array();
    for (const Claim &claim : claims) {
        Json numbers = Json::array();
        for (const ClaimedNumber &number : claim.numbers)
            numbers.push_back({{"what", number.what},
                               {"claimed", {number.claimed.low, number.claimed.high}},
                               {"ours", number.ours},
                               {"measured", number.measured},
                               {"verdict", toString(number.verdict)}});
        list.push_back({{"id", claim.id},
                        {"claim", claim.text},
                        {"strategy", claim.strategy},
                        {"numbers", std::move(numbers)},
                        {"explanation", claim.explanation}});
    }
    return list;
}

} // namespace remat::core
