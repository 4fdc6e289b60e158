// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "measure/paging.h"

#include <sstream>

#include "core/measure/sweep_fixture.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

constexpr Bytes kGiB = Bytes{1} << 30;
constexpr PagingTimes kEven{100, 104, 101, 99};

PagingSigns device(Bytes used, Bytes reserved)
{
    PagingSigns signs;
    signs.steps = 5;
    signs.deviceUsed = used;
    signs.deviceTotal = 24 * kGiB;
    signs.reserved = reserved;
    return signs;
}

} // namespace

class tst_paging : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addStep_sumsWhatGrewAndKeepsTheMostOfTheDevice()
    {
        PagingSigns signs;
        addStep(signs, {100, 5000, 7, 10, 3}, {140, 9000, 8, 10, 4});
        addStep(signs, {200, 9000, 9, 10, 4}, {201, 4000, 6, 10, 2}); // swap that shrank is none that was made
        QCOMPARE(signs.steps, 2);
        QCOMPARE(signs.majorFaults, 41);
        QCOMPARE(signs.swapped, 4000);
        QCOMPARE(signs.deviceUsed, 8);
        QCOMPARE(signs.reserved, 4);
        addStep(signs, {}, {}); // nothing known is nothing seen
        QCOMPARE(signs.majorFaults, 41);
        QCOMPARE(signs.deviceTotal, 10);
    }

    void host_fewFaults_areNoSign()
    {
        PagingSigns signs;
        QVERIFY(pagingSuspicion(signs, kEven).empty());
        signs.steps = 5;
        signs.majorFaults = 5 * 256 - 1;
        signs.swapped = 16 * 1024 * 1024 - 1;
        QVERIFY(pagingSuspicion(signs, kEven).empty());
    }

    void host_manyFaultsOrSwap_areNamed()
    {
        PagingSigns faults;
        faults.steps = 5;
        faults.majorFaults = 5 * 256;
        const std::string text = pagingSuspicion(faults, kEven);
        QVERIFY2(text.find("1280 pages") != std::string::npos && text.find("5 timed steps") != std::string::npos,
                 text.c_str());
        QVERIFY(text.ends_with('.'));
        PagingSigns swap;
        swap.steps = 30;
        swap.swapped = 16 * 1024 * 1024;
        QVERIFY(pagingSuspicion(swap, kEven).find("16.0 MiB") != std::string::npos);
    }

    void device_fullButEven_isNoSign() { QVERIFY(pagingSuspicion(device(24 * kGiB, 20 * kGiB), kEven).empty()); }

    void device_fullAndSlow_isSuspected()
    {
        const PagingTimes slow{100, 400, 390, 99}; // all steps alike: only the prediction shows it
        const std::string text = pagingSuspicion(device(23 * kGiB, 20 * kGiB), slow);
        QVERIFY2(text.find("3.9 times as long as predicted") != std::string::npos, text.c_str());
        const PagingTimes jump{100, 310, 101, 0};
        QVERIFY(pagingSuspicion(device(23 * kGiB, 20 * kGiB), jump).find("3.1 times") != std::string::npos);
        QVERIFY(pagingSuspicion(device(12 * kGiB, 11 * kGiB), slow).empty()); // slow for another reason
    }

    void device_reservedBeyondItsMemory_isCertain()
    {
        const std::string text = pagingSuspicion(device(24 * kGiB, 30 * kGiB), kEven);
        QVERIFY2(text.starts_with("Memory was paged: 30.0 GiB are reserved on a device of 24.0 GiB"), text.c_str());
    }

    void hostPressure_isRead()
    {
        const MemoryPressure pressure = hostPressure();
        QVERIFY(pressure.majorFaults >= 0);
        QCOMPARE(pressure.deviceUsed, Bytes(-1));
        std::istringstream status("Name:\tremat\nVmRSS:\t  512 kB\nVmSwap:\t    12 kB\nThreads:\t1\n");
        QCOMPARE(swappedFrom(status), Bytes(12 * 1024));
        std::istringstream none("Name:\tVmSwap\n");
        QCOMPARE(swappedFrom(none), Bytes(-1));
    }

    void sweep_putsTheSentenceIntoThePoint()
    {
        SweepFixture calm({"none"});
        std::int64_t faults = 0;
        calm.behaviour->pressure = [&] { return MemoryPressure{faults += 10, 0, 900, 1000, 800}; };
        const auto quiet = calm.run().value();
        QVERIFY(quiet.front().pagingSuspected.empty());
        QCOMPARE(quiet.front().deviceUsedPeakBytes, Bytes(900));
        SweepFixture paging({"none", "every:1"});
        paging.behaviour->pressure = [&] { return MemoryPressure{faults += 500, 0, -1, -1, -1}; };
        const auto points = paging.run().value();
        for (const Point &point : points) {
            QVERIFY2(point.pagingSuspected.starts_with("Memory was probably paged"), point.pagingSuspected.c_str());
            QCOMPARE(point.deviceUsedPeakBytes, Bytes(-1));
            QCOMPARE(toJson(point).at("paging_suspected").get<std::string>(), point.pagingSuspected);
        }
    }
};

REMAT_TEST(tst_paging);
#include "tst_paging.moc"
