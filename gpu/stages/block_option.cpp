// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/block_option.h"

#include <c10/util/Exception.h>

#include <string>

namespace remat::gpu {

namespace {

/// Which halves an id string names; keep_all_norm is for those that it does not.
struct Named
{
    bool attention = false;
    bool feedForward = false;
    bool keepAllNorm = false;
};

void apply(std::string_view id, BlockOption &option, Named &named)
{
    constexpr std::string_view kNorm = "_norm";
    const bool norm = id.ends_with(kNorm);
    const std::string_view base = norm ? id.substr(0, id.size() - kNorm.size()) : id;
    if (base == "keep_all") {
        named.keepAllNorm |= norm;
    } else if (base == "drop_core" || base == "drop_qkv") {
        named.attention = true;
        option.attention = {base == "drop_core", base == "drop_qkv", norm};
    } else if (base == "lean_mlp" || base == "drop_up") {
        named.feedForward = true;
        option.feedForward = {base == "lean_mlp", base == "drop_up", norm};
    } else {
        TORCH_CHECK(false, "the option '", std::string(id), "' is unknown");
    }
}

} // namespace

BlockOption blockOption(std::string_view id)
{
    BlockOption option;
    Named named;
    while (!id.empty()) {
        const auto plus = id.find('+');
        apply(id.substr(0, plus), option, named);
        id = plus == std::string_view::npos ? std::string_view() : id.substr(plus + 1);
    }
    option.attention.norm |= named.keepAllNorm && !named.attention;
    option.feedForward.norm |= named.keepAllNorm && !named.feedForward;
    return option;
}

} // namespace remat::gpu
