// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "advice/remarks.h"

#include <algorithm>
#include <random>

#include <QRegularExpression>

#include "support/test_registry.h"

using namespace remat::core;

namespace {

class RandomSettings
{
public:
    explicit RandomSettings(unsigned seed) : m_engine(seed) { }

    std::int64_t pick(std::int64_t low, std::int64_t high)
    {
        return low + static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(high - low + 1));
    }

    std::string strategy()
    {
        const std::string n = std::to_string(pick(1, 9));
        const std::string all[]{
            "none",           "every:" + n,     "segments:" + n,       "segments:" + n + "+selective:mlp",
            "first:" + n,     "budget:" + n,    "selective:attention", "selective:mlp",
            "segments:1" + n, "sequential:" + n};
        return all[pick(0, 9)];
    }

    /// Memory within a few per mille or far apart, quartiles that overlap or not; now and then none at all.
    std::vector<Setting> settings()
    {
        std::vector<Setting> list;
        const std::int64_t count = pick(0, 9);
        const std::int64_t most = pick(0, 1) == 0 ? 210 : 2000;
        const bool withPeaks = pick(0, 1) == 0;
        for (std::int64_t i = 0; i < count; ++i) {
            Setting setting{strategy(), pick(198, most), {}};
            setting.step.q1 = pick(100, 130);
            setting.step.median = setting.step.q1 + pick(0, 6);
            setting.step.q3 = setting.step.median + pick(0, 6);
            setting.step.n = static_cast<int>(pick(0, 9)) > 0 ? 5 : 0;
            setting.peak = withPeaks ? pick(1000, 1003) : 0;
            list.push_back(setting);
        }
        return list;
    }

private:
    std::mt19937_64 m_engine;
};

std::string family(const std::string &text)
{
    return QString::fromStdString(text).split(':').front().toStdString();
}

int plainSegments(const std::string &text)
{
    const QRegularExpressionMatch match = QRegularExpression("^segments:(\\d+)$").match(QString::fromStdString(text));
    return match.hasMatch() ? match.captured(1).toInt() : 0;
}

bool isShownSlower(const StepTime &a, const StepTime &b)
{
    return a.n > 0 && b.n > 0 && a.q1 > b.q3;
}

/// Nobody can tell that `a` is the slower one, and its median does not say so either.
bool isNotSlower(const StepTime &a, const StepTime &b)
{
    return !isShownSlower(a, b) && 100 * a.median <= 102 * b.median;
}

/// All that dominate, best named first.
std::vector<const Setting *> dominators(const Setting &setting, const std::vector<Setting> &all)
{
    std::vector<const Setting *> list;
    for (const Setting &other : all)
        if (1000 * setting.memory > 1005 * other.memory && setting.peak >= other.peak
            && isNotSlower(other.step, setting.step))
            list.push_back(&other);
    std::stable_sort(list.begin(), list.end(), [](const auto *a, const auto *b) { return a->memory < b->memory; });
    std::stable_partition(list.begin(), list.end(),
                          [&](const auto *a) { return family(a->strategy) == family(setting.strategy); });
    return list;
}

struct Ending
{
    bool slower, measured;
    double timeFactor;
    const char *words;
};
constexpr Ending kEndings[]{{true, true, 1.25, " and takes 25.0 % longer."},
                            {true, false, 1.25, " and takes 25.0 % longer."},
                            {false, true, 0.99, " and is not measurably faster."},
                            {false, true, 1.25, " and is no faster."},
                            {false, false, 1.0, " and is no faster."}};

/// The K of the smallest memory.
int smallestSegments(const std::vector<Setting> &all)
{
    std::vector<std::pair<Bytes, int>> list;
    for (const Setting &setting : all)
        if (const int k = plainSegments(setting.strategy); k > 0)
            list.emplace_back(setting.memory, k);
    std::stable_sort(list.begin(), list.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    return list.empty() ? 0 : list.front().second;
}

} // namespace

class tst_remarks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void dominatedSettings_areThoseOfANaiveSearch()
    {
        RandomSettings random(41);
        int found = 0;
        int beyond = 0;
        for (int round = 0; round < 6000; ++round) {
            const std::vector<Setting> settings = random.settings();
            const int best = smallestSegments(settings);
            const std::vector<Dominated> dominated = dominatedSettings(settings);
            auto next = dominated.begin();
            for (const Setting &setting : settings) {
                const auto by = dominators(setting, settings);
                if (by.empty())
                    continue;
                QVERIFY(next != dominated.end());
                QCOMPARE(next->strategy, setting.strategy);
                QCOMPARE(next->by, by.front()->strategy);
                QCOMPARE(next->memoryFactor, double(setting.memory) / double(by.front()->memory));
                QCOMPARE(next->timeFactor, double(setting.step.median) / double(by.front()->step.median));
                QCOMPARE(next->slower, isShownSlower(setting.step, by.front()->step));
                QCOMPARE(next->measured, setting.step.q3 > setting.step.q1);
                const int k = plainSegments(setting.strategy);
                QCOMPARE(next->bestSegments, k > best ? best : 0);
                found += 1;
                beyond += next->bestSegments > 0 ? 1 : 0;
                ++next;
            }
            QVERIFY(next == dominated.end());
        }
        QVERIFY(found > 2000 && beyond > 100);
    }

    void sentence_saysHowMuch()
    {
        for (double factor = 1.006; factor < 5000; factor *= 1.07)
            for (const auto &[slower, measured, time, words] : kEndings) {
                const Dominated dominated{"every:2", "every:1", factor, time, slower, measured, 0};
                const QString text = QString::fromStdString(sentence(dominated));
                QVERIFY2(text.startsWith("every:2 needs ") && text.endsWith('.'), qPrintable(text));
                const QStringList said = text.mid(14).split(' ');
                const bool percent = said[1] == "%";
                const double number = percent ? 1.0 + said[0].toDouble() / 100 : said[0].chopped(1).toDouble();
                QVERIFY2(std::abs(number / factor - 1) < 0.051, qPrintable(text));
                QVERIFY2(!said[0].contains('e'), qPrintable(text));
                QVERIFY2(text.endsWith(words), qPrintable(text));
                QVERIFY(!text.contains("k*"));
            }
    }

    void sentence_calledByTitles_andBeyondTheBest()
    {
        const Dominated dominated{"segments:6", "segments:2", 2.5, 1.0, false, false, 2};
        const std::string text = sentence(dominated);
        QVERIFY2(text.starts_with("segments:6 needs 2.5× the memory of segments:2 and is no faster"), text.c_str());
        QVERIFY2(text.find("k* = 2") != std::string::npos, text.c_str());
        const std::string named = sentence(dominated, [](const std::string &strategy) { return "<" + strategy + ">"; });
        QVERIFY2(named.starts_with("<segments:6> needs 2.5× the memory of <segments:2>"), named.c_str());
        QVERIFY(
            sentence(dominated, {}, kActivationMemory).starts_with("segments:6 needs 2.5× the activation memory of"));
        const Dominated near{"segments:6", "segments:2", 1.02, 1.0, false, false, 0};
        QVERIFY(sentence(near, {}, kActivationMemory)
                    .starts_with("segments:6 needs 2.0 % more activation memory than segments:2"));
    }

    /// A plan for a budget of everything may keep more activations than a rule that needs more in all.
    void smallerPeak_isNotDominated()
    {
        const StepTime step{100, 90, 110, 5};
        const Setting plan{"budget:45", 12, step, 450};
        const Setting rule{"every:6", 11, step, 453};
        QVERIFY(dominatedSettings({plan, rule}).empty());
        QCOMPARE(dominatedSettings({{"budget:45", 12, step, 453}, rule}).size(), std::size_t(1));
        QCOMPARE(dominatedSettings({{"budget:45", 12, step}, {"every:6", 11, step}}).size(), std::size_t(1));
    }

    /// On a noisy machine every spread overlaps the next; what was longer in the median is no better choice for that.
    void longerMedian_withinTheSpread_doesNotDominate()
    {
        const Setting none{"none", 90, {126, 110, 150, 25}};
        const auto by = [&none](Nanoseconds median) {
            return dominatedSettings({none, {"every:2", 50, {median, 120, 160, 25}}}).size();
        };
        QCOMPARE(by(143), std::size_t(0));
        QCOMPARE(by(129), std::size_t(0));
        QCOMPARE(by(128), std::size_t(1));
        QCOMPARE(by(126), std::size_t(1));
    }

    void aboveBest_isTheBestWithinHalfAPercent()
    {
        const std::string best = "the best possible at this memory";
        for (const Nanoseconds ns : {990, 1000, 1004})
            QCOMPARE(aboveBestWords(ns, 1000), best);
        QCOMPARE(aboveBestWords(1006, 1000), "0.6 % above " + best);
        QCOMPARE(aboveBestWords(1060, 1000), "6.0 % above " + best);
        QCOMPARE(aboveBestWords(3000, 1000), "200.0 % above " + best);
    }

    void settings_areFinishedPoints()
    {
        std::vector<Point> points(4);
        for (std::size_t i = 0; i < points.size(); ++i) {
            points[i].strategy = "every:" + std::to_string(i + 1);
            points[i].status = RunStatus::done;
            points[i].peakBytes = 1000 + Bytes(i);
            points[i].activationPeakBytes = 100 + Bytes(i);
            points[i].step = {7, 6, 8, 5};
        }
        points[1].status = RunStatus::doesNotFit;
        points[2].step.n = 0;
        for (const bool activations : {false, true}) {
            const auto settings = settingsOf(points, activations);
            QCOMPARE(settings.size(), std::size_t(2));
            QCOMPARE(settings[0].strategy, std::string("every:1"));
            QCOMPARE(settings[1].memory, Bytes(activations ? 103 : 1003));
            QCOMPARE(settings[1].peak, Bytes(1003));
            QCOMPARE(settings[1].step.q3, Nanoseconds(8));
        }
    }
};

REMAT_TEST(tst_remarks);
#include "tst_remarks.moc"
