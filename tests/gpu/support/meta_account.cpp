// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "gpu/support/meta_account.h"

#include <c10/core/Allocator.h>

namespace remat::tests {

namespace {

void release(void *context)
{
    auto *bytes = static_cast<core::Bytes *>(context);
    MetaAccount::instance().add(-*bytes);
    delete bytes;
}

/// Hands out no memory, as the allocator that it replaces, but is told when a storage goes.
class CountingAllocator final : public c10::Allocator
{
public:
    c10::DataPtr allocate(std::size_t bytes) override
    {
        const auto size = static_cast<core::Bytes>(bytes);
        MetaAccount::instance().add(size);
        return {nullptr, new core::Bytes(size), &release, c10::Device(c10::kMeta)};
    }
    void copy_data(void *, const void *, std::size_t) const override { }
};

} // namespace

MetaAccount &MetaAccount::instance()
{
    static auto *account = new MetaAccount; // tensors may outlive static objects
    return *account;
}

MetaAccount::MetaAccount()
{
    constexpr std::uint8_t kAboveTheDefault = 1;
    c10::SetAllocator(c10::kMeta, new CountingAllocator, kAboveTheDefault);
}

} // namespace remat::tests
