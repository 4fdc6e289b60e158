// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <QApplication>

#include "bench/bench.h"
#include "models/analysis.h"
#include "plots/memory_timeline_plot.h"
#include "plots/tradeoff_plot.h"
#include "schedule/strategy.h"
#include "theme/theme_controller.h"

namespace {

using namespace remat;

constexpr int kLayers = 96;
constexpr int kEvents = 1'000'000;
constexpr int kFrames = 15;

void giveBack(core::Recording &recording, std::vector<core::MemoryEvent> &open, core::Nanoseconds ns)
{
    core::MemoryEvent release = open.back();
    open.pop_back();
    release.ns = ns;
    release.bytes = -release.bytes;
    recording.events.push_back(release);
}

/// A sawtooth like that of a real step: every op takes and gives back, blocks pile up to the middle and go away after it.
core::Recording bigRecording()
{
    core::Recording recording;
    recording.names = {"aten::mm"};
    const int ops = 4 * kLayers;
    const int pairs = kEvents / 2;
    std::vector<core::MemoryEvent> open;
    std::uint32_t block = 0;
    for (int i = 0; i < ops; ++i)
        recording.ops.push_back({"E1", 1 + i % (2 * kLayers), 0,
                                 i < ops / 2     ? core::Phase::forward
                                     : i % 4 < 2 ? core::Phase::recompute
                                                 : core::Phase::backward,
                                 i * 1'000'000LL, (i + 1) * 1'000'000LL, 0, 0, 0, 0});
    for (int i = 0; i < pairs; ++i) {
        const auto op = static_cast<std::uint32_t>(static_cast<long long>(i) * ops / pairs);
        core::MemoryEvent event;
        event.ns = static_cast<core::Nanoseconds>(i) * ops * 1'000'000 / pairs;
        event.bytes = 4096 + i % 1000 * 64;
        event.block = block++;
        event.op = op;
        event.phase = recording.ops[op].phase;
        event.category = event.phase == core::Phase::recompute ? core::Category::recomputedActivation
                                                               : core::Category::savedActivation;
        recording.events.push_back(event);
        open.push_back(event);
        const bool keep = i < pairs / 2 && i % 3 != 0;
        if (!keep)
            giveBack(recording, open, event.ns + 100);
    }
    while (!open.empty())
        giveBack(recording, open, recording.events.back().ns + 10);
    return recording;
}

ui::CurveData bigCurve()
{
    ui::CurveData curve;
    curve.relative = true;
    curve.layers = kLayers;
    for (const ui::HandleMode mode : {ui::HandleMode::every, ui::HandleMode::segments}) {
        for (int n = 1; n <= kLayers; ++n) {
            ui::CurveMark mark;
            mark.strategy = ui::Selection::strategyFor(mode, n);
            mark.family = mode == ui::HandleMode::every ? ui::MarkFamily::every : ui::MarkFamily::segments;
            mark.value = n;
            mark.kind = n % 3 == 0 ? ui::MarkKind::predicted : ui::MarkKind::measured;
            mark.time = 1.0 + 0.3 / n;
            mark.timeLow = mark.time - 0.01;
            mark.timeHigh = mark.time + 0.01;
            mark.bytes = (core::Bytes{1} << 20) * (40 + n);
            curve.marks.push_back(mark);
        }
    }
    return curve;
}

/// As many plans as the window keeps, every one with the ops of a deep model.
std::shared_ptr<const ui::PlanFront> bigFront()
{
    auto front = std::make_shared<ui::PlanFront>();
    front->shape = kLayers;
    core::Schedule schedule = core::makeSchedule(*core::parseStrategy("every:1"), kLayers).value();
    for (int i = 0; i < 512; ++i)
        front->plans.push_back({schedule, (core::Bytes{1} << 20) * (40 + i), (core::Bytes{1} << 20) * (30 + i),
                                1'400'000'000 - 700'000LL * i, 512 - i});
    return front;
}

/// A frame time with its limit, which is part of what is printed.
bench::Row frameRow(const std::string &name, int limitMs, const std::function<void(int)> &frame)
{
    int i = 0;
    bench::Row row = bench::timed(name, kFrames, [&] { frame(i++); });
    const bool met = row.time.median <= limitMs * 1'000'000LL;
    row.note = "limit " + std::to_string(limitMs) + " ms" + (met ? "" : ": EXCEEDED");
    return row;
}

void stackRows(std::vector<bench::Row> &rows)
{
    auto recording = std::make_shared<const core::Recording>(bigRecording());
    std::shared_ptr<const ui::StackData> stack;
    rows.push_back(bench::timed("stack of 96 layers x 1M events: build", 3, [&] {
        stack = std::make_shared<ui::StackData>(*recording, ui::StackOptions{true, false, kLayers});
    }));
    ui::MemoryTimelinePlot plot;
    plot.resize(1200, 500);
    plot.show();
    plot.setStep(stack, recording, kLayers);
    QApplication::processEvents();
    rows.push_back(frameRow("stack of 96 layers x 1M events: frame", 50, [&](int) { plot.repaintNow(); }));
    const double end = plot.end();
    rows.push_back(frameRow("stack of 96 layers x 1M events: frame at 1 %", 50, [&](int i) {
        plot.setVisibleRange(end * (0.4 + 0.01 * i), end * (0.41 + 0.01 * i));
        plot.repaintNow();
    }));
}

void dragRows(std::vector<bench::Row> &rows)
{
    ui::TradeoffPlot plot;
    plot.resize(900, 380);
    plot.setCurve(bigCurve());
    plot.show();
    QApplication::processEvents();
    rows.push_back(frameRow("drag of the handle: overlay", 16, [&](int i) {
        plot.setChosen(ui::Selection::strategyFor(ui::HandleMode::segments, 1 + i));
        plot.repaintOverlay();
    }));
    ui::CurveData curve = bigCurve();
    curve.front = bigFront();
    curve.predictedUnit = 1e9;
    for (const ui::FrontPlan &plan : curve.front->plans)
        curve.best.emplace_back(static_cast<double>(plan.stepNs) / curve.predictedUnit, plan.activationPeak);
    plot.setCurve(curve);
    plot.setMode(ui::HandleMode::budget);
    QApplication::processEvents();
    rows.push_back(frameRow("drag of the budget line, 512 plans of 96 layers: overlay", 16, [&](int i) {
        plot.setChosen(QStringLiteral("budget:%1").arg((core::Bytes{1} << 20) * (60 + 20 * i)));
        plot.repaintOverlay();
    }));
}

} // namespace

int benchUi(bool json)
{
    // The main of the benchmarks knows no Qt; frames are measured without a screen.
    int argc = 1;
    char name[] = "remat_bench";
    char *argv[] = {name, nullptr};
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const std::unique_ptr<QApplication> application(qApp ? nullptr : new QApplication(argc, argv));
    ui::ThemeController theme;
    theme.start();
    std::vector<bench::Row> rows;
    stackRows(rows);
    dragRows(rows);
    bench::print(rows, json);
    const auto exceeded = [](const bench::Row &row) { return row.note.find("EXCEEDED") != std::string::npos; };
    return std::any_of(rows.begin(), rows.end(), exceeded) ? 1 : 0;
}
