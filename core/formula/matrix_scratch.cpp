// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/matrix_scratch.h"

namespace remat::core::formula {

void matrixScratch(Tape &tape, const Tensor & /*a*/, const Tensor & /*b*/, const Tensor &out)
{
    if (isReduced(out.type()) && tape.isCpu())
        tape.setApproximate();
}

} // namespace remat::core::formula
