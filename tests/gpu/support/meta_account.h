// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "base/units.h"

namespace remat::tests {

/// Counts the bytes that tensors of LibTorch's meta device would take: they have sizes and graphs, but no memory. It takes
/// the place of that device's allocator at the first call; tensors made before are not counted. One thread at a time.
class MetaAccount
{
public:
    [[nodiscard]] static MetaAccount &instance();

    [[nodiscard]] core::Bytes held() const { return m_held; }
    void add(core::Bytes bytes) { m_held += bytes; }

private:
    MetaAccount();

    core::Bytes m_held = 0;
};

} // namespace remat::tests
