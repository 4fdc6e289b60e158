// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <torch/headeronly/version.h>

// Executor and recorders use internal parts of autograd and of the allocators.
static_assert(TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR == 11, "gpu uses internal API of LibTorch 2.11");
