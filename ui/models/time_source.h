// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>

#include <QString>

#include "advice/forecast.h"

namespace remat::ui {

/// Where the times of an answer come from: published peaks of a device, which real steps do not reach, or what the open
/// session probed of this very workload. One answer takes all of its times from one of them.
struct TimeSource
{
    QString device; // of the table; empty: the probe

    friend bool operator==(const TimeSource &, const TimeSource &) = default;
};

/// Formula and published peaks of a device of the table, which is named where there is none. Any thread.
[[nodiscard]] core::Result<core::CostsAt> costsByFormula(const QString &device);

/// What people call it; as it is spelled where the table does not know it.
[[nodiscard]] QString deviceName(const QString &device);

/// As `costsAt`, but fails once `stop` is requested, which ends every search that asks it. Any thread.
[[nodiscard]] core::CostsAt stoppable(core::CostsAt costsAt, std::stop_token stop);

} // namespace remat::ui
