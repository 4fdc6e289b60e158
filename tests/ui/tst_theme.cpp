// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/test_registry.h"
#include "theme/hatch.h"
#include "theme/theme.h"

using namespace remat;
using namespace remat::ui;

class tst_theme : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void text_onEverySurface_isReadable_data();
    void text_onEverySurface_isReadable();
    void marks_onACard_standOut_data();
    void marks_onACard_standOut();
    void palette_ofATheme_leadsBackToIt();
    void recomputed_isHatched();
    void sheet_hasNoHoles();
};

void tst_theme::text_onEverySurface_isReadable_data()
{
    QTest::addColumn<bool>("dark");
    QTest::addRow("light") << false;
    QTest::addRow("dark") << true;
}

void tst_theme::text_onEverySurface_isReadable()
{
    QFETCH(bool, dark);
    const Theme &theme = dark ? Theme::darkTheme() : Theme::light();
    for (const QColor &surface : {theme.window, theme.card, theme.selected}) {
        QVERIFY(contrastRatio(theme.text, surface) >= 4.5);
        QVERIFY(surface == theme.selected || contrastRatio(theme.secondary, surface) >= 4.5);
    }
    QVERIFY(contrastRatio(theme.accent, theme.card) >= 4.5);
    QVERIFY(contrastRatio(theme.onAccent, theme.accent) >= 4.5);
    QVERIFY(contrastRatio(theme.warning, theme.card) >= 4.5);
    QVERIFY(contrastRatio(theme.bubbleText, theme.bubble) >= 4.5);
}

void tst_theme::marks_onACard_standOut_data()
{
    text_onEverySurface_isReadable_data();
}

void tst_theme::marks_onACard_standOut()
{
    QFETCH(bool, dark);
    const Theme &theme = dark ? Theme::darkTheme() : Theme::light();
    for (const QColor &mark : {theme.everyMark, theme.segmentsMark, theme.selectiveMark, theme.planMark,
                               theme.otherMark, theme.accent, theme.warning})
        QVERIFY2(contrastRatio(mark, theme.card) >= 3.0, qPrintable(mark.name()));
    for (int c = 0; c < core::kCategoryCount; ++c)
        QVERIFY(contrastRatio(theme.category(static_cast<core::Category>(c)).edge, theme.card) >= 3.0);
    for (int p = 0; p < 6; ++p)
        QVERIFY(contrastRatio(theme.phase(static_cast<core::Phase>(p)).edge, theme.card) >= 3.0);
    for (int layer = 0; layer < 95; ++layer) {
        QVERIFY(theme.layer(layer, false).fill != theme.layer(layer + 1, false).fill);
        QVERIFY(contrastRatio(theme.layer(layer, false).fill, theme.layer(layer + 1, false).fill) > 1.3);
    }
}

void tst_theme::palette_ofATheme_leadsBackToIt()
{
    QCOMPARE(&Theme::of(Theme::light().palette()), &Theme::light());
    QCOMPARE(&Theme::of(Theme::darkTheme().palette()), &Theme::darkTheme());
}

void tst_theme::recomputed_isHatched()
{
    const QImage plain = fillTile(Theme::light().category(core::Category::savedActivation), 2.0);
    const QImage hatched = fillTile(Theme::light().category(core::Category::recomputedActivation), 2.0);
    QSet<QRgb> plainColours, hatchedColours;
    for (int y = 0; y < plain.height(); ++y) {
        for (int x = 0; x < plain.width(); ++x) {
            plainColours.insert(plain.pixel(x, y));
            hatchedColours.insert(hatched.pixel(x, y));
        }
    }
    QCOMPARE(plainColours.size(), 1);
    QCOMPARE(hatchedColours.size(), 2);
    QVERIFY(Theme::light().phase(core::Phase::recompute).hatched);
}

void tst_theme::sheet_hasNoHoles()
{
    for (const Theme *theme : {&Theme::light(), &Theme::darkTheme()})
        QVERIFY(!styleSheet(*theme).contains(QLatin1Char('@')));
}

REMAT_TEST(tst_theme);

#include "tst_theme.moc"
