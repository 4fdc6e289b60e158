// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace remat::core {

/// Floating-point operations, and bytes read and written, temporaries included. A plain value.
struct WorkAmount
{
    double flops = 0;
    double bytesMoved = 0;

    WorkAmount operator-(const WorkAmount &other) const { return {flops - other.flops, bytesMoved - other.bytesMoved}; }
    WorkAmount &operator+=(const WorkAmount &other)
    {
        flops += other.flops;
        bytesMoved += other.bytesMoved;
        return *this;
    }
};

} // namespace remat::core
