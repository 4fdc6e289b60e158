// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advice/forecast.h"
#include "measure/point.h"

namespace remat::core {

/// What a setting really does, measured or, where nobody measured it, predicted.
struct ReferencePoint
{
    Bytes peak = 0;
    Bytes activationPeak = 0;
    Nanoseconds step = 0;
    bool measured = false;
    Expected expected = {}; // of a measured point, what the costs say of it; step 0: they lack its options
};
using Reference = std::map<std::string, ReferencePoint>; // by strategy

/// A strategy's values ÷ those of `none`; 1 where `none` has none.
struct AgainstNone
{
    double peak = 1.0;
    double activationPeak = 1.0;
    double step = 1.0;
    bool measured = false; // both sides are, else both are predicted: times of two sources have no ratio
};
/// Nothing where one of the two is unknown, or one is measured and the other cannot be predicted with it.
[[nodiscard]] std::optional<AgainstNone> againstNone(const Reference &reference, const std::string &strategy);

/// The strategies that published formulas and claims speak of, as far as a model of this shape has them.
[[nodiscard]] std::vector<std::string> referenceStrategies(const ChainShape &shape);

/// Predictions for all of them but those whose options have no costs; measured points of the same workload take their place.
[[nodiscard]] Result<Reference> referenceOf(const ModelConfig &model, const Workload &workload, const ChainCosts &costs,
                                            const std::vector<Point> &points);

/// One published formula on the user's own config, beside what really happens. A plain value.
struct PublishedValue
{
    enum class Quantity { bytes, timeFactor };
    std::string name;     // "Korthikanti et al. 2022"
    std::string source;   // where it is published
    std::string formula;  // "L·sbh(34 + 5as/h) + …"
    std::string strategy; // what it speaks of; its value is compared with that strategy's
    std::string what;     // "activation peak", "peak", "step time against none"
    Quantity quantity = Quantity::bytes;
    double value = 0.0;
    double ours = 0.0;
    bool measured = false; // `ours`

    /// value ÷ ours - 1.
    [[nodiscard]] double error() const { return ours > 0.0 ? value / ours - 1.0 : 0.0; }
};

/// Formulas that people plan with: Korthikanti et al. (arXiv 2205.05198, table 2 and section 4.3), Megatron-LM's
/// theoretical_memory_usage.py, the EleutherAI cookbook's calc_transformer_mem.py, accelerate's estimate-memory, the web
/// calculators of agentcalc.com and of the Ultra-Scale Playbook, and the √L rule after Chen et al. (arXiv 1604.06174).
/// Their own symbols and element sizes are kept where they fix them; b = sequences of a micro-batch.
[[nodiscard]] std::vector<PublishedValue> publishedValues(const ModelConfig &model, const Workload &workload,
                                                          const Reference &reference);

/// [{name, source, formula, strategy, what, value, ours, measured, error}].
[[nodiscard]] Json toJson(const std::vector<PublishedValue> &values);

} // namespace remat::core
