// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBrush>
#include <QImage>

#include "theme/theme.h"

namespace remat::ui {

/// One tile of a hatched area in device pixels, to be repeated; a plain tile where the style is not hatched.
[[nodiscard]] QImage fillTile(const FillStyle &style, double devicePixelRatio);

/// The brush that fills areas of a style on a painter of that ratio.
[[nodiscard]] QBrush fillBrush(const FillStyle &style, double devicePixelRatio);

} // namespace remat::ui
