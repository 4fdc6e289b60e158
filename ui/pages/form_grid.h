// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QGridLayout;
class QString;
class QVBoxLayout;
class QWidget;

namespace remat::ui {

/// The columns that all groups of a form share: name, editor of this width, hint.
inline constexpr int kFormEditorWidth = 136;
[[nodiscard]] QGridLayout *addFormGrid(QVBoxLayout &column);
/// A grid below a heading.
[[nodiscard]] QGridLayout *addFormGroup(QVBoxLayout &column, const QString &title);

/// The wheel turns the page and not this editor, until the editor was chosen. Takes over its focus policy.
void leaveWheelToPage(QWidget &editor);

} // namespace remat::ui
