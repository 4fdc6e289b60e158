// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <rapidcheck.h>

#include "base/json.h"
#include "support/test_registry.h"

using namespace remat::core;

class tst_json : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void parse_acceptsWhatFilesHold_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF{\"a\": [1, 2.5, null, true]}");
        QTest::newRow("CRLF") << QByteArray("\r\n{\r\n\"a\"\r\n: [1, 2.5, null, true]\r\n}");
        QTest::newRow("one line") << QByteArray("{\"a\":[1,2.5,null,true]}");
    }
    void parse_acceptsWhatFilesHold()
    {
        QFETCH(QByteArray, text);
        const auto json = parseJson({text.constData(), std::size_t(text.size())}, "x");
        QVERIFY(json);
        QCOMPARE(json->dump(), std::string("{\"a\":[1,2.5,null,true]}"));
    }

    void parse_keepsTheOrderOfKeys()
    {
        const auto json = parseJson(R"({"z":1,"a":{"y":2,"b":3}})", "x");
        QVERIFY(json);
        QCOMPARE(json->dump(), std::string(R"({"z":1,"a":{"y":2,"b":3}})"));
    }

    void parse_saysWhereItBreaks_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("part");
        QTest::newRow("empty") << QByteArray() << "is empty";
        QTest::newRow("blank") << QByteArray(" \n\t") << "is empty";
        QTest::newRow("trailing comma") << QByteArray("{\n  \"a\": 1,\n}") << "line 3, column 1";
        QTest::newRow("cut off") << QByteArray("{\"a\": ") << "line 1, column 7";
        QTest::newRow("rest") << QByteArray("1 2") << "line 1, column 3";
        QTest::newRow("not UTF-8") << QByteArray("\"\xFF\"") << "UTF-8";
        QTest::newRow("overflow") << QByteArray("[1e999]") << "overflow";
        QTest::newRow("NaN") << QByteArray("[NaN]") << "line 1, column 2";
        QTest::newRow("twice") << QByteArray(R"({"a":1,"a":2})") << "'a' twice";
        QTest::newRow("zero bytes") << QByteArray(8, '\0') << "line 1, column 1";
    }
    void parse_saysWhereItBreaks()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, part);
        const auto json = parseJson({text.constData(), std::size_t(text.size())}, "plan.json");
        QVERIFY(!json);
        QCOMPARE(json.error().code, ErrorCode::refused);
        const auto message = QString::fromStdString(json.error().message);
        QVERIFY2(message.startsWith("plan.json ") && message.contains(part), qPrintable(message));
    }

    void parse_refusesDeepNesting()
    {
        const std::string open(64, '[');
        const std::string close(64, ']');
        QVERIFY(parseJson(open + close, "x"));
        const auto deeper = parseJson("[" + open + close + "]", "x");
        QVERIFY(!deeper);
        QVERIFY(deeper.error().message.find("64 levels at line 1, column 65") != std::string::npos);
        QVERIFY(!parseJson(std::string(1'000'000, '['), "x"));
        QVERIFY(parseJson("\"" + std::string(1000, '[') + "\\\"\"", "x"));
    }

    void parse_ofManyKeysIsNotQuadratic()
    {
        std::string text = "{";
        for (int i = 0; i < 200'000; ++i)
            text += "\"k" + std::to_string(i) + "\":0,";
        text += "\"last\":0}";
        const auto json = parseJson(text, "x");
        QVERIFY(json);
        QCOMPARE(json->size(), std::size_t(200'001));
    }

    void parse_ofAnyBytesReturns()
    {
        const bool held = rc::check([](const std::string &bytes) {
            const auto json = parseJson(bytes, "x");
            // Messages go into JSON documents themselves, so they must be valid UTF-8 whatever the input was.
            if (!json)
                RC_ASSERT(!Json(json.error().message).dump().empty());
        });
        QVERIFY(held);
    }
};

REMAT_TEST(tst_json);
#include "tst_json.moc"
