// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <QRandomGenerator>

#include "models/curve_data.h"
#include "models/handle_keys.h"
#include "models/step_story.h"
#include "models/text.h"
#include "plots/label_layout.h"
#include "schedule/simulator.h"
#include "schedule/strategy.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"

using namespace remat;
using namespace remat::ui;

class tst_curve_data : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void curve_measuredAndPredicted_areKeptApart();
    void curve_withoutNone_isRelativeToThePrediction();
    void curve_withoutAnything_isInMilliseconds();
    void curve_failedRun_standsAtTheLimitWithItsReason();
    void curve_everything_containsTheStaticPart();
    void curve_selective_isAFamilyOffTheLines_data();
    void curve_selective_isAFamilyOffTheLines();
    void words_ofSelective_sayWhatIsDropped();
    void advice_ofAttentionAlone_saysWhereNothingIsSaved();
    void line_ofAMode_goesByValue();
    void keys_moveWithinTheStops();
    void digits_typedShortly_makeOneNumber();
    void meaning_ofSegments_namesTheShorterLast();
    void labels_atRandom_neverOverlap();
    void advice_isTrueOfTheCurve();
    void advice_dominated_looksAtThePeakAsWell();
};

namespace {

const std::optional<core::ChainCosts> kNoCosts;

} // namespace

void tst_curve_data::curve_measuredAndPredicted_areKeptApart()
{
    const std::vector<core::Point> points{tests::samplePoint("none", 6, 1), tests::samplePoint("segments:2", 6, 2)};
    const std::optional costs(tests::sampleCosts(6));
    const CurveData curve = buildCurve({points, costs, 6, MemoryAxis::activations});
    QVERIFY(curve.relative);
    QCOMPARE(curve.find(QStringLiteral("none"))->time, 1.0);
    QCOMPARE(curve.find(QStringLiteral("segments:2"))->kind, MarkKind::measured);
    QCOMPARE(curve.find(QStringLiteral("segments:2"))->bytes, points[1].activationPeakBytes);
    const CurveMark *predicted = curve.find(QStringLiteral("segments:3"));
    QCOMPARE(predicted->kind, MarkKind::predicted);
    const auto schedule = core::makeSchedule(*core::parseStrategy("segments:3"), 6);
    QCOMPARE(predicted->bytes, core::simulate(*schedule, *costs)->activationPeak);
    QCOMPARE(predicted->timeLow, predicted->timeHigh);
    // none, six of each mode: nothing twice.
    QCOMPARE(curve.marks.size(), std::size_t{13});
}

void tst_curve_data::curve_withoutNone_isRelativeToThePrediction()
{
    const std::vector<core::Point> points{tests::samplePoint("every:1", 6, 1)};
    const std::optional costs(tests::sampleCosts(6));
    const CurveData curve = buildCurve({points, costs, 6, MemoryAxis::activations});
    QVERIFY(curve.relative);
    QCOMPARE(curve.find(QStringLiteral("none"))->kind, MarkKind::predicted);
    QVERIFY(std::abs(curve.find(QStringLiteral("none"))->time - 1.0) < 1e-9);
}

void tst_curve_data::curve_withoutAnything_isInMilliseconds()
{
    const std::vector<core::Point> points{tests::samplePoint("every:1", 6, 1)};
    const CurveData curve = buildCurve({points, kNoCosts, 6, MemoryAxis::activations});
    QVERIFY(!curve.relative);
    QCOMPARE(curve.marks.size(), std::size_t{1});
    QCOMPARE(curve.marks[0].time, static_cast<double>(points[0].step.median) / 1e6);
}

void tst_curve_data::curve_failedRun_standsAtTheLimitWithItsReason()
{
    core::Point failed = tests::samplePoint("none", 6, 1);
    failed.status = core::RunStatus::doesNotFit;
    failed.reason = "Short by 3 MiB.";
    failed.staticBytes = 100;
    failed.environment.budgetBytes = 1100;
    const CurveData curve = buildCurve({{failed}, kNoCosts, 6, MemoryAxis::activations});
    QCOMPARE(curve.marks.size(), std::size_t{1});
    QCOMPARE(curve.marks[0].kind, MarkKind::failed);
    QCOMPARE(curve.marks[0].bytes, core::Bytes{1000});
    QCOMPARE(curve.marks[0].reason, QStringLiteral("Short by 3 MiB."));
    QVERIFY(lineOf(curve, HandleMode::every).empty());
}

void tst_curve_data::curve_everything_containsTheStaticPart()
{
    const std::vector<core::Point> points{tests::samplePoint("none", 6, 1)};
    const CurveData some = buildCurve({points, kNoCosts, 6, MemoryAxis::activations});
    const CurveData all = buildCurve({points, kNoCosts, 6, MemoryAxis::everything});
    QCOMPARE(all.marks[0].bytes, points[0].peakBytes);
    QVERIFY(all.marks[0].bytes > some.marks[0].bytes);
}

void tst_curve_data::curve_selective_isAFamilyOffTheLines_data()
{
    QTest::addColumn<QString>("strategy");
    for (const char *text : {"selective:attention", "selective:drop_qkv+lean_mlp@0,3-5", "every:2+selective:mlp",
                             "segments:3+selective:attention+mlp"})
        QTest::addRow("%s", text) << QString::fromLatin1(text);
}

void tst_curve_data::curve_selective_isAFamilyOffTheLines()
{
    QFETCH(QString, strategy);
    core::Point point = tests::samplePoint("none", 6, 2);
    point.strategy = strategy.toStdString();
    const std::vector<core::Point> points{tests::samplePoint("none", 6, 1), point};
    const std::optional costs(tests::sampleCosts(6));
    const CurveData curve = buildCurve({points, costs, 6, MemoryAxis::activations});
    const CurveMark *mark = curve.find(strategy);
    QVERIFY(mark != nullptr);
    QVERIFY(mark->family == MarkFamily::selective);
    QVERIFY(familyOf(strategy) == MarkFamily::selective);
    QCOMPARE(mark->value, 0);
    for (const HandleMode mode : {HandleMode::every, HandleMode::segments}) {
        QCOMPARE(lineOf(curve, mode).size(), handleStops(mode, 6).size());
        for (const CurveMark *stop : lineOf(curve, mode))
            QVERIFY(stop->strategy != strategy);
    }
    Selection selection;
    selection.setStrategy(strategy);
    QCOMPARE(selection.value(), 0);
    QCOMPARE(handleMeaning(strategy, 6), strategyTitle(strategy));
}

void tst_curve_data::words_ofSelective_sayWhatIsDropped()
{
    const auto words = [](const char *text) { return droppedText(QString::fromLatin1(text)); };
    QVERIFY(words("selective:attention").contains(QStringLiteral("scores, softmax and dropout")));
    QVERIFY(!words("selective:attention").contains(QStringLiteral("MLP")));
    QVERIFY(words("segments:2+selective:mlp").contains(QStringLiteral("activation function")));
    QVERIFY(words("selective:drop_qkv_norm@0,3-5").contains(QStringLiteral("layers 0,3-5")));
    QVERIFY(words("selective:drop_qkv_norm@0,3-5").contains(QStringLiteral("queries, keys and values")));
    QVERIFY(words("selective:keep_all_norm").contains(QStringLiteral("normalised inputs of both halves")));
    QCOMPARE(words("segments:2"), QString());
    QCOMPARE(words("not a strategy"), QString());
    QCOMPARE(strategyTitle(QStringLiteral("selective:attention+mlp")), QStringLiteral("Selective: attention and MLP"));
    QCOMPARE(strategyTitle(QStringLiteral("segments:2+selective:mlp")),
             QStringLiteral("Segments of 2, selective: MLP"));
    QCOMPARE(strategyLabel(QStringLiteral("selective:mlp@0-2")), QStringLiteral("selective mlp@0-2"));
    QCOMPARE(strategyLabel(QStringLiteral("every:1+selective:mlp")), QStringLiteral("every block + selective mlp"));
}

void tst_curve_data::advice_ofAttentionAlone_saysWhereNothingIsSaved()
{
    std::vector<core::Point> points{tests::samplePoint("none", 6, 1), tests::samplePoint("selective:attention", 6, 2)};
    const auto advice = [&points] {
        const CurveData curve = buildCurve({points, kNoCosts, 6, MemoryAxis::activations});
        return adviceFor(QStringLiteral("selective:attention"), curve, MemoryAxis::activations, nullptr).front().text;
    };
    QVERIFY(points[1].activationPeakBytes < points[0].activationPeakBytes);
    QVERIFY(advice().startsWith(QStringLiteral("Dropped and rebuilt")));
    QVERIFY(!advice().contains(QStringLiteral("saves nothing")));
    points[1].activationPeakBytes = points[0].activationPeakBytes;
    QVERIFY(advice().contains(QStringLiteral("saves nothing")));
}

void tst_curve_data::line_ofAMode_goesByValue()
{
    const std::vector<core::Point> points{tests::samplePoint("none", 4, 1)};
    const std::optional costs(tests::sampleCosts(4));
    const CurveData curve = buildCurve({points, costs, 4, MemoryAxis::activations});
    QStringList every, segments;
    for (const CurveMark *mark : lineOf(curve, HandleMode::every))
        every += mark->strategy;
    for (const CurveMark *mark : lineOf(curve, HandleMode::segments))
        segments += mark->strategy;
    QCOMPARE(every,
             QStringList({QStringLiteral("every:1"), QStringLiteral("every:2"), QStringLiteral("every:3"),
                          QStringLiteral("every:4"), QStringLiteral("none")}));
    QCOMPARE(segments,
             QStringList({QStringLiteral("segments:1"), QStringLiteral("segments:2"), QStringLiteral("segments:3"),
                          QStringLiteral("segments:4")}));
}

void tst_curve_data::keys_moveWithinTheStops()
{
    const auto go = [](HandleKey key, const char *from) {
        return handleKeyTarget(key, HandleMode::every, QString::fromLatin1(from), 3);
    };
    QCOMPARE(go(HandleKey::next, "every:3"), QStringLiteral("none"));
    QCOMPARE(go(HandleKey::next, "none"), QStringLiteral("none"));
    QCOMPARE(go(HandleKey::previous, "every:1"), QStringLiteral("every:1"));
    QCOMPARE(go(HandleKey::first, "none"), QStringLiteral("every:1"));
    QCOMPARE(go(HandleKey::next, "recursive"), QStringLiteral("every:1"));
    QCOMPARE(handleKeyTarget(HandleKey::last, HandleMode::segments, QStringLiteral("segments:1"), 3),
             QStringLiteral("segments:3"));
    QCOMPARE(handleKeyTarget(HandleKey::next, HandleMode::segments, QStringLiteral("x"), 0), QStringLiteral("x"));
}

void tst_curve_data::digits_typedShortly_makeOneNumber()
{
    DigitEntry digits;
    QCOMPARE(digits.add(1, 24, 1000), 1);
    QCOMPARE(digits.add(2, 24, 1400), 12);
    QCOMPARE(digits.add(5, 24, 1600), 5);
    QCOMPARE(digits.add(1, 24, 9000), 1);
    QCOMPARE(digits.add(0, 6, 20000), 0);
}

void tst_curve_data::meaning_ofSegments_namesTheShorterLast()
{
    QCOMPARE(handleMeaning(QStringLiteral("segments:5"), 12), QStringLiteral("K = 5 · 3 segments, last one 2 layers"));
    QCOMPARE(handleMeaning(QStringLiteral("segments:12"), 12), QStringLiteral("K = 12 · 1 segment"));
    QCOMPARE(handleMeaning(QStringLiteral("every:4"), 12), QStringLiteral("N = 4 · 3 of 12 layers recomputed"));
    QCOMPARE(handleMeaning(QStringLiteral("none"), 12), QStringLiteral("No checkpointing"));
}

void tst_curve_data::labels_atRandom_neverOverlap()
{
    QRandomGenerator random(7);
    const QRectF bounds(0, 0, 600, 300);
    for (int round = 0; round < 200; ++round) {
        std::vector<LabelWish> wishes;
        for (int i = 0; i < 30; ++i)
            wishes.push_back({{random.bounded(600.0), random.bounded(300.0)},
                              {20 + random.bounded(90.0), 14},
                              8.0,
                              8.0,
                              random.bounded(10)});
        const QRectF obstacle(random.bounded(500.0), 0, 6, 300);
        const auto boxes = placeLabels(wishes, bounds, 6, {obstacle});
        int placed = 0;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (boxes[i].isNull())
                continue;
            ++placed;
            QVERIFY(bounds.contains(boxes[i]) && !boxes[i].intersects(obstacle));
            for (std::size_t j = 0; j < boxes.size(); ++j) {
                QVERIFY(i == j || !boxes[i].intersects(boxes[j]));
                QVERIFY(i == j || !boxes[i].contains(wishes[j].anchor));
            }
        }
        QVERIFY(placed > 0);
    }
}

void tst_curve_data::advice_isTrueOfTheCurve()
{
    const auto session = tests::lectureSession();
    std::vector<core::Point> points;
    const auto runs = session->runs();
    for (const core::StoredRun &run : *runs)
        points.push_back(run.point);
    const std::optional costs(tests::sampleCosts(12));
    const CurveData curve = buildCurve({points, costs, 12, MemoryAxis::activations});
    for (const CurveMark &mark : curve.marks) {
        const auto list = adviceFor(mark.strategy, curve, MemoryAxis::activations, nullptr);
        QVERIFY(list.size() <= 2);
        for (const Advice &advice : list) {
            if (advice.strategy.isEmpty())
                continue;
            const CurveMark *other = curve.find(advice.strategy);
            QVERIFY(other && other->bytes < mark.bytes);
        }
    }
    const core::Recording recording = tests::sampleRecording("segments:4", 12);
    const PeakSummary peak = peakSummary(recording, MemoryAxis::activations, 12);
    core::Bytes sum = 0;
    for (const PeakSummary::Part &part : peak.parts)
        sum += part.bytes;
    QCOMPARE(sum, peak.bytes);
    QVERIFY(!peak.where.isEmpty());
}

void tst_curve_data::advice_dominated_looksAtThePeakAsWell()
{
    const auto isDominated = [](core::Bytes peakOfPlan) {
        CurveData curve;
        curve.layers = 4;
        const auto add = [&](const char *strategy, double time, core::Bytes bytes, core::Bytes peak) {
            CurveMark mark;
            mark.strategy = QString::fromLatin1(strategy);
            mark.family = familyOf(mark.strategy);
            mark.kind = MarkKind::measured;
            mark.time = mark.timeLow = mark.timeHigh = time;
            mark.bytes = bytes;
            mark.peak = peak;
            curve.marks.push_back(mark);
        };
        add("none", 1.0, 100, 200);
        add("every:2", 1.3, 60, 150);
        add("budget:160", 1.3, 70, peakOfPlan);
        const auto list = adviceFor(QStringLiteral("budget:160"), curve, MemoryAxis::activations, nullptr);
        return std::any_of(list.begin(), list.end(), [](const Advice &advice) {
            return advice.strategy == QStringLiteral("every:2")
                && advice.text.contains(QStringLiteral("activation memory"));
        });
    };
    QVERIFY(isDominated(160));
    QVERIFY(!isDominated(120)); // more activations, but what must fit is smaller
}

REMAT_TEST(tst_curve_data);

#include "tst_curve_data.moc"
