// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include <QString>

#include "models/selection.h"

namespace remat::ui {

/// What a handle does with a key, the same on the curve and under the strip of layers.
enum class HandleKey { previous, next, first, last };

/// The stop that a key leads to from `strategy`; from a strategy that is no stop of the mode, the mode's first.
[[nodiscard]] QString handleKeyTarget(HandleKey key, HandleMode mode, const QString &strategy, int layers);

/// Qt's key code as a handle key.
[[nodiscard]] std::optional<HandleKey> handleKeyFrom(int qtKey);

/// Digits typed shortly after each other make a value: 1, then 2, is 12 where the model has that many layers.
class DigitEntry
{
public:
    /// The value so far; 0 where the digit leads to none. `ms` is any rising clock.
    int add(int digit, int layers, qint64 ms);

private:
    int m_value = 0;
    qint64 m_last = 0;
};

} // namespace remat::ui
