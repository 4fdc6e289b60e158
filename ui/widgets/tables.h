// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QAbstractItemModel;
class QString;
class QTableView;

namespace remat::ui {

/// The look and behaviour that all tables share: rows, no grid, sorting by header, keyboard.
void dressTable(QTableView &table);

/// What a table shows as tab-separated text with its header.
[[nodiscard]] QString tableAsText(const QAbstractItemModel &model);

} // namespace remat::ui
