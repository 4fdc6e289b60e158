// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/block_option.h"

#include <c10/util/Exception.h>

#include <string>

#include "schedule/strategy.h"

namespace remat::gpu {

namespace {

bool rebuildsNorm(std::string_view id)
{
    return id.ends_with("_norm");
}

} // namespace

BlockOption blockOption(std::string_view id)
{
    const auto options = core::stageOptionsFrom(id);
    TORCH_CHECK(options, "the option '", std::string(id), "' is unknown");
    const std::string_view attention = options->attention;
    const std::string_view feed = options->feedForward;
    return {{attention.starts_with("drop_core"), attention.starts_with("drop_qkv"), rebuildsNorm(attention)},
            {feed.starts_with("lean_mlp"), feed.starts_with("drop_up"), rebuildsNorm(feed)}};
}

} // namespace remat::gpu
