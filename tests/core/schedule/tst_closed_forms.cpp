// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>
#include <map>

#include "schedule/strategy.h"
#include "support/naive_simulator.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

Schedule layersSchedule(const std::string &strategy, int layers)
{
    return oneStagePerLayer(*makeSchedule(*parseStrategy(strategy), layers));
}

Simulation run(const std::string &strategy, int layers, Bytes a, Bytes b, bool keepsOutput)
{
    auto result = simulate(layersSchedule(strategy, layers), homogeneousChain(layers, a, b, keepsOutput));
    if (!result)
        qFatal("%s: %s", strategy.c_str(), result.error().message.c_str());
    return *result;
}

struct Form
{
    std::string strategy;
    Bytes peak;
    Bytes extra;
};

/// The closed forms for N equal layers, with outputs held by the graph. Sources: Chen et al. 2016 (segments),
/// Narayanan et al. 2021 section 3.5 (uniform), rotor's accounting for the constants.
std::vector<Form> closedForms(int n, Bytes a, Bytes b)
{
    std::vector<Form> forms = {{"none", n * a + 3 * b, 0}, {"every:1", (n + 2) * b + a, n}};
    for (int k = 1; k <= n; ++k) {
        if (n % k == 0) {
            forms.push_back({"segments:" + std::to_string(k), (n / k + 2) * b + k * a, n});
            forms.push_back({"sequential:" + std::to_string(n / k), (n / k + 2) * b + k * a, n - k});
        }
        if (k < n)
            forms.push_back({"first:" + std::to_string(k), k * b + (n - k) * a + 3 * b, k});
        forms.push_back({"last:" + std::to_string(k), (k + 2) * b + (n - k + 1) * a, k});
    }
    if (n >= 2)
        forms.push_back({"input-only", a + 4 * b, Bytes(n) * (n + 1) / 2});
    return forms;
}

/// Least extra forward steps to reverse n steps with s snapshots (Griewank and Walther 2000, Algorithm 799).
Bytes revolve(int n, int s)
{
    static std::map<std::pair<int, int>, Bytes> known;
    if (n <= 1)
        return 0;
    if (s == 1)
        return Bytes(n) * (n - 1) / 2;
    if (const auto it = known.find({n, s}); it != known.end())
        return it->second;
    Bytes best = Bytes(n) * n;
    for (int i = 1; i < n; ++i)
        best = std::min(best, i + revolve(i, s) + revolve(n - i, s - 1));
    return known[{n, s}] = best;
}

const std::vector<std::string> kFixed
    = {"none",       "every:1",    "every:2",      "every:3",      "segments:1",  "segments:2",
       "segments:3", "segments:4", "sequential:2", "sequential:3", "first:1",     "first:3",
       "last:2",     "sqrt",       "recursive",    "input-only",   "layers:0,2-3"};

} // namespace

class tst_closed_forms : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void strategies_equalLayers_haveTheClosedForms()
    {
        const std::pair<Bytes, Bytes> sizes[] = {{1, 1}, {2, 1}, {3, 1}, {3, 2}, {5, 4}, {17, 1}, {57, 1}, {33, 2}};
        for (int n = 1; n <= 24; ++n) {
            for (const auto &[a, b] : sizes) {
                for (const Form &form : closedForms(n, a, b)) {
                    const Simulation kept = run(form.strategy, n, a, b, true);
                    const Simulation free = run(form.strategy, n, a, b, false);
                    const auto where = QString("%1 N=%2 a=%3 b=%4").arg(form.strategy.c_str()).arg(n).arg(a).arg(b);
                    QVERIFY2(kept.peak == form.peak, qPrintable(where + " peak " + QString::number(kept.peak)));
                    QVERIFY2(free.peak == form.peak - b, qPrintable(where + " peak " + QString::number(free.peak)));
                    QVERIFY2(kept.extraForwardNs == form.extra, qPrintable(where));
                    QVERIFY2(kept.stepNs == 3 * n + form.extra, qPrintable(where));
                }
            }
        }
    }

    void revolve_table_isReproduced()
    {
        const int snapshots[] = {1, 2, 3, 4, 5, 6, 8, 10};
        const std::map<int, std::vector<Bytes>> table = {{10, {45, 20, 15, 14, 13, 12, 10, 9}},
                                                         {12, {66, 28, 21, 18, 17, 16, 14, 12}},
                                                         {24, {276, 88, 61, 51, 44, 40, 38, 36}},
                                                         {80, {3160, 596, 354, 274, 236, 204, 185, 162}}};
        for (const auto &[n, row] : table)
            for (std::size_t i = 0; i < row.size(); ++i)
                QCOMPARE(revolve(n, snapshots[i]), row[i]);
    }

    void strategies_thatKeepOnlyInputs_neverBeatRevolve()
    {
        // With a = b a layer that is being run back costs no more than a boundary: every boundary held is a snapshot.
        for (int n = 2; n <= 24; ++n) {
            for (const char *strategy : {"every:1", "segments:1", "recursive", "input-only"}) {
                const NaiveResult naive = naiveSimulation(layersSchedule(strategy, n), homogeneousChain(n, 1, 1, true));
                const Bytes extra = naive.forwards - n;
                const Bytes least = revolve(n, naive.mostBoundaries);
                QVERIFY2(extra >= least,
                         qPrintable(QString("%1 N=%2: %3 < %4").arg(strategy).arg(n).arg(extra).arg(least)));
            }
        }
    }

    void strategies_neverBeatTheHomogeneousOptimum()
    {
        // Least extra forwards by budget, exhaustive search; a value holds until the next budget listed.
        const std::map<Bytes, Bytes> six
            = {{7, 15}, {8, 8}, {9, 6}, {10, 5}, {11, 4}, {13, 3}, {16, 2}, {19, 1}, {21, 0}};
        const std::map<Bytes, Bytes> eight = {{5, 27}, {6, 10}, {7, 6}, {8, 4}, {9, 3}, {10, 2}, {11, 0}};
        const auto check = [](int n, Bytes a, const std::map<Bytes, Bytes> &optimum) {
            for (const std::string &strategy : kFixed) {
                const Simulation result = run(strategy, n, a, 1, true);
                auto bound = optimum.upper_bound(result.peak);
                QVERIFY2(bound != optimum.begin(), qPrintable(QString::fromStdString(strategy) + ": below any budget"));
                QVERIFY2(result.extraForwardNs >= std::prev(bound)->second,
                         qPrintable(QString::fromStdString(strategy)));
            }
        };
        check(6, 3, six);
        check(8, 1, eight);
    }
};

REMAT_TEST(tst_closed_forms);
#include "tst_closed_forms.moc"
