// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <limits>

#include "base/text.h"
#include "base/units.h"
#include "support/test_registry.h"

using namespace remat::core;

class tst_units : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void formatBytes_hasThreeDigits_data()
    {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << qint64(0) << "0 B";
        QTest::newRow("bytes") << qint64(1023) << "1023 B";
        QTest::newRow("one KiB") << qint64(1024) << "1.00 KiB";
        QTest::newRow("rounds into ten") << qint64(10239) << "10.0 KiB";
        QTest::newRow("three places") << qint64(102400) << "100 KiB";
        QTest::newRow("last KiB") << qint64(1023 * 1024) << "1023 KiB";
        QTest::newRow("would print 1024 KiB") << qint64(1024 * 1024 - 100) << "1.00 MiB";
        QTest::newRow("MiB") << qint64(45193625) << "43.1 MiB";
        QTest::newRow("negative") << qint64(-1536) << "-1.50 KiB";
        QTest::newRow("largest") << std::numeric_limits<qint64>::max() << "8388608 TiB";
        QTest::newRow("smallest") << std::numeric_limits<qint64>::min() << "-8388608 TiB";
    }
    void formatBytes_hasThreeDigits()
    {
        QFETCH(qint64, bytes);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(formatBytes(bytes)), text);
    }

    void formatDuration_picksTheUnit()
    {
        QCOMPARE(formatDuration(0), std::string("0 ns"));
        QCOMPARE(formatDuration(9300), std::string("9.30 µs"));
        QCOMPARE(formatDuration(118'000'000), std::string("118 ms"));
        QCOMPARE(formatDuration(999'999'999), std::string("1.00 s"));
        QCOMPARE(formatDuration(1'240'000'000), std::string("1.24 s"));
    }

    void parseBytes_readsWhatPeopleWrite_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("digits") << "12345" << qint64(12345);
        QTest::newRow("KiB") << "3KiB" << qint64(3072);
        QTest::newRow("space") << "2 GiB" << (qint64(2) << 30);
        QTest::newRow("decimal unit") << "5GB" << qint64(5'000'000'000);
        QTest::newRow("fraction") << "1.5GiB" << (qint64(3) << 29);
        QTest::newRow("six decimals") << "0.000001TB" << qint64(1'000'000);
        QTest::newRow("largest") << "9223372036854775807" << std::numeric_limits<qint64>::max();
    }
    void parseBytes_readsWhatPeopleWrite()
    {
        QFETCH(QString, text);
        QFETCH(qint64, bytes);
        const auto parsed = parseBytes(text.toStdString());
        QVERIFY(parsed);
        QCOMPARE(qint64(*parsed), bytes);
    }

    void parseBytes_refusesTheRest_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"", "-1", "+1", "GiB", "1.5", "1.5B", "1.GiB", "1.0000001GiB", "1 XiB", "1gib", "0x10",
                                 "9223372036854775808", "9000000TiB", "1e3", "1GiB "})
            QTest::newRow(text) << text;
    }
    void parseBytes_refusesTheRest()
    {
        QFETCH(QString, text);
        const auto parsed = parseBytes(text.toStdString());
        QVERIFY(!parsed);
        QCOMPARE(parsed.error().code, ErrorCode::usage);
        QVERIFY(parsed.error().message.find("'" + text.toStdString() + "'") != std::string::npos);
    }

    void quoteText_isAlwaysUtf8AndShort()
    {
        QCOMPARE(quoteText("plain"), std::string("'plain'"));
        QCOMPARE(quoteText("a\nb\x7f"), std::string("'a?b?'"));
        QCOMPARE(quoteText("\xC0\xAF\xED\xA0\x80ü\xF5"), std::string("'?????ü?'"));
        QCOMPARE(quoteText("äää", 5), std::string("'ää…'"));
        QCOMPARE(cleanUtf8("\xE2\x82"), std::string("??"));
    }

    void formatCount_groupsDigits()
    {
        QCOMPARE(formatCount(0), std::string("0"));
        QCOMPARE(formatCount(-999), std::string("-999"));
        QCOMPARE(formatCount(-1000), std::string("-1,000"));
        QCOMPARE(formatCount(124439808), std::string("124,439,808"));
    }
};

REMAT_TEST(tst_units);
#include "tst_units.moc"
