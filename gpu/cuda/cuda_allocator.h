// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "memory/free_space.h"
#include "memory/trace_recorder.h"

namespace remat::gpu {

/// CUDA's caching allocator of one device as the recorder wants it.
class CudaAllocator final : public DeviceAllocator
{
public:
    explicit CudaAllocator(int device) : m_device(device) { }

    [[nodiscard]] Statistics statistics() const override;
    void resetPeaks() override;
    void emptyCache() override;
    void setFraction(double fraction) override;
    [[nodiscard]] core::Bytes totalBytes() const override;

    /// Every segment that is held now, with its blocks.
    [[nodiscard]] std::vector<Segment> segments() const;

    /// Lets `recorder` hear of every allocation of this device and of what fails, for the rest of the process; neither of
    /// the two may go before it.
    void attach(TraceRecorder &recorder) const;

private:
    int m_device;
};

} // namespace remat::gpu
