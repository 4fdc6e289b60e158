// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/published.h"

namespace remat::core {

/// A range as a claim states it; both ends equal where it is one number.
struct ClaimedRange
{
    double low = 0.0;
    double high = 0.0;
};

enum class ClaimVerdict { holds, tooLow, tooHigh };

/// One number of a claim beside what really happens with the user's config.
struct ClaimedNumber
{
    std::string what; // "activation peak saved"
    ClaimedRange claimed;
    double ours = 0.0; // shares and factors as fractions, or bytes
    bool isBytes = false;
    bool measured = false;
    ClaimVerdict verdict = ClaimVerdict::holds; // of the claim: too low, too high, or within its own range ± 2 points
};

/// A statement that lectures and blogs make about checkpointing, tested on the user's config. A plain value.
struct Claim
{
    std::string id; // "C1"
    std::string text;
    std::string strategy; // what stands for it here
    std::vector<ClaimedNumber> numbers;
    std::string explanation; // what it depends on
};

/// C1 … C7: every layer, segments, extreme, attention only, 80 layers one by one, every fourth layer, and the size of the
/// attention scores. Claims whose strategy the model does not have are left out.
[[nodiscard]] std::vector<Claim> testedClaims(const ModelConfig &model, const Workload &workload,
                                              const Reference &reference);

[[nodiscard]] std::string_view toString(ClaimVerdict verdict); // "holds", "too low", "too high"
/// [{id, claim, strategy, numbers: [{what, claimed: [low, high], ours, measured, verdict}], explanation}].
[[nodiscard]] Json toJson(const std::vector<Claim> &claims);

} // namespace remat::core
