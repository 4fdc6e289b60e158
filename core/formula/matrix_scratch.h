// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formula/tensor.h"

namespace remat::core::formula {

/// The scratch of a product out = a b: none in fp32 (MKL takes it elsewhere); in the reduced types oneDNN asks the
/// allocator for the buffers of its blocked kernel.
void matrixScratch(Tape &tape, const Tensor &a, const Tensor &b, const Tensor &out);

} // namespace remat::core::formula
