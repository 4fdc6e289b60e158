// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace remat::gpu {

/// What the attention half drops: nothing; what lies between the fused product and the attention output (drop_core); the
/// fused product as well, made again from the normalised input (drop_qkv). norm: the normalised input too.
struct AttentionOption
{
    bool dropCore = false;
    bool dropProjection = false;
    bool norm = false;
};

/// What the feed-forward half drops: nothing; the activation's output (lean_mlp); the up-projection too (drop_up).
struct FeedForwardOption
{
    bool dropActivation = false;
    bool dropUp = false;
    bool norm = false;
};

/// An option id as schedules spell it, for either half, or for both joined with '+' where a block is one stage.
struct BlockOption
{
    AttentionOption attention;
    FeedForwardOption feedForward;
};

/// Taken apart by core::stageOptionsFrom; "" drops nothing. Throws c10::Error on an id that is unknown.
[[nodiscard]] BlockOption blockOption(std::string_view id);

} // namespace remat::gpu
