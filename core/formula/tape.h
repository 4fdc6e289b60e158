// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/units.h"
#include "formula/work_amount.h"

namespace remat::core::formula {

/// Element types as far as bytes go.
enum class Element : std::uint8_t { boolean, bf16, fp16, fp32, fp64, int64 };
[[nodiscard]] Bytes sizeOf(Element type);
[[nodiscard]] inline bool isReduced(Element type)
{
    return type == Element::bf16 || type == Element::fp16;
}

using Shape = std::vector<std::int64_t>;
[[nodiscard]] std::int64_t elements(const Shape &shape);

/// The account of a run without memory: every block that a size-only tensor would take, and what the operators would do.
/// Owned by whoever runs stages on it; used from one thread. Tensors must not outlive it.
class Tape
{
public:
    struct Event
    {
        std::uint32_t block = 0;
        Bytes bytes = 0; // negative: released
    };

    explicit Tape(int threads, bool cpu = true) : m_threads(threads), m_cpu(cpu) { }

    [[nodiscard]] int threads() const { return m_threads; }
    [[nodiscard]] bool isCpu() const { return m_cpu; }

    [[nodiscard]] std::uint32_t allocate(Bytes bytes);
    void release(std::uint32_t block, Bytes bytes);
    /// The block is a parameter's gradient: held, but no activation.
    void markGradient(std::uint32_t block) { m_isGradient[block] = true; }
    [[nodiscard]] bool isGradient(std::uint32_t block) const { return m_isGradient[block]; }

    /// A block that lives only within an operator.
    void scratch(Bytes bytes);
    void count(double flops, double bytesMoved);

    [[nodiscard]] const std::vector<Event> &events() const { return m_events; }
    [[nodiscard]] const WorkAmount &work() const { return m_work; }
    /// The part of it that options run again inside a backward.
    [[nodiscard]] const WorkAmount &rebuilt() const { return m_rebuilt; }
    /// Sizes that the rules below do not know for certain were used since the tape was made.
    [[nodiscard]] bool isApproximate() const { return m_approximate; }
    void setApproximate() { m_approximate = true; }

    [[nodiscard]] std::uint64_t nextSequence() { return m_sequence++; }

    bool gradMode = false;
    bool rebuilding = false;
    bool permanent = false; // tensors made now are outside the account: parameters, constants, batches

private:
    int m_threads;
    bool m_cpu;
    bool m_approximate = false;
    std::uint64_t m_sequence = 1;
    std::vector<Event> m_events;
    std::vector<bool> m_isGradient;
    WorkAmount m_work, m_rebuilt;
};

/// Sets one of the tape's modes and puts it back.
class ModeScope
{
public:
    ModeScope(bool &mode, bool value) : m_mode(mode), m_outer(mode) { mode = value; }
    ~ModeScope() { m_mode = m_outer; }
    ModeScope(const ModeScope &) = delete;
    ModeScope &operator=(const ModeScope &) = delete;

private:
    bool &m_mode;
    bool m_outer;
};

} // namespace remat::core::formula
