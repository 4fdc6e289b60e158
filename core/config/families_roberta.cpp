// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::int64_t kOffset = 2; // positions are counted from the padding token's number, 1, on

void finishRoberta(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    if (model.positions <= kOffset)
        return reading.refuse("max_position_embeddings", "roberta uses two rows less; allowed are 3 and more");
    model.positions -= kOffset;
    model.positionOffset = kOffset;
    reading.derive("positions", std::to_string(model.positions),
                   "two less than rows in the position table: roberta counts from 2 on");
    bertFamily().finish(reading);
}

/// As bert, with an offset in the table of positions.
FamilyTable makeTable()
{
    FamilyTable table = bertFamily();
    table.name = "roberta";
    table.source = "transformers, configuration_roberta.py";
    table.modelTypes = {"roberta", "xlm-roberta", "camembert"};
    table.architectures = {"RobertaForMaskedLM",
                           "RobertaForSequenceClassification",
                           "RobertaModel",
                           "RobertaForTokenClassification",
                           "XLMRobertaForMaskedLM",
                           "XLMRobertaForSequenceClassification",
                           "RobertaForQuestionAnswering",
                           "XLMRobertaModel",
                           "CamembertForMaskedLM"};
    table.implied = {{"norm placement", "post", "no key says so: roberta normalises after each sum"},
                     {"attention", "both directions", "no key says so: roberta is an encoder"},
                     {"bias", "true", "no key says so: all projections and norms of roberta have biases"}};
    table.finish = finishRoberta;
    return table;
}

} // namespace

const FamilyTable &robertaFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
