// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace remat::ui {

/// A surface with rounded corners, a title row and a body: what pages are made of. GUI thread.
class Card : public QFrame
{
    Q_OBJECT
public:
    explicit Card(const QString &title, QWidget *parent = nullptr);

    void setTitle(const QString &title);
    [[nodiscard]] QString title() const;
    /// The row of the title; what is added stands right of it.
    [[nodiscard]] QHBoxLayout *header() const { return m_header; }
    [[nodiscard]] QVBoxLayout *body() const { return m_body; }

private:
    QLabel *m_title = nullptr;
    QHBoxLayout *m_header = nullptr;
    QVBoxLayout *m_body = nullptr;
};

/// Labels of the two text sizes, and a hairline.
[[nodiscard]] QLabel *makeLabel(const QString &text, bool small, const char *role = nullptr);
/// Small text that wraps and can be selected.
[[nodiscard]] QLabel *makeSentence(const char *role = nullptr);
[[nodiscard]] QFrame *makeHairline();
/// The property that the style sheet looks at.
void setRole(QWidget *widget, const char *role);

} // namespace remat::ui
