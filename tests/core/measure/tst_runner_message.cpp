// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "measure/runner_message.h"

#include <rapidcheck.h>

#include "support/fake_backend.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

SweepPlan planOf(const std::vector<std::string> &strategies)
{
    SweepPlan plan;
    plan.model = tinyModel(3);
    plan.workload = resolveWorkload({}, plan.model, 2).value();
    for (const std::string &text : strategies)
        plan.strategies.push_back(parseStrategy(text).value());
    plan.repeats = 4;
    return plan;
}

} // namespace

class tst_runner_message : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void request_roundTrip()
    {
        RunnerRequest request;
        request.id = 12;
        request.command = RunnerRequest::Command::verify;
        request.session = "a \"quoted\" path.remat";
        request.plan = planOf({"none", "every:2", "layers:0,2"});
        request.steps = 3;
        const std::string line = encode(request);
        QVERIFY(line.find('\n') == std::string::npos);
        QVERIFY(line.starts_with("{\"v\":1,\"id\":12,\"cmd\":\"verify\""));
        const auto read = decodeRequest(line);
        QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
        QCOMPARE(read->session, request.session);
        QCOMPARE(read->steps, 3);
        QCOMPARE(read->plan.repeats, 4);
        QCOMPARE(int(read->plan.strategies.size()), 3);
        QCOMPARE(read->plan.strategies[2].text, std::string("layers:0,2"));
        QCOMPARE(workloadHash(read->plan.model, read->plan.workload),
                 workloadHash(request.plan.model, request.plan.workload));
        QCOMPARE(encode(*read), line);
    }

    void request_plainCommands_needNoPlan()
    {
        for (const char *command : {"devices", "cancel", "quit"}) {
            const auto read = decodeRequest("{\"v\":1,\"id\":3,\"cmd\":\"" + std::string(command) + "\"}");
            QVERIFY(read.has_value());
            QCOMPARE(read->id, std::int64_t(3));
        }
        QVERIFY(!decodeRequest(R"({"v":1,"id":3,"cmd":"sweep"})").has_value());
        QVERIFY(!decodeRequest(R"({"v":1,"id":3,"cmd":"probe"})").has_value());
    }

    void event_roundTrip_everyKind()
    {
        RunnerEvent event;
        event.id = 5;
        event.progress = {"timing", "every:1", 1, 3, 7, 9, 1234};
        event.point.strategy = "every:1";
        event.point.status = RunStatus::running;
        event.costs = fakeCosts(tinyModel(2), resolveWorkload({}, tinyModel(2), 1).value());
        event.devices = FakeBackend().devices();
        event.verification = {"every:1", "none", 2, 4, 0.5, "wte", {1.5, 1.25}, {1.5, 1.0}};
        event.error = {ErrorCode::doesNotFit, "It does not fit."};
        event.status = "cancelled";
        using Kind = RunnerEvent::Kind;
        for (Kind kind : {Kind::accepted, Kind::progress, Kind::costs, Kind::point, Kind::devices, Kind::verified,
                          Kind::done, Kind::error, Kind::heartbeat}) {
            event.kind = kind;
            const std::string line = encode(event);
            const auto read = decodeEvent(line);
            QVERIFY2(read.has_value(), line.c_str());
            QCOMPARE(read->kind, kind);
            QCOMPARE(read->id, std::int64_t(5));
            QCOMPARE(encode(*read), line);
        }
        event.kind = Kind::error;
        QCOMPARE(decodeEvent(encode(event))->error.code, ErrorCode::doesNotFit);
        event.kind = Kind::costs;
        QVERIFY(decodeEvent(encode(event))->costs == event.costs);
    }

    void decode_brokenLines_quoteTheirStart_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("words") << QByteArray("Segmentation fault");
        QTest::newRow("array") << QByteArray("[1,2]");
        QTest::newRow("no version") << QByteArray(R"({"id":1,"event":"done","cmd":"quit"})");
        QTest::newRow("version 2") << QByteArray(R"({"v":2,"id":1,"event":"done","cmd":"quit"})");
        QTest::newRow("unknown word") << QByteArray(R"({"v":1,"id":1,"event":"party","cmd":"party"})");
        QTest::newRow("id is text") << QByteArray(R"({"v":1,"id":"1","event":"done","cmd":"quit"})");
        QTest::newRow("cut") << QByteArray("{\"v\":1,\"id\":1,\"event\":\"do");
        QTest::newRow("zero bytes") << QByteArray("\0\0\0", 3);
        QTest::newRow("no utf-8") << QByteArray("{\"v\":1,\"id\":1,\"event\":\"\xff\xfe\",\"cmd\":\"\xff\"}");
    }
    void decode_brokenLines_quoteTheirStart()
    {
        QFETCH(QByteArray, line);
        const std::string_view view(line.constData(), std::size_t(line.size()));
        QVERIFY(!decodeEvent(view).has_value());
        QVERIFY(!decodeRequest(view).has_value());
        QVERIFY(decodeEvent(view).error().message.size() < 400);
    }

    void decode_pointWithoutBody_isAnError()
    {
        QVERIFY(!decodeEvent(R"({"v":1,"id":1,"event":"point"})").has_value());
        QVERIFY(!decodeEvent(R"({"v":1,"id":1,"event":"point","point":[]})").has_value());
        QVERIFY(!decodeEvent(R"({"v":1,"id":1,"event":"devices","devices":[5]})").has_value());
    }

    void decode_mutatedMessages_neverCrash()
    {
        RunnerRequest request;
        request.command = RunnerRequest::Command::sweep;
        request.plan = planOf({"every:1"});
        RunnerEvent event;
        event.kind = RunnerEvent::Kind::point;
        const std::vector<std::string> lines{encode(request), encode(event)};
        const bool ok = rc::check("any change of a valid line is read or refused", [&] {
            std::string line = *rc::gen::elementOf(lines);
            const int changes = *rc::gen::inRange(1, 6);
            for (int i = 0; i < changes; ++i)
                line[*rc::gen::inRange<std::size_t>(0, line.size())] = *rc::gen::arbitrary<char>();
            (void)decodeRequest(line).has_value();
            (void)decodeEvent(line).has_value();
        });
        QVERIFY(ok);
    }

    void encode_invalidUtf8_isReplaced()
    {
        RunnerEvent event;
        event.kind = RunnerEvent::Kind::error;
        event.error.message = "file \xff\xfe is bad.";
        QVERIFY(decodeEvent(encode(event)).has_value());
    }
};

REMAT_TEST(tst_runner_message);
#include "tst_runner_message.moc"
