// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "memory/memory_recorder.h"

namespace remat::gpu {

/// The CPU's recorder: the process-wide account plus a log. Made and used on the executor's thread.
class CpuMemoryRecorder final : public MemoryRecorder
{
public:
    CpuMemoryRecorder();
    ~CpuMemoryRecorder() override;

    void start() override;
    void stop() override;
    void setOp(std::uint32_t op, core::Phase phase) override;
    void setHint(core::Category hint) override;
    void tag(const void *data, core::Category category) override;
    void declare(const void *data, core::Bytes, core::Category category) override { tag(data, category); }
    [[nodiscard]] core::Bytes held() const override;
    [[nodiscard]] std::array<core::Bytes, core::kCategoryCount> heldByCategory() const override;
    [[nodiscard]] core::Bytes peak() const override;
    [[nodiscard]] const MemoryEventLog &log() const override { return m_log; }
    [[nodiscard]] std::vector<std::string> names() const override;
    void setBudget(core::Bytes budget) override;
    [[nodiscard]] core::Bytes budget() const override;
    [[nodiscard]] std::string budgetKind() const override { return "requested bytes"; }

private:
    MemoryEventLog m_log;
    std::uint64_t m_callback = 0; // handle of the operator-name callback while recording; 0: none
};

} // namespace remat::gpu
