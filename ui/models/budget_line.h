// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>
#include <vector>

#include <QString>

#include "models/curve_data.h"

namespace remat::ui {

/// What a key does with the budget line.
enum class BudgetKey { less, more, muchLess, muchMore, least, most };

/// Qt's key code as a key of the line: arrows, page keys, Home and End.
[[nodiscard]] std::optional<BudgetKey> budgetKeyFrom(int qtKey);

/// The budget line as a handle: where it stands, and where the pointer, keys and typed text take it. It never stands
/// where nothing fits, and remembers what was asked for. While it moves, the front is read and nothing is planned.
/// Owned by the plot; GUI thread.
class BudgetLine
{
public:
    /// The front, the axis and the measured plans, at whose budgets the line rests.
    void setCurve(const CurveData &curve);
    [[nodiscard]] bool ready() const { return m_front != nullptr; }

    /// Stands at a budget, where it does not stand there already.
    void stand(core::Bytes budget);
    /// The pointer is at this height of the memory axis, on which a pixel is so many bytes.
    void dragTo(double height, double bytesPerPixel);
    void press(BudgetKey key);
    /// Digits with a unit, as far as they were typed; without a unit they are MiB. False where a character leads nowhere.
    bool type(QChar character);
    void eraseTyped();
    /// Stands at what was typed.
    void acceptTyped();
    void dropTyped() { m_typed.clear(); }
    /// "120 MiB", as it will be understood; empty while nothing is typed.
    [[nodiscard]] QString typed() const;

    [[nodiscard]] core::Bytes budget() const { return m_budget; }
    /// What was asked for, where that is less than any plan needs.
    [[nodiscard]] std::optional<core::Bytes> tooSmall() const;
    [[nodiscard]] double height() const { return static_cast<double>(m_budget - m_below); }
    /// The bytes that the memory axis leaves out of the budget.
    [[nodiscard]] core::Bytes below() const { return m_below; }
    [[nodiscard]] QString strategy() const;

private:
    void set(core::Bytes wanted);
    [[nodiscard]] core::Bytes step() const;
    [[nodiscard]] core::Bytes restBetween(core::Bytes from, core::Bytes to) const;

    std::shared_ptr<const PlanFront> m_front;
    std::vector<std::pair<core::Bytes, QString>> m_rests; // budgets of measured plans
    core::Bytes m_below = 0;
    core::Bytes m_budget = 0;
    core::Bytes m_wanted = 0;
    QString m_typed;
};

} // namespace remat::ui
