// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "plan/front_choice.h"

#include <algorithm>
#include <set>

#include "plan/planned_strategy.h"
#include "support/naive_simulator.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

/// Peaks and times of chosen strategies of one family, by peak.
std::vector<std::pair<Bytes, Nanoseconds>> measured(const std::vector<std::string> &texts, const std::string &family,
                                                    const ChainShape &shape, const ChainCosts &costs)
{
    std::vector<std::pair<Bytes, Nanoseconds>> points;
    for (const std::string &text : texts) {
        if (!text.starts_with(family) && text != "none" && text != "every:1")
            continue;
        const auto simulation = simulate(scheduleFor(parseStrategy(text).value(), shape, costs).value(), costs);
        points.emplace_back(simulation->peak, simulation->stepNs);
    }
    std::sort(points.begin(), points.end());
    return points;
}

} // namespace

class tst_front_choice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void choice_hasTheEnds_andNothingTwice()
    {
        const ChainShape shape(24);
        const ChainCosts costs = homogeneousChain(shape.stages(), 9, 1, false);
        const auto texts = strategiesThatMatter(costs, shape).value();
        QCOMPARE(texts[0], std::string("none"));
        QCOMPARE(texts[1], std::string("every:1"));
        QVERIFY(texts.size() <= 16);
        QCOMPARE(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size());
        for (const char *family : {"every:", "segments:", "budget:"})
            QVERIFY2(std::count_if(texts.begin() + 2, texts.end(),
                                   [&](const std::string &text) { return text.starts_with(family); })
                         > 0,
                     family);
    }

    /// Plans lie on a front that is almost straight: the points taken must cover it and not crowd at one end.
    void plans_coverTheFront()
    {
        const ChainShape shape(24);
        const ChainCosts costs = homogeneousChain(shape.stages(), 9, 1, false);
        const auto points = measured(strategiesThatMatter(costs, shape).value(), "budget:", shape, costs);
        QVERIFY(points.size() >= 6);
        const Bytes range = points.back().first - points.front().first;
        for (std::size_t i = 1; i < points.size(); ++i)
            QVERIFY2(points[i].first - points[i - 1].first <= range * 2 / 5,
                     qPrintable(QString("%1 to %2").arg(points[i - 1].first).arg(points[i].first)));
    }

    void limits_areKept()
    {
        const ChainShape shape(6);
        const ChainCosts costs = homogeneousChain(shape.stages(), 9, 1, false);
        QCOMPARE(int(strategiesThatMatter(costs, shape, 0.02, 2)->size()), 2);
        QVERIFY(strategiesThatMatter(costs, shape, 0.02, 6)->size() <= 6);
        // Where no point moves the front by so much only the smallest peaks remain.
        QVERIFY(strategiesThatMatter(costs, shape, 10.0)->size() <= 5);
    }
};

REMAT_TEST(tst_front_choice);
#include "tst_front_choice.moc"
