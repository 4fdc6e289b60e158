// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "config/family_list.h"
#include "config/family_reading.h"
#include "config/key_rules.h"

namespace remat::core {

namespace {

constexpr std::string_view kQkvBias[] = {"qkv_bias"};
constexpr std::string_view kPatch[] = {"patch_size"};
constexpr std::string_view kChannels[] = {"num_channels"};
constexpr std::int64_t kImage = 224;
constexpr std::int64_t kLargestImage = 16384;

KeyRule imageSize(keys::Aliases spellings, std::int64_t ModelConfig::*member, std::int64_t fallback)
{
    KeyRule rule;
    rule.own = spellings.front();
    rule.spellings = spellings;
    rule.members = {member};
    rule.whenAbsent = WhenAbsent::assume;
    rule.assumed = fallback;
    return rule;
}

/// The tokens are the patches and one more, from which the class is read.
void finishVit(FamilyReading &reading)
{
    ModelConfig &model = reading.model;
    const auto side = reading.count("image_size", 1, kLargestImage);
    if (!side)
        reading.assume("image_size", std::to_string(kImage), "absent; the default of vit");
    const std::int64_t patch = std::max<std::int64_t>(1, model.patchSize);
    const std::int64_t along = side.value_or(kImage) / patch;
    model.positions = along * along + 1;
    reading.derive("positions", std::to_string(model.positions), "patches, and one token for the class");
    model.classes = readClasses(reading);
    if (reading.value("encoder_stride") != nullptr)
        reading.ignore("encoder_stride", "belongs to another head than the classes");
    for (const std::string_view key : {"pooler_act", "pooler_output_size"})
        if (reading.value(key) != nullptr)
            reading.ignore(key, "there is no pooler before the classes");
}

ModelConfig form()
{
    ModelConfig form;
    form.head = HeadKind::image;
    form.headBias = true;
    form.attentionOutBias = form.ffnBias = form.normBias = true;
    return form;
}

FamilyTable makeTable()
{
    FamilyTable table;
    table.name = "vit";
    table.source = "transformers, configuration_vit.py";
    table.modelTypes = {"vit"};
    table.architectures = {"ViTForImageClassification", "ViTModel"};
    table.form = form();
    table.implied = {{"attention", "both directions", "no key says so: vit is an encoder"},
                     {"head", "classes", "no key says so: the class of an image is learnt"},
                     {"bias", "true", "no key says so: projections, norms and head of vit have biases"}};
    table.rules = rules::encoderRows(0.0);
    rules::append(table,
                  {imageSize(kPatch, &ModelConfig::patchSize, 16), imageSize(kChannels, &ModelConfig::channels, 3),
                   rules::flag(kQkvBias, {&ModelConfig::qkvBias}, true)});
    table.finish = finishVit;
    return table;
}

} // namespace

const FamilyTable &vitFamily()
{
    static const FamilyTable table = makeTable();
    return table;
}

} // namespace remat::core
