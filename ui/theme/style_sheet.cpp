// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "theme/theme.h"

#include <QString>

namespace remat::ui {

namespace {

/// Written with named holes, so that the sheet reads as a sheet. Buttons carry their role as a dynamic property.
constexpr const char *kSheet = R"(
QMainWindow, QWidget#page, QScrollArea, QScrollArea > QWidget > QWidget { background: @window; }
QToolTip { background: @bubble; color: @bubbleText; border: none; padding: 4px 6px; }
QFrame#card { background: @card; border: 1px solid @hairline; border-radius: 8px; }
QFrame#card QScrollArea, QFrame#card QScrollArea > QWidget > QWidget { background: @card; }
QFrame#toolBar { background: @card; border: none; border-bottom: 1px solid @hairline; }
QFrame#sideBar { background: @card; border: none; border-right: 1px solid @hairline; }
QFrame#statusStrip { background: @card; border: none; border-top: 1px solid @hairline; }
QFrame#messageStrip { background: @card; border: 1px solid @warning; border-radius: 8px; margin: 12px 16px 0px 16px; }
QFrame#hairline { background: @hairline; border: none; max-height: 1px; min-height: 1px; }
QLabel { background: transparent; }
QLabel[role="secondary"] { color: @secondary; }
QLabel[role="accent"] { color: @accent; }
QLabel[role="warning"] { color: @warning; }
QPushButton, QToolButton { background: @card; color: @text; border: 1px solid @hairline; border-radius: 6px; padding: 4px 12px; }
QPushButton:hover, QToolButton:hover { border-color: @secondary; }
QPushButton:focus, QToolButton:focus { border: 1px solid @accent; }
QPushButton:disabled, QToolButton:disabled { color: @faint; }
QPushButton[role="primary"] { background: @accent; color: @onAccent; border: 1px solid @accent; font-weight: 600; padding: 5px 18px; }
QPushButton[role="primary"]:hover { background: @accentHover; }
QPushButton[role="primary"]:focus { border: 2px solid @text; padding: 4px 17px; }
QPushButton[role="primary"]:disabled { background: @grid; color: @faint; border-color: @hairline; }
QPushButton[role="outline"] { color: @accent; border: 1px solid @accent; font-weight: 600; }
QPushButton[role="outline"]:focus { border: 2px solid @accent; padding: 3px 11px; }
QPushButton[role="chip"] { border-radius: 10px; padding: 3px 14px; color: @secondary; }
QPushButton[role="chip"]:hover { color: @text; }
QPushButton[role="segment"] { padding: 4px 9px; color: @secondary; }
QPushButton[role="segment"][tight="true"] { padding: 4px 5px; }
QPushButton[role="segment"]:checked { background: @selected; color: @text; font-weight: 600; border-color: @selected; }
QPushButton[role="segment"]:focus { border-color: @accent; }
QToolButton[role="nav"] { border: 1px solid transparent; border-radius: 8px; padding: 7px 2px 5px 2px; color: @secondary; }
QToolButton[role="nav"]:hover { background: @window; }
QToolButton[role="nav"]:checked { background: @selected; color: @text; font-weight: 600; }
QToolButton[role="nav"]:focus { border-color: @accent; }
QToolButton[role="nav"]:disabled { color: @faint; }
QToolButton[role="quiet"] { border: 1px solid transparent; padding: 2px 5px; color: @secondary; }
QToolButton[role="quiet"]:hover { background: @window; color: @text; }
QToolButton[role="quiet"]:focus { border-color: @accent; }
QToolButton[role="quiet"]::menu-indicator { image: none; }
QToolButton[role="disclosure"] { border: 1px solid transparent; padding: 2px 6px 2px 0px; color: @secondary; }
QToolButton[role="disclosure"]:hover { color: @text; }
QToolButton[role="disclosure"]:focus { border-color: @accent; }
QToolButton[role="fold"] { border: 1px solid transparent; padding: 0px 6px 0px 0px; color: @text; font-weight: 600; }
QToolButton[role="fold"]:focus { border-color: @accent; }
QToolButton[role="menu"]::menu-indicator { image: none; }
QPushButton[role="choice"] { text-align: left; padding: 16px; border-radius: 8px; }
QPushButton[role="choice"]:hover, QPushButton[role="choice"]:focus { border-color: @accent; background: @selected; }
QPushButton[role="row"] { text-align: left; border: 1px solid transparent; padding: 6px 10px; }
QPushButton[role="row"]:hover { background: @selected; }
QPushButton[role="row"]:focus { border-color: @accent; }
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox { background: @card; color: @text; border: 1px solid @control; border-radius: 5px;
    padding: 3px 7px; min-height: 20px; selection-background-color: @accent; selection-color: @onAccent; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus { border-color: @accent; }
QLineEdit:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled, QComboBox:disabled { color: @faint; border-color: @hairline; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url(:/icons/@mode/chevron-down.svg); width: 12px; height: 12px; }
QSpinBox::up-button, QDoubleSpinBox::up-button { border: none; width: 18px; subcontrol-position: top right; }
QSpinBox::down-button, QDoubleSpinBox::down-button { border: none; width: 18px; subcontrol-position: bottom right; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url(:/icons/@mode/chevron-up.svg); width: 10px; height: 10px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url(:/icons/@mode/chevron-down.svg); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @card; color: @text; border: 1px solid @hairline; selection-background-color: @selected;
    selection-color: @text; }
QMenu { background: @card; color: @text; border: 1px solid @hairline; padding: 4px; }
QMenu::item { padding: 5px 26px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @selected; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @hairline; margin: 4px 8px; }
QProgressBar { background: @grid; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QTableView, QListView, QTreeView { background: @card; color: @text; border: none; gridline-color: @grid; outline: none;
    selection-background-color: @selected; selection-color: @text; }
QTableView::item, QListView::item, QTreeView::item { padding: 3px 6px; border: none; color: @text; }
QTableView::item:selected, QListView::item:selected, QTreeView::item:selected { background: @selected; color: @text; }
QListView::item:hover { background: @window; }
QHeaderView { background: @card; border: none; }
QHeaderView::section { background: @card; color: @secondary; border: none; border-bottom: 1px solid @hairline; padding: 5px 0px 5px 8px; }
QHeaderView::down-arrow { image: url(:/icons/@mode/chevron-down.svg); width: 8px; height: 8px; subcontrol-position: top center; }
QHeaderView::up-arrow { image: url(:/icons/@mode/chevron-up.svg); width: 8px; height: 8px; subcontrol-position: top center; }
QTableCornerButton::section { background: @card; border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @control; border-radius: 4px; margin: 1px; min-height: 24px; min-width: 24px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QListView::indicator, QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid @control; border-radius: 4px; background: @card; }
QCheckBox::indicator:focus { border-color: @accent; }
QListView::indicator:checked, QCheckBox::indicator:checked { border-color: @accent; background: @accent; image: url(:/icons/@mode/check.svg); }
QCheckBox { spacing: 7px; background: transparent; }
)";

} // namespace

QString styleSheet(const Theme &theme)
{
    QColor control = withContrast(theme.hairline, theme.card, theme.dark ? 1.9 : 1.7);
    QColor faint = theme.secondary;
    faint.setAlpha(160);
    QString sheet = QString::fromUtf8(kSheet);
    const auto put = [&sheet](const char *name, const QColor &color) {
        sheet.replace(QLatin1String(name),
                      color.alpha() == 255 ? color.name()
                                           : QStringLiteral("rgba(%1,%2,%3,%4)")
                                                 .arg(color.red())
                                                 .arg(color.green())
                                                 .arg(color.blue())
                                                 .arg(color.alpha()));
    };
    put("@window", theme.window);
    put("@card", theme.card);
    put("@hairline", theme.hairline);
    put("@grid", theme.grid);
    put("@text", theme.text);
    put("@secondary", theme.secondary);
    put("@accentHover", theme.dark ? theme.accent.lighter(110) : theme.accent.darker(112));
    put("@accent", theme.accent);
    put("@onAccent", theme.onAccent);
    put("@selected", theme.selected);
    put("@warning", theme.warning);
    put("@bubbleText", theme.bubbleText);
    put("@bubble", theme.bubble);
    put("@control", control);
    put("@faint", faint);
    sheet.replace(QLatin1String("@mode"), theme.dark ? QLatin1String("dark") : QLatin1String("light"));
    return sheet;
}

} // namespace remat::ui
