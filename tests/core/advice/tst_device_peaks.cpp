// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "advice/device_peaks.h"

#include <cmath>
#include <set>

#include "core/advice/advice_models.h"
#include "plan/planned_strategy.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

constexpr Nanoseconds kUntouched = -7;

/// Seconds that each of the two limits asks for, in long double and the other way round: rates per nanosecond.
Nanoseconds naiveTime(const WorkAmount &work, const DevicePeaks &device, bool full)
{
    const long double perNs = (full ? device.flopsFp32 : device.flopsHalf) / 1e9L;
    const long double computing = work.flops / perNs;
    const long double moving = work.bytesMoved / (device.bytesPerSecond / 1e9L);
    return static_cast<Nanoseconds>(std::floor((computing > moving ? computing : moving) + 0.5L));
}

void untouched(ChainCosts &costs)
{
    costs.loss.ns = costs.optimizerNs = kUntouched;
    for (StageCost &stage : costs.stages) {
        stage.forwardNs = kUntouched;
        for (auto &[id, option] : stage.options)
            option.forwardSaveNs = option.phantomNs = option.backwardNs = option.rebuildNs = kUntouched;
    }
}

} // namespace

class tst_device_peaks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rooflineTime_isTheLargerOfTheTwo()
    {
        std::srand(5);
        const auto any = [](double most) { return most * std::pow(10.0, -6.0 * std::rand() / RAND_MAX); };
        int bound = 0;
        for (int i = 0; i < 4000; ++i) {
            const DevicePeaks &device = deviceTable()[std::size_t(std::rand()) % deviceTable().size()];
            const WorkAmount work{any(1e15), any(1e13)};
            for (const Dtype dtype : {Dtype::fp32, Dtype::bf16, Dtype::fp16, Dtype::mixedBf16, Dtype::mixedFp16}) {
                const Nanoseconds time = rooflineTime(work, device, dtype);
                QVERIFY(std::abs(time - naiveTime(work, device, dtype == Dtype::fp32)) <= 1);
                bound += rooflineTime({0, work.bytesMoved}, device, dtype) == time ? 1 : 0;
            }
        }
        QVERIFY(bound > 1000 && bound < 19000); // both limits are met
        QCOMPARE(rooflineTime({}, deviceTable().front(), Dtype::fp32), Nanoseconds(0));
    }

    void fillTimes_coversEveryOption()
    {
        const DevicePeaks device = deviceNamed("rtx4090").value();
        for (const std::string &name : modelNames()) {
            const ModelConfig model = modelNamed(name, 2);
            Workload workload = workloadOf(model, 2, 64);
            workload.dtype = Dtype::mixedBf16;
            const auto formula = chainFormula(model, workload, plannableOptions(chainShape(model, workload))).value();
            ChainCosts costs = formula.costs;
            untouched(costs);
            fillTimes(costs, formula.work, device, workload.dtype);
            QCOMPARE(costs.loss.ns, naiveTime(formula.work.loss, device, false));
            QCOMPARE(costs.optimizerNs, naiveTime(formula.work.optimizer, device, false));
            QVERIFY(costs.source == CostSource::formula);
            for (std::size_t i = 0; i < costs.stages.size(); ++i) {
                const StageWork &work = formula.work.stages[i];
                QVERIFY(costs.stages[i].forwardNs > 0);
                QCOMPARE(costs.stages[i].forwardNs, naiveTime(work.forward, device, false));
                QVERIFY(costs.stages[i].options.size() > (i == 0 || i + 1 == costs.stages.size() ? 0U : 3U));
                for (const auto &[id, option] : costs.stages[i].options) {
                    const std::string what = name + ", stage " + std::to_string(i) + ", " + id;
                    QVERIFY2(work.options.contains(id), what.c_str());
                    const OptionWork &of = work.options.at(id);
                    QVERIFY2(option.forwardSaveNs == naiveTime(of.forwardSave, device, false)
                                 && option.phantomNs == naiveTime(of.phantom, device, false)
                                 && option.backwardNs == naiveTime(of.backward, device, false)
                                 && option.rebuildNs == naiveTime(of.rebuild, device, false),
                             what.c_str());
                    QVERIFY2(option.forwardSaveNs > 0 && option.backwardNs > 0, what.c_str());
                    QVERIFY2(option.phantomNs <= option.forwardSaveNs, what.c_str());
                    const bool drops = id.starts_with("drop_") || id.starts_with("lean_");
                    QVERIFY2(drops ? option.rebuildNs > 0 : option.rebuildNs >= 0, what.c_str());
                    QVERIFY2(!id.empty() || option.rebuildNs == 0, what.c_str());
                }
            }
        }
    }

    /// A schedule that reruns is slower than none by what it reruns.
    void fillTimes_leadsToTimesOfSteps()
    {
        const ModelConfig model = modelNamed("llama_8b", 4);
        const Workload workload = workloadOf(model, 4, 2048); // so that the update is a small part
        const auto forecast = byFormula("h100")(model, workload).value();
        QVERIFY(forecast.roughTimes && !forecast.approximate);
        const Simulation none = simulationOf("none", model, workload, forecast.costs);
        const Simulation every = simulationOf("every:1", model, workload, forecast.costs);
        QVERIFY(none.extraForwardNs == 0 && every.extraForwardNs > 0);
        const double longer = double(every.stepNs) / double(none.stepNs) - 1.0;
        QVERIFY2(longer > 0.15 && longer < 0.34, qPrintable(QString::number(longer)));
    }

    void deviceNamed_findsAllAndListsThem()
    {
        std::set<std::string_view> ids;
        for (const DevicePeaks &device : deviceTable()) {
            QVERIFY(ids.insert(device.id).second);
            QCOMPARE(deviceNamed(device.id)->name, device.name);
            QVERIFY(device.memory > 0 && device.bytesPerSecond > 0 && device.flopsFp32 > 0);
            QVERIFY(device.flopsHalf > device.flopsFp32);
            QVERIFY(!device.source.empty());
        }
        for (const char *unknown : {"", "H100", "h100 ", "tpu"}) {
            const auto none = deviceNamed(unknown);
            QVERIFY(!none && none.error().code == ErrorCode::usage);
            QVERIFY(none.error().message.ends_with('.'));
            for (const std::string_view id : ids)
                QVERIFY(none.error().message.find(id) != std::string::npos);
        }
    }
};

REMAT_TEST(tst_device_peaks);
#include "tst_device_peaks.moc"
