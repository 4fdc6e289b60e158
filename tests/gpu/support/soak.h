// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>

#include "base/units.h"

namespace remat::tests {

/// Memory of the process at one moment: what the engine's account holds, and what is resident.
struct Footprint
{
    core::Bytes held = 0;
    core::Bytes resident = 0;
};

/// After a tenth of the runs, when every cache has what it wants, and after all of them.
struct Soak
{
    Footprint early;
    Footprint late;
};

/// Many short runs in one process, counted from 1: neither the account nor the host's memory may grow.
[[nodiscard]] Soak soak(int runs, const std::function<void(int run)> &work);

} // namespace remat::tests
