// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QButtonGroup;
class QVBoxLayout;

namespace remat::ui {

/// The pages of the window, one button each. GUI thread.
class SideBar : public QFrame
{
    Q_OBJECT
public:
    explicit SideBar(QWidget *parent = nullptr);
    void addPage(int id, const QString &text, const char *icon, const QString &keys);
    void setCurrent(int id);
    void setPageEnabled(int id, bool enabled);

Q_SIGNALS:
    void chosen(int id);

private:
    QButtonGroup *m_group = nullptr;
    QVBoxLayout *m_layout = nullptr;
};

} // namespace remat::ui
