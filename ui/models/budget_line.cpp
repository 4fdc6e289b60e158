// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/budget_line.h"

#include <algorithm>
#include <cmath>

#include <QRegularExpression>

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kRestReach = 3.0;    // pixels within which the line goes to a measured plan's budget
constexpr core::Bytes kKeySteps = 64; // about so many steps by key from end to end
constexpr core::Bytes kPage = 8;      // steps

/// The smallest power of two that is not below `bytes`.
core::Bytes powerOfTwo(double bytes)
{
    return core::Bytes{1} << static_cast<int>(std::clamp(std::ceil(std::log2(std::max(bytes, 1.0))), 0.0, 50.0));
}

/// Typed text as parseBytes reads it: the unit may be short, "120m", or missing.
QString spelledOut(const QString &typed)
{
    const QString number = typed.section(QRegularExpression(u"[a-z]"_s), 0, 0);
    const QChar unit = typed.size() > number.size() ? typed[number.size()] : u'm';
    const QString name = unit == u'k' ? u"KiB"_s : unit == u'g' ? u"GiB"_s : unit == u't' ? u"TiB"_s : u"MiB"_s;
    return number + u' ' + name;
}

} // namespace

std::optional<BudgetKey> budgetKeyFrom(int qtKey)
{
    switch (qtKey) {
    case Qt::Key_Down:
    case Qt::Key_Left:
        return BudgetKey::less;
    case Qt::Key_Up:
    case Qt::Key_Right:
        return BudgetKey::more;
    case Qt::Key_PageDown:
        return BudgetKey::muchLess;
    case Qt::Key_PageUp:
        return BudgetKey::muchMore;
    case Qt::Key_Home:
        return BudgetKey::least;
    case Qt::Key_End:
        return BudgetKey::most;
    default:
        return std::nullopt;
    }
}

void BudgetLine::setCurve(const CurveData &curve)
{
    m_front = curve.front;
    m_below = curve.belowAxis();
    m_rests.clear();
    for (const CurveMark &mark : curve.marks)
        if (mark.kind == MarkKind::measured && mark.budget > 0)
            m_rests.emplace_back(mark.budget, mark.strategy);
    std::sort(m_rests.begin(), m_rests.end());
    if (m_front)
        set(m_wanted);
}

void BudgetLine::set(core::Bytes wanted)
{
    m_wanted = wanted;
    m_budget = m_front ? std::max(wanted, m_front->smallest()) : wanted;
}

void BudgetLine::stand(core::Bytes budget)
{
    if (budget != m_budget)
        set(budget);
}

void BudgetLine::dragTo(double height, double bytesPerPixel)
{
    if (!m_front)
        return;
    const double budget = std::max(height + static_cast<double>(m_below), 1.0);
    for (const auto &[rest, strategy] : m_rests) {
        if (std::abs(static_cast<double>(rest) - budget) <= kRestReach * bytesPerPixel) {
            set(rest);
            return;
        }
    }
    // Round numbers that are no finer than the pointer.
    const core::Bytes grain = powerOfTwo(bytesPerPixel);
    set(std::max<core::Bytes>(1, std::llround(budget / static_cast<double>(grain)) * grain));
}

core::Bytes BudgetLine::step() const
{
    return std::max<core::Bytes>(
        1, powerOfTwo(static_cast<double>((m_front->largest() - m_front->smallest()) / kKeySteps)));
}

/// Where a step by key ends: at its target, or at the first measured plan before it.
core::Bytes BudgetLine::restBetween(core::Bytes from, core::Bytes to) const
{
    core::Bytes end = to;
    for (const auto &[rest, strategy] : m_rests) {
        const bool between = from < to ? rest > from && rest < end : rest < from && rest > end;
        if (between)
            end = rest;
    }
    return end;
}

void BudgetLine::press(BudgetKey key)
{
    if (!m_front)
        return;
    const core::Bytes least = m_front->smallest(), most = std::max(m_front->largest(), least);
    const bool page = key == BudgetKey::muchLess || key == BudgetKey::muchMore;
    const core::Bytes by = page ? kPage * step() : step();
    core::Bytes target = most;
    if (key == BudgetKey::least)
        target = least;
    else if (key == BudgetKey::less || key == BudgetKey::muchLess)
        target = (m_budget - 1) / by * by;
    else if (key == BudgetKey::more || key == BudgetKey::muchMore)
        target = (m_budget / by + 1) * by;
    target = std::clamp(target, least, most);
    set(page || key == BudgetKey::least || key == BudgetKey::most ? target : restBetween(m_budget, target));
}

bool BudgetLine::type(QChar character)
{
    static const QRegularExpression whole(u"^[1-9][0-9]{0,11}([.][0-9]{0,6})?([kmgt](i(b)?)?)?$"_s);
    const QString next = m_typed + character.toLower();
    if (!m_front || !whole.match(next).hasMatch())
        return false;
    m_typed = next;
    return true;
}

void BudgetLine::eraseTyped()
{
    m_typed.chop(1);
}

void BudgetLine::acceptTyped()
{
    QString text = spelledOut(m_typed);
    m_typed.clear();
    if (const auto bytes = core::parseBytes(text.replace(u". "_s, u" "_s).toStdString()))
        set(std::max<core::Bytes>(*bytes, 1));
}

QString BudgetLine::typed() const
{
    return m_typed.isEmpty() ? QString() : spelledOut(m_typed);
}

std::optional<core::Bytes> BudgetLine::tooSmall() const
{
    return m_wanted > 0 && m_wanted < m_budget ? std::optional(m_wanted) : std::nullopt;
}

QString BudgetLine::strategy() const
{
    for (const auto &[rest, strategy] : m_rests)
        if (rest == m_budget)
            return strategy;
    return u"budget:%1"_s.arg(m_budget);
}

} // namespace remat::ui
