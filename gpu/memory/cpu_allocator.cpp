// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "memory/cpu_allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>

#include <malloc.h>

#include <new>

namespace remat::gpu {

namespace {

constexpr std::size_t kHeader = 64; // keeps the alignment that the kernels expect

/// A plain function: blocks may outlive every static object.
void releaseBlock(void *data)
{
    if (!data)
        return;
    char *base = static_cast<char *>(data) - kHeader;
    CpuAccount::instance().remove(*std::launder(reinterpret_cast<BlockHeader *>(base)));
    c10::free_cpu(base);
}

[[noreturn]] void throwOutOfMemory(const RefusedAllocation &refused)
{
    TORCH_CHECK_WITH(OutOfMemoryError, false, "asked for ", refused.asked, " bytes, held ", refused.held,
                     " bytes, budget ", refused.budget, " bytes");
}

class RecordingAllocator final : public c10::Allocator
{
public:
    c10::DataPtr allocate(std::size_t n) override
    {
        const c10::Device device(c10::DeviceType::CPU);
        if (n == 0)
            return {nullptr, nullptr, &releaseBlock, device};
        CpuAccount &account = CpuAccount::instance();
        BlockHeader header;
        if (!account.add(static_cast<core::Bytes>(n), header))
            throwOutOfMemory(account.refused());
        char *base = static_cast<char *>(take(n + kHeader, header));
        new (base) BlockHeader(header);
        return {base + kHeader, base + kHeader, &releaseBlock, device};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &releaseBlock; }
    void copy_data(void *to, const void *from, std::size_t n) const override { default_copy_data(to, from, n); }

private:
    /// The machine's own exhaustion arrives as a plain c10::Error; it becomes the same out-of-memory as a budget.
    static void *take(std::size_t n, const BlockHeader &header)
    {
        try {
            return c10::alloc_cpu(n);
        } catch (const c10::Error &) {
            CpuAccount &account = CpuAccount::instance();
            account.remove(header);
            throwOutOfMemory({header.bytes, account.held(), 0});
        }
    }
};

/// Freed memory stays with the process, as CUDA's caching allocator keeps it. Else every step would ask the system for the
/// same pages again, and their faults would be counted as time of whichever op comes first after a release: a tenth of a
/// step, and most of its spread.
void keepFreedMemory()
{
    constexpr int kNever = -1;
    constexpr int kTopPad = 64 << 20;
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, kNever);
    mallopt(M_TOP_PAD, kTopPad);
}

} // namespace

void installCpuAllocator()
{
    static const bool installed = [] {
        keepFreedMemory();
        c10::SetCPUAllocator(new RecordingAllocator, /*priority=*/255); // never freed: blocks refer to it at exit
        return true;
    }();
    static_cast<void>(installed);
}

BlockHeader *headerOf(const void *data)
{
    if (!data)
        return nullptr;
    char *base = const_cast<char *>(static_cast<const char *>(data)) - kHeader;
    return std::launder(reinterpret_cast<BlockHeader *>(base));
}

bool isOurDeleter(void (*deleter)(void *))
{
    return deleter == &releaseBlock;
}

} // namespace remat::gpu
