// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "core/measure/sweep_fixture.h"
#include <cmath>

#include "measure/verification.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

Result<Verification> verify(SweepFixture &fixture, int steps)
{
    return verifySchedule(
        fixture.plan, steps, fixture.backend, [](const Progress &) {}, fixture.source.get_token());
}

} // namespace

class tst_verification : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void verify_sameLosses_isEqual()
    {
        SweepFixture fixture({"every:1"});
        const auto found = verify(fixture, 4);
        QVERIFY(found.has_value());
        QVERIFY(found->equal());
        QCOMPARE(int(found->referenceLosses.size()), 4);
        QVERIFY(found->referenceLosses[0] > found->referenceLosses[3]);
        QCOMPARE(found->reference, std::string("none"));
        QCOMPARE(fixture.behaviour->resets, 2); // both start from the same parameters
    }

    void verify_wrongGradients_isNotEqual()
    {
        SweepFixture fixture({"every:1"});
        fixture.behaviour->wrongGradients = true;
        const auto found = verify(fixture, 1);
        QVERIFY(found.has_value());
        QVERIFY(!found->equal());
        QCOMPARE(found->differingElements, std::int64_t(3));
    }

    void equal_lossesThatDifferInOneBit_isFalse()
    {
        Verification verification;
        verification.referenceLosses = {1.0};
        verification.scheduleLosses = {std::nextafter(1.0, 2.0)};
        QVERIFY(!verification.equal());
        verification.scheduleLosses = {1.0};
        QVERIFY(verification.equal());
        verification.scheduleLosses.push_back(2.0);
        QVERIFY(!verification.equal());
    }

    void verify_doesNotFit_isThatError()
    {
        SweepFixture fixture({"none"});
        fixture.behaviour->budget = fixture.peakOf("none") - 1;
        const auto found = verify(fixture, 1);
        QVERIFY(!found.has_value());
        QCOMPARE(found.error().code, ErrorCode::doesNotFit);
    }

    void verify_cancelled_isThatError()
    {
        SweepFixture fixture({"every:1"});
        fixture.source.request_stop();
        const auto found = verify(fixture, 1);
        QVERIFY(!found.has_value());
        QCOMPARE(found.error().code, ErrorCode::cancelled);
    }

    void json_roundTrip()
    {
        const Verification verification{"every:1", "none", 2, 4, 0.5, "wte", {1.5, 1.25}, {1.5, 1.0}};
        const auto read = verificationFromJson(toJson(verification));
        QVERIFY(read.has_value());
        QVERIFY(toJson(*read) == toJson(verification));
    }
};

REMAT_TEST(tst_verification);
#include "tst_verification.moc"
