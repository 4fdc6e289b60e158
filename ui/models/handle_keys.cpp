// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/handle_keys.h"

#include <algorithm>

#include <QStringList>

#include "models/curve_data.h"

namespace remat::ui {

QString handleKeyTarget(HandleKey key, HandleMode mode, const QString &strategy, int layers)
{
    const QStringList stops = handleStops(mode, layers);
    if (stops.isEmpty())
        return strategy;
    const qsizetype at = stops.indexOf(strategy);
    switch (key) {
    case HandleKey::first:
        return stops.first();
    case HandleKey::last:
        return stops.last();
    case HandleKey::previous:
        return at < 0 ? stops.first() : stops[std::max<qsizetype>(0, at - 1)];
    case HandleKey::next:
        return at < 0 ? stops.first() : stops[std::min<qsizetype>(stops.size() - 1, at + 1)];
    }
    return strategy;
}

std::optional<HandleKey> handleKeyFrom(int qtKey)
{
    switch (qtKey) {
    case Qt::Key_Left:
        return HandleKey::previous;
    case Qt::Key_Right:
        return HandleKey::next;
    case Qt::Key_Home:
        return HandleKey::first;
    case Qt::Key_End:
        return HandleKey::last;
    default:
        return std::nullopt;
    }
}

int DigitEntry::add(int digit, int layers, qint64 ms)
{
    const bool joined = ms - m_last < 900 && m_value * 10 + digit <= layers;
    m_last = ms;
    m_value = joined ? m_value * 10 + digit : digit;
    if (m_value < 1 || m_value > layers)
        m_value = 0;
    return m_value;
}

} // namespace remat::ui
