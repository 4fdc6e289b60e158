// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

class QAbstractButton;
class QPalette;

namespace remat::ui {

/// An icon of the program in the colours of the palette's theme.
[[nodiscard]] QIcon themedIcon(const QString &name, const QPalette &palette);

/// Gives a button an icon that follows the theme from then on.
void setIconName(QAbstractButton &button, const char *name);

} // namespace remat::ui
