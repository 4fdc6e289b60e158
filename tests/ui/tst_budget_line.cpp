// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/budget_line.h"
#include "plots/handle_painter.h"
#include "schedule/strategy.h"
#include "support/test_registry.h"
#include "ui/support/sample_session.h"

using namespace remat;
using namespace remat::ui;

class tst_budget_line : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void line_dragged_convertsTheAxis_data();
    void line_dragged_convertsTheAxis();
    void line_dragged_restsAtMeasuredPlans();
    void line_belowTheSmallest_standsThereAndRemembers();
    void line_keys_walkFromEndToEnd();
    void line_typed_readsUnits();

private:
    [[nodiscard]] CurveData curve(const std::vector<core::Point> &points,
                                  MemoryAxis axis = MemoryAxis::everything) const
    {
        const std::optional costs(m_front->costs);
        return buildCurve({points, costs, m_front->shape, axis, m_front});
    }

    std::shared_ptr<const PlanFront> m_front; // of six layers
};

namespace {

constexpr core::Bytes kMiB = 1024 * 1024;

} // namespace

void tst_budget_line::initTestCase()
{
    auto made = makeFront(tests::sampleCosts(6), 6);
    QVERIFY(made.has_value());
    m_front = std::make_shared<const PlanFront>(std::move(*made));
}

void tst_budget_line::line_dragged_convertsTheAxis_data()
{
    QTest::addColumn<bool>("everything");
    QTest::newRow("activations") << false;
    QTest::newRow("everything") << true;
}

void tst_budget_line::line_dragged_convertsTheAxis()
{
    QFETCH(bool, everything);
    const CurveData data
        = curve({tests::samplePoint("none", 6, 1)}, everything ? MemoryAxis::everything : MemoryAxis::activations);
    BudgetLine line;
    QVERIFY(!line.ready());
    line.setCurve(data);
    QVERIFY(line.ready());
    const core::Bytes below = everything ? 0 : m_front->costs.staticBytes;
    const core::Bytes grain = kMiB / 2;
    for (core::Bytes budget = m_front->smallest(); budget < m_front->largest(); budget += 777'777) {
        line.dragTo(static_cast<double>(budget - below), 0.4 * static_cast<double>(kMiB));
        QVERIFY(std::abs(line.budget() - budget) <= grain / 2 || line.budget() == m_front->smallest());
        QVERIFY(line.budget() % grain == 0 || line.budget() == m_front->smallest());
        QCOMPARE(line.height(), static_cast<double>(line.budget() - below));
        QCOMPARE(line.strategy(), QStringLiteral("budget:%1").arg(line.budget()));
    }
}

void tst_budget_line::line_dragged_restsAtMeasuredPlans()
{
    core::Point percent = tests::samplePoint("every:2", 6, 40);
    percent.strategy = "budget:40%";
    const CurveData data = curve({tests::samplePoint("none", 6, 1), percent});
    const core::Bytes rest = m_front->budgetOf(*core::parseStrategy("budget:40%")).value();
    BudgetLine line;
    line.setCurve(data);
    line.dragTo(static_cast<double>(rest) + 2.0e6, 1e6);
    QCOMPARE(line.budget(), rest);
    QCOMPARE(line.strategy(), QStringLiteral("budget:40%"));
    line.dragTo(static_cast<double>(rest) + 4.0e6, 1e6);
    QVERIFY(line.strategy() != QStringLiteral("budget:40%"));
    line.stand(rest + 1);
    line.press(BudgetKey::less);
    QCOMPARE(line.budget(), rest);
}

void tst_budget_line::line_belowTheSmallest_standsThereAndRemembers()
{
    const CurveData data = curve({tests::samplePoint("none", 6, 1)});
    BudgetLine line;
    line.setCurve(data);
    QVERIFY(!line.tooSmall().has_value()); // nobody asked for anything
    line.dragTo(5.0 * static_cast<double>(kMiB), 1000);
    QCOMPARE(line.budget(), m_front->smallest());
    QVERIFY(std::abs(line.tooSmall().value() - 5 * kMiB) < 1024);
    const std::string words = m_front->bindingWords();
    QVERIFY(budgetText(line, std::nullopt, data).startsWith(QStringLiteral("No plan with what was probed fits")));
    QVERIFY(budgetText(line, std::nullopt, data).contains(QString::fromStdString(words)));
    PlanFront whole = *m_front;
    whole.withOptions = true;
    CurveData all = data;
    all.front = std::make_shared<const PlanFront>(std::move(whole));
    QVERIFY(budgetText(line, std::nullopt, all).startsWith(QStringLiteral("No schedule fits 5.00 MiB")));
    line.stand(m_front->smallest()); // being dropped there changes nothing
    QVERIFY(line.tooSmall().has_value());
    line.press(BudgetKey::more);
    QVERIFY(!line.tooSmall().has_value());
    QVERIFY(line.budget() > m_front->smallest());
    QVERIFY(budgetText(line, std::nullopt, data).contains(QStringLiteral("measured")));
}

void tst_budget_line::line_keys_walkFromEndToEnd()
{
    BudgetLine line;
    line.press(BudgetKey::more); // without a front nothing happens
    QCOMPARE(line.budget(), core::Bytes{0});
    line.setCurve(curve({}));
    line.press(BudgetKey::most);
    QCOMPARE(line.budget(), m_front->largest());
    line.press(BudgetKey::more);
    QCOMPARE(line.budget(), m_front->largest());
    int steps = 0;
    for (core::Bytes before = line.budget() + 1; line.budget() < before && steps < 1000; ++steps) {
        before = line.budget();
        line.press(BudgetKey::less);
    }
    QCOMPARE(line.budget(), m_front->smallest());
    QVERIFY(steps >= 20 && steps <= 70);
    line.press(BudgetKey::muchMore);
    const core::Bytes page = line.budget();
    line.press(BudgetKey::least);
    line.press(BudgetKey::more);
    QVERIFY(line.budget() < page && line.budget() > m_front->smallest());
    QVERIFY(!line.tooSmall().has_value());
}

void tst_budget_line::line_typed_readsUnits()
{
    BudgetLine line;
    QVERIFY(!line.type(u'1')); // nothing to plan with
    line.setCurve(curve({}));
    const auto type = [&line](const char *text) {
        for (const char c : std::string_view(text))
            if (!line.type(QLatin1Char(c)))
                return false;
        return true;
    };
    QVERIFY(!type("m") && !type("0"));
    QVERIFY(type("180"));
    QCOMPARE(line.typed(), QStringLiteral("180 MiB"));
    QVERIFY(type("kib") && !type("x"));
    QCOMPARE(line.typed(), QStringLiteral("180 KiB"));
    for (int i = 0; i < 3; ++i)
        line.eraseTyped();
    QVERIFY(type(".5M"));
    line.acceptTyped();
    QCOMPARE(line.budget(), 180 * kMiB + kMiB / 2);
    QVERIFY(line.typed().isEmpty());
    QVERIFY(type("1.g"));
    line.acceptTyped();
    QCOMPARE(line.budget(), 1024 * kMiB);
    QVERIFY(type("3"));
    line.dropTyped();
    QCOMPARE(line.budget(), 1024 * kMiB);
}

REMAT_TEST(tst_budget_line);

#include "tst_budget_line.moc"
