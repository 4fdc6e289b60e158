// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "theme/theme_controller.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QSettings>
#include <QStyleFactory>

#include "theme/theme.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QLatin1String kKey("theme");

QString nameOf(ThemeMode mode)
{
    return mode == ThemeMode::light ? u"light"_s : mode == ThemeMode::dark ? u"dark"_s : u"system"_s;
}

} // namespace

ThemeController::ThemeController(QObject *parent) : QObject(parent)
{
    const QString stored = QSettings().value(kKey).toString();
    m_mode = stored == "light"_L1 ? ThemeMode::light : stored == "dark"_L1 ? ThemeMode::dark : ThemeMode::system;
}

void ThemeController::start()
{
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
    QFont body = QApplication::font();
    if (QFontDatabase::hasFamily(u"Inter"_s))
        body.setFamilies({u"Inter"_s, body.family()});
    if (body.pointSizeF() < 9.75 || qApp->platformName() == "offscreen"_L1)
        body.setPointSizeF(9.75);
    QApplication::setFont(body);
    qApp->installEventFilter(this);
    apply();
}

void ThemeController::setMode(ThemeMode mode)
{
    if (m_mode == mode)
        return;
    m_mode = mode;
    QSettings().setValue(kKey, nameOf(mode));
    apply();
    Q_EMIT modeChanged();
}

void ThemeController::apply()
{
    m_applying = true;
    const Theme *theme = m_mode == ThemeMode::dark ? &Theme::darkTheme() : &Theme::light();
    if (m_mode == ThemeMode::system) {
        // An empty palette uncovers the system's own, whose lightness decides (Qt 6.4 has no colour scheme to ask for).
        QApplication::setPalette(QPalette());
        theme = &Theme::of(QApplication::palette());
    }
    QApplication::setPalette(theme->palette());
    if (theme != m_applied)
        qApp->setStyleSheet(styleSheet(*theme));
    m_applied = theme;
    m_applying = false;
}

bool ThemeController::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::ThemeChange && !m_applying && m_mode == ThemeMode::system)
        apply();
    return QObject::eventFilter(watched, event);
}

} // namespace remat::ui
