// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "core/measure/sweep_fixture.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

class tst_sweep_proof : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void proof_noneFits_isTheReferenceOfAll()
    {
        SweepFixture sweep({"none", "every:1"});
        const auto points = sweep.run().value();
        for (const Point &point : points) {
            QVERIFY(point.equality.checked);
            QCOMPARE(point.equality.reference, std::string("none"));
            QCOMPARE(point.equality.differingElements, std::int64_t(0));
        }
        QCOMPARE(sweep.behaviour->references, 1);
        QCOMPARE(sweep.behaviour->proofs, 2); // the reference is compared with a second run of itself
    }

    void proof_noneDoesNotFit_everyOneIs()
    {
        SweepFixture sweep({"every:1", "every:2"});
        sweep.behaviour->budget = sweep.peakOf("none") - 1;
        const auto points = sweep.run().value();
        for (const Point &point : points) {
            QVERIFY(point.status == RunStatus::done);
            QVERIFY(point.equality.checked);
            QCOMPARE(point.equality.reference, std::string("every:1"));
        }
    }

    void proof_neitherFits_deepestSiblingIs()
    {
        // The parameters are a small part, so a budget below every:1 still lets input-only run and none run on fewer layers.
        SweepFixture sweep({"input-only", "file:/nowhere"}, 12);
        sweep.plan.strategies.pop_back();
        sweep.behaviour->budget = sweep.peakOf("input-only");
        QVERIFY(sweep.peakOf("every:1") > sweep.behaviour->budget);
        const Point point = sweep.run().value().front();
        QVERIFY(point.status == RunStatus::done);
        QVERIFY2(point.equality.checked, point.equality.why.c_str());
        int deepest = 0;
        for (int layers = 1; layers < 12; ++layers) {
            const SweepFixture sibling({"none"}, layers);
            if (sibling.peakOf("none") <= sweep.behaviour->budget)
                deepest = layers;
        }
        QVERIFY(deepest > 0);
        QCOMPARE(point.equality.reference, "none, " + std::to_string(deepest) + " of 12 layers");
        QCOMPARE(point.peakBytes, point.predictedPeakBytes);
        QVERIFY(sweep.behaviour->prepares >= 3);
    }

    void proof_nothingFits_saysWhyItWasNotChecked()
    {
        SweepFixture sweep({"none"}, 1);
        sweep.behaviour->budget = sweep.peakOf("every:1") - 1;
        const Point point = sweep.run().value().front();
        QVERIFY(!point.equality.checked);
        QVERIFY(!point.equality.why.empty());
        QVERIFY(point.status == RunStatus::doesNotFit);
    }

    void proof_wrongGradients_areAResultWithTheFirstName()
    {
        SweepFixture sweep({"every:1"});
        sweep.behaviour->wrongGradients = true;
        const Point point = sweep.run().value().front();
        QVERIFY(point.status == RunStatus::done);
        QVERIFY(point.equality.checked);
        QCOMPARE(point.equality.differingElements, std::int64_t(3));
        QCOMPARE(point.equality.maxAbsDiff, 0.25);
        QVERIFY(point.equality.why.find("layers.0.attention.qkv.weight") != std::string::npos);
    }

    void proof_ownRunDoesNotFit_endsOnlyThatRun()
    {
        SweepFixture sweep({"none", "every:1"});
        const Schedule none = sweep.scheduleOf("none");
        int seen = 0;
        sweep.behaviour->onProof = [&](const Schedule &schedule) {
            const bool fails = schedule == none && ++seen == 2; // as a reference it still fitted
            sweep.behaviour->budget = fails ? sweep.peakOf("none") - 1 : 0;
        };
        const auto points = sweep.run().value();
        QVERIFY(points[0].status == RunStatus::doesNotFit);
        QVERIFY(!points[0].equality.checked);
        QVERIFY(points[1].status == RunStatus::done);
    }
};

REMAT_TEST(tst_sweep_proof);
#include "tst_sweep_proof.moc"
