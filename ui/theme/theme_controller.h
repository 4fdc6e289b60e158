// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

namespace remat::ui {

struct Theme;

enum class ThemeMode { system, light, dark };

/// Puts the theme on the application: style, palette, sheet, font. Follows the system until the user chose otherwise; the
/// choice is kept in the settings. Made once by the composition, lives as long as the application. GUI thread.
class ThemeController : public QObject
{
    Q_OBJECT
public:
    explicit ThemeController(QObject *parent = nullptr);

    [[nodiscard]] ThemeMode mode() const { return m_mode; }
    void setMode(ThemeMode mode);

    /// Style and font, once, before the first widget; then the palette of the mode.
    void start();
    bool eventFilter(QObject *watched, QEvent *event) override;

Q_SIGNALS:
    void modeChanged();

private:
    void apply();

    ThemeMode m_mode = ThemeMode::system;
    bool m_applying = false;
    const Theme *m_applied = nullptr;
};

} // namespace remat::ui
