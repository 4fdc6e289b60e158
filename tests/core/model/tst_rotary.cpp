// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <cmath>

#include "model/rotary.h"
#include "support/test_registry.h"

using namespace remat::core;

namespace {

ModelConfig rotary(std::int64_t headSize, double base)
{
    ModelConfig model;
    model.position = PositionKind::rotary;
    model.headSize = headSize;
    model.ropeTheta = base;
    return model;
}

bool isClose(double value, double expected)
{
    return std::fabs(value - expected) <= 1e-12 * std::fabs(expected);
}

} // namespace

class tst_rotary : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void plain_isAPowerOfTheBase()
    {
        const auto frequencies = rotaryFrequencies(rotary(8, 10000.0), false);
        const double expected[] = {1.0, 0.1, 0.01, 0.001};
        QCOMPARE(frequencies.size(), std::size_t(4));
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(isClose(frequencies[i], expected[i]));
    }

    void part_isRotatedAloneAndSpansTheWholeRange()
    {
        ModelConfig model = rotary(80, 10000.0);
        model.rotaryFraction = 0.4;
        QCOMPARE(rotatedSize(model), 32);
        const auto frequencies = rotaryFrequencies(model, false);
        QCOMPARE(frequencies.size(), std::size_t(16));
        QVERIFY(isClose(frequencies[8], 0.01));
    }

    void linear_dividesAll()
    {
        ModelConfig model = rotary(4, 100.0);
        model.ropeScaling = {.kind = RopeKind::linear, .factor = 8.0, .factors = {}};
        const auto frequencies = rotaryFrequencies(model, false);
        QVERIFY(isClose(frequencies[0], 0.125));
        QVERIFY(isClose(frequencies[1], 0.0125));
    }

    // Values of the formulas worked out apart from this program, with the numbers of Llama 3.2 1B.
    void llama3_keepsShortWavesAndStretchesLongOnes()
    {
        ModelConfig model = rotary(64, 500000.0);
        model.ropeScaling = {.kind = RopeKind::llama3,
                             .factor = 32.0,
                             .lowFactor = 1.0,
                             .highFactor = 4.0,
                             .originalPositions = 8192.0,
                             .factors = {}};
        const auto frequencies = rotaryFrequencies(model, false);
        QCOMPARE(frequencies.size(), std::size_t(32));
        QVERIFY(isClose(frequencies[0], 1.0));
        QVERIFY(isClose(frequencies[14], 0.003211445994752591)); // as plain
        QVERIFY(isClose(frequencies[15], 0.001290547928209264));
        QVERIFY(isClose(frequencies[16], 0.00042955679655936815));
        QVERIFY(isClose(frequencies[17], 9.70828780262767e-05));
        QVERIFY(isClose(frequencies[18], 0.000622772421914596 / 32.0)); // stretched in full
        QVERIFY(isClose(frequencies[31], 3.013858152139171e-06 / 32.0));
    }

    void yarn_rampsBetweenTheTwo()
    {
        ModelConfig model = rotary(64, 10000.0);
        model.ropeScaling
            = {.kind = RopeKind::yarn, .factor = 4.0, .attention = 1.1386, .originalPositions = 2048.0, .factors = {}};
        const auto frequencies = rotaryFrequencies(model, false);
        QCOMPARE(frequencies.size(), std::size_t(32));
        QVERIFY(isClose(frequencies[7], 0.1333521432163324)); // kept up to pair 8
        QVERIFY(isClose(frequencies[9], 0.0706631081870968));
        QVERIFY(isClose(frequencies[20], 0.0009730085108210397));
        QVERIFY(isClose(frequencies[21], 0.0005928434264154138)); // a quarter from pair 21 on
        QVERIFY(isClose(frequencies[31], 3.33380358040831e-05));
        QCOMPARE(rotaryAttentionFactor(model, false), 1.1386);
    }

    void longrope_dividesByTheFactorOfEachPair()
    {
        ModelConfig model = rotary(4, 100.0);
        model.ropeScaling.kind = RopeKind::longrope;
        model.ropeScaling.factors = {1.0, 4.0};
        const auto frequencies = rotaryFrequencies(model, true);
        QVERIFY(isClose(frequencies[0], 1.0));
        QVERIFY(isClose(frequencies[1], 0.025));
    }

    void windowedLayers_mayHaveTheirOwnBaseWithoutScaling()
    {
        ModelConfig model = rotary(4, 1e6);
        model.ropeThetaWindowed = 10000.0;
        model.ropeScaling = {.kind = RopeKind::linear, .factor = 8.0, .attention = 2.0, .factors = {}};
        QVERIFY(isClose(rotaryFrequencies(model, true)[0], 1.0));
        QVERIFY(isClose(rotaryFrequencies(model, true)[1], 0.01));
        QVERIFY(isClose(rotaryFrequencies(model, false)[1], 1e-3 / 8.0));
        QCOMPARE(rotaryAttentionFactor(model, true), 1.0);
        QCOMPARE(rotaryAttentionFactor(model, false), 2.0);
    }

    void alibi_isGeometricInTheHeads()
    {
        const auto eight = alibiSlopes(8); // 1/2, 1/4, … 1/256: section 3 of the paper
        for (std::size_t i = 0; i < 8; ++i)
            QCOMPARE(eight[i], std::ldexp(1.0, -static_cast<int>(i) - 1));
        const auto twelve = alibiSlopes(12); // those of 8, then every second one of 16
        QCOMPARE(twelve.size(), std::size_t(12));
        QCOMPARE(twelve[7], 1.0 / 256.0);
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(isClose(twelve[8 + i], std::pow(2.0, -0.5 - static_cast<double>(i))));
        QCOMPARE(alibiSlopes(1), std::vector<double>{1.0 / 256.0});
    }
};

REMAT_TEST(tst_rotary);
#include "tst_rotary.moc"
