// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/block_option.h"

#include <c10/util/Exception.h>

#include <string>

namespace remat::gpu {

namespace {

void apply(std::string_view id, BlockOption &option)
{
    constexpr std::string_view kNorm = "_norm";
    const bool norm = id.ends_with(kNorm);
    const std::string_view base = norm ? id.substr(0, id.size() - kNorm.size()) : id;
    if (base == "keep_all") {
        option.attention.norm |= norm;
        option.feedForward.norm |= norm;
    } else if (base == "drop_core" || base == "drop_qkv") {
        option.attention = {base == "drop_core", base == "drop_qkv", norm};
    } else if (base == "lean_mlp" || base == "drop_up") {
        option.feedForward = {base == "lean_mlp", base == "drop_up", norm};
    } else {
        TORCH_CHECK(false, "the option '", std::string(id), "' is unknown");
    }
}

} // namespace

BlockOption blockOption(std::string_view id)
{
    BlockOption option;
    while (!id.empty()) {
        const auto plus = id.find('+');
        apply(id.substr(0, plus), option);
        id = plus == std::string_view::npos ? std::string_view() : id.substr(plus + 1);
    }
    return option;
}

} // namespace remat::gpu
