// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "base/units.h"
#include "measure/point.h"
#include "measure/recording.h"

namespace remat::ui {

/// Words for values, in the user's language. All are safe to call from any thread.
[[nodiscard]] QString bytesText(core::Bytes bytes);
/// "46,137,344 bytes": for tooltips, where exact values belong.
[[nodiscard]] QString exactBytesText(core::Bytes bytes);
[[nodiscard]] QString durationText(core::Nanoseconds ns);
/// "12 s", "2 min", "1 h 5 min": for what is still to wait.
[[nodiscard]] QString remainingText(core::Nanoseconds ns);
/// "×1.24"
[[nodiscard]] QString factorText(double factor);
/// "−80 %", with a true minus sign; "±0 %" for none.
[[nodiscard]] QString percentText(double change);
/// "Segments of 2", "Every block", "No checkpointing".
[[nodiscard]] QString strategyTitle(const QString &strategy);
/// "segments of 2", "every 2", "none": the label beside a mark.
[[nodiscard]] QString strategyLabel(const QString &strategy);
/// What a strategy with options inside its blocks drops in the forward and rebuilds in the backward, in one sentence; empty
/// for all others.
[[nodiscard]] QString droppedText(const QString &strategy);
[[nodiscard]] QString statusText(core::RunStatus status);
[[nodiscard]] QString categoryText(core::Category category);
[[nodiscard]] QString phaseText(core::Phase phase);
[[nodiscard]] QString countText(qint64 count);
/// "124.4 M", "82,176": parameter counts.
[[nodiscard]] QString parameterText(qint64 count);

} // namespace remat::ui
