// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "widgets/icons.h"

#include <QAbstractButton>
#include <QEvent>

#include "theme/theme.h"

namespace remat::ui {

namespace {

constexpr QLatin1String kFollower("iconFollower");

/// Renews the icon of its parent when the palette changes.
class IconFollower : public QObject
{
public:
    IconFollower(QAbstractButton &button, QString name) : QObject(&button), m_button(button), m_name(std::move(name))
    {
        setObjectName(kFollower);
        button.installEventFilter(this);
        renew();
    }

    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::PaletteChange)
            renew();
        return QObject::eventFilter(watched, event);
    }

private:
    void renew() { m_button.setIcon(themedIcon(m_name, m_button.palette())); }

    QAbstractButton &m_button;
    QString m_name;
};

} // namespace

QIcon themedIcon(const QString &name, const QPalette &palette)
{
    const QString folder = Theme::of(palette).dark ? QStringLiteral("dark") : QStringLiteral("light");
    return QIcon(QStringLiteral(":/icons/%1/%2.svg").arg(folder, name));
}

void setIconName(QAbstractButton &button, const char *name)
{
    delete button.findChild<QObject *>(kFollower, Qt::FindDirectChildrenOnly);
    new IconFollower(button, QString::fromLatin1(name));
}

} // namespace remat::ui
