// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "measure/statistics.h"
#include "measure/sweep_loop.h"

#include "support/test_registry.h"

using namespace remat::core;

class tst_statistics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void summarise_knownSamples_type7Quartiles_data()
    {
        QTest::addColumn<QList<qint64>>("steps");
        QTest::addColumn<qint64>("median");
        QTest::addColumn<qint64>("q1");
        QTest::addColumn<qint64>("q3");
        QTest::newRow("empty") << QList<qint64>{} << qint64(0) << qint64(0) << qint64(0);
        QTest::newRow("one") << QList<qint64>{7} << qint64(7) << qint64(7) << qint64(7);
        QTest::newRow("two") << QList<qint64>{30, 10} << qint64(20) << qint64(15) << qint64(25);
        QTest::newRow("five, unsorted") << QList<qint64>{5, 1, 4, 2, 3} << qint64(3) << qint64(2) << qint64(4);
        QTest::newRow("six") << QList<qint64>{10, 20, 30, 40, 50, 60} << qint64(35) << qint64(23) << qint64(48);
    }
    void summarise_knownSamples_type7Quartiles()
    {
        QFETCH(QList<qint64>, steps);
        const StepTime time = summarise({steps.begin(), steps.end()});
        QTEST(qint64(time.median), "median");
        QTEST(qint64(time.q1), "q1");
        QTEST(qint64(time.q3), "q3");
        QCOMPARE(time.n, int(steps.size()));
    }

    void separable_overlapOrNot()
    {
        const StepTime fast{100, 98, 102, 5};
        QVERIFY(separable(fast, {110, 105, 112, 5}));
        QVERIFY(separable({110, 105, 112, 5}, fast));
        QVERIFY(!separable(fast, {103, 102, 104, 5}));
        QVERIFY(!separable(fast, {200, 200, 200, 0})); // never measured
    }

    void relativeSpread_ofZeroMedian_isZero()
    {
        QCOMPARE(relativeSpread({0, 0, 5, 3}), 0.0);
        QCOMPARE(relativeSpread({100, 99, 101, 3}), 0.02);
    }

    /// 15 rounds: the interval runs from the 4th to the 12th difference.
    void medianBeside_differenceThatIsNotShown_isNone()
    {
        const std::vector<Nanoseconds> reference(15, 100);
        const auto beside = [&reference](int slower, Nanoseconds by, Nanoseconds otherwise) {
            std::vector<Nanoseconds> samples;
            for (int i = 0; i < 15; ++i)
                samples.push_back(100 + (i < slower ? by : otherwise));
            return medianBeside(samples, reference);
        };
        QCOMPARE(beside(12, 7, -1), 107);
        QCOMPARE(beside(11, 7, -1), 100);
        QCOMPARE(beside(12, -7, 1), 93);
        QCOMPARE(beside(11, -7, 1), 100);
        QCOMPARE(beside(15, 0, 0), 100);
    }
    void medianBeside_fewRounds_showWhatAllAgreeOn_data()
    {
        QTest::addColumn<int>("rounds");
        QTest::addColumn<int>("exceptions"); // that leave it shown
        QTest::newRow("one") << 1 << -1;
        QTest::newRow("five") << 5 << -1;
        QTest::newRow("six") << 6 << 0;
        QTest::newRow("eight") << 8 << 0;
        QTest::newRow("nine") << 9 << 1;
        QTest::newRow("fifteen") << 15 << 3;
    }
    void medianBeside_fewRounds_showWhatAllAgreeOn()
    {
        QFETCH(int, rounds);
        QFETCH(int, exceptions);
        for (int others = 0; 2 * others < rounds; ++others) {
            std::vector<Nanoseconds> reference;
            std::vector<Nanoseconds> samples;
            for (int i = 0; i < rounds; ++i) {
                reference.push_back(100 * (i + 1)); // the machine drifts
                samples.push_back(reference.back() + (i < others ? -1 : 7));
            }
            const Nanoseconds median = summarise(reference).median;
            QCOMPARE(medianBeside(samples, reference), others <= exceptions ? median + 7 : median);
        }
        QCOMPARE(medianBeside({}, {}), 0);
    }

    void stoppingRule_borders()
    {
        const StoppingRule rule;
        QVERIFY(!rule.enough({100, 100, 100, 100}));
        QVERIFY(rule.enough({100, 100, 100, 100, 100}));
        QVERIFY(!rule.enough({100, 200, 300, 400, 500}));
        std::vector<Nanoseconds> wild;
        for (int i = 0; i < 29; ++i)
            wild.push_back(i % 2 == 0 ? 100 : 300);
        QVERIFY(!rule.enough(wild));
        wild.push_back(100);
        QVERIFY(rule.enough(wild));
        const Nanoseconds second = 1'000'000'000;
        QVERIFY(!rule.enough({5 * second, 15 * second, 5 * second, 15 * second, 5 * second}));
        QVERIFY(rule.enough({5 * second, 15 * second, 5 * second, 15 * second, 5 * second, 15 * second}));
    }
};

REMAT_TEST(tst_statistics);
#include "tst_statistics.moc"
