// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace remat::core::keys {

using Aliases = std::span<const std::string_view>;

/// How files spell one property, in the order in which the spellings win when several are present. The order is the
/// same for every family; which spelling won is reported where it is not the family's own.
[[nodiscard]] Aliases layers();
[[nodiscard]] Aliases width();
[[nodiscard]] Aliases heads();
[[nodiscard]] Aliases kvHeads();
[[nodiscard]] Aliases headSize();
[[nodiscard]] Aliases ffnWidth();
[[nodiscard]] Aliases positions();
[[nodiscard]] Aliases vocabulary();
[[nodiscard]] Aliases experts();

/// Keys that hold a language model inside a larger one, in the order in which they would be looked at.
[[nodiscard]] Aliases composites();

/// Keys by which files say something about activation checkpointing.
[[nodiscard]] Aliases checkpointing();

/// Why a known key has no effect here ("a default of text generation"); empty for an unknown key.
[[nodiscard]] std::string_view whyIgnored(std::string_view key);

} // namespace remat::core::keys
