// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"
#include "config/model_limits.h"

namespace remat::core {

namespace {

constexpr std::string_view kEpsilon[] = {"norm_eps"};

/// hidden = 2/3 * 4 * dim, times ffn_dim_multiplier, rounded up to a multiple of multiple_of: FeedForward.__init__ of
/// Meta's llama/model.py, with its truncations. Some files give hidden_dim itself; it is the feed-forward width then.
void deriveFfnWidth(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    constexpr std::int64_t kLargest = std::int64_t(1) << 21;
    if (const auto given = reading.count("hidden_dim", 1, kLargest)) {
        model.ffnWidth = *given;
        return reading.derive("hidden_dim", std::to_string(*given), "the feed-forward width in files of this kind");
    }
    const std::int64_t multiple = reading.count("multiple_of", 1, kLargest).value_or(256);
    double factor = 1.0;
    if (const Json *json = reading.value("ffn_dim_multiplier"); json != nullptr) {
        if (!json->is_number() || !(json->get<double>() > 0.0 && json->get<double>() <= 16.0))
            return reading.refuse("ffn_dim_multiplier", "allowed are numbers above 0 up to 16");
        factor = json->get<double>();
    }
    const std::int64_t third = 8 * model.width / 3;
    const auto scaled = static_cast<std::int64_t>(std::floor(factor * static_cast<double>(third)));
    model.ffnWidth = (scaled + multiple - 1) / multiple * multiple;
    reading.derive("feed-forward width", std::to_string(model.ffnWidth),
                   "2/3 * 4 * dim, rounded up to a multiple of " + std::to_string(multiple));
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "llama";
    table.form = rules::rotaryForm();
    table.form.activation = Activation::silu;
    table.implied = {{"tied head", "false", "no key says so: files of this kind describe a head of its own"},
                     {"activation", "silu", "no key says so: the feed-forward half of llama"},
                     {"bias", "false", "no key says so: no projection of llama has a bias"}};
    table.rules = {rules::layers("n_layers"),
                   rules::width("dim"),
                   rules::heads("n_heads"),
                   rules::kvHeads("n_kv_heads"),
                   rules::headSizeFromWidth("head_dim"),
                   rules::vocabulary("vocab_size"),
                   rules::positions("max_seq_len", 2048),
                   rules::normEpsilon(kEpsilon, 1e-5),
                   rules::ropeTheta(10000.0)};
    table.finish = deriveFfnWidth;
    return table;
}

} // namespace

const FamilyTable &llamaParamsFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
