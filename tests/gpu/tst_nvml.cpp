// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "cuda/nvml.h"
#include "support/test_registry.h"

using namespace remat::gpu;

namespace {

constexpr const char *kAddress = "0000:65:00.0";

} // namespace

class tst_nvml : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void absentLibrary_isASentenceAndNothingElse()
    {
        const Nvml nvml("libremat-there-is-no-such-library.so.1");
        const NvmlReading reading = nvml.read(kAddress);
        QVERIFY2(reading.why.find("libremat-there-is-no-such-library.so.1") != std::string::npos, reading.why.c_str());
        QVERIFY(reading.why.ends_with('.'));
        QVERIFY(reading.driver.empty());
        QCOMPARE(reading.clockMhz, 0);
        QCOMPARE(reading.used, -1);
        QCOMPARE(reading.processUsed, -1);
    }

    void device_isRead()
    {
        const Nvml nvml(REMAT_FAKE_NVML);
        const NvmlReading reading = nvml.read(kAddress);
        QVERIFY2(reading.why.empty(), reading.why.c_str());
        QCOMPARE(reading.driver, std::string("580.65.06"));
        QCOMPARE(reading.clockMhz, 1980);
        QCOMPARE(reading.memoryClockMhz, 2619);
        QCOMPARE(reading.powerLimitWatts, 700);
        QCOMPARE(reading.temperatureC, 41);
        QCOMPARE(reading.used, 100'000'000'000);       // by all programs
        QCOMPARE(reading.processUsed, 40'000'000'000); // by this one
    }

    void otherDevice_keepsTheDriver()
    {
        const NvmlReading reading = Nvml(REMAT_FAKE_NVML).read("0000:01:00.0");
        QVERIFY2(reading.why.find("0000:01:00.0: Not Found.") != std::string::npos, reading.why.c_str());
        QCOMPARE(reading.driver, std::string("580.65.06"));
        QCOMPARE(reading.clockMhz, 0);
    }

    void oldLibrary_saysWhatItLacks()
    {
        const NvmlReading reading = Nvml(REMAT_FAKE_OLD_NVML_PATH).read(kAddress);
        QVERIFY2(reading.why.find("nvmlDeviceGetComputeRunningProcesses_v3") != std::string::npos, reading.why.c_str());
        QCOMPARE(reading.used, -1);
    }

    void failingStart_isItsOwnWords()
    {
        qputenv("REMAT_FAKE_NVML_FAILS", "1");
        const NvmlReading reading = Nvml(REMAT_FAKE_NVML).read(kAddress);
        qunsetenv("REMAT_FAKE_NVML_FAILS");
        QVERIFY2(reading.why.find("Not Found") != std::string::npos, reading.why.c_str());
        QVERIFY(reading.driver.empty());
    }
};

REMAT_TEST(tst_nvml);
#include "tst_nvml.moc"
