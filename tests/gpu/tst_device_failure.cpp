// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <c10/util/Exception.h>

#include "gpu/support/engine_fixture.h"
#include "memory/cpu_account.h"
#include "support/test_registry.h"

using namespace remat;
using namespace remat::core;
using namespace remat::tests;

namespace {

/// A device that breaks: from a chosen wait on, every call ends with the same error, as CUDA's do after a fault in a kernel.
class BreakingDevice final : public gpu::DeviceParts
{
public:
    [[nodiscard]] c10::Device device() const override { return cpuDevice().device(); }
    [[nodiscard]] gpu::MemoryRecorder &recorder() override
    {
        check();
        return cpuDevice().recorder();
    }
    [[nodiscard]] gpu::StepTimer &timer() override { return cpuDevice().timer(); }
    void synchronise() override
    {
        broken = broken || breaksAtEnd;
        check();
    }
    void settle() override { check(); }
    [[nodiscard]] DeviceInfo info() const override
    {
        check();
        return cpuDevice().info();
    }
    void describe(Environment &) const override { check(); }
    [[nodiscard]] MemoryPressure pressure() const override
    {
        check();
        return cpuDevice().pressure();
    }

    bool breaksAtEnd = false; // of the next step
    bool broken = false;

private:
    void check() const { TORCH_CHECK(!broken, "CUDA error: an illegal memory access was encountered"); }
};

/// A recorder over a caching allocator that says what it held.
class FailingRecorder final : public gpu::MemoryRecorder
{
public:
    void start() override { m_cpu.start(); }
    void stop() override { m_cpu.stop(); }
    void setOp(std::uint32_t op, Phase phase) override { m_cpu.setOp(op, phase); }
    void setHint(Category hint) override { m_cpu.setHint(hint); }
    void tag(const void *data, Category category) override { m_cpu.tag(data, category); }
    void declare(const void *data, Bytes bytes, Category category) override { m_cpu.declare(data, bytes, category); }
    [[nodiscard]] Bytes held() const override { return m_cpu.held(); }
    [[nodiscard]] std::array<Bytes, kCategoryCount> heldByCategory() const override { return m_cpu.heldByCategory(); }
    [[nodiscard]] Bytes peak() const override { return m_cpu.peak(); }
    [[nodiscard]] const gpu::MemoryEventLog &log() const override { return m_cpu.log(); }
    [[nodiscard]] std::vector<std::string> names() const override { return m_cpu.names(); }
    void setBudget(Bytes budget) override { m_cpu.setBudget(budget); }
    [[nodiscard]] Bytes budget() const override { return m_cpu.budget(); }
    [[nodiscard]] std::string budgetKind() const override { return m_cpu.budgetKind(); }
    [[nodiscard]] AllocatorState takeFailure() override { return ++asked < 3 ? AllocatorState() : state; }

    AllocatorState state{1 << 30, 200 << 20, 50 << 20};
    int asked = 0; // when the model is made, before the step, and after its failure

private:
    gpu::MemoryRecorder &m_cpu = cpuDevice().recorder();
};

class RecordedDevice final : public gpu::DeviceParts
{
public:
    [[nodiscard]] c10::Device device() const override { return cpuDevice().device(); }
    [[nodiscard]] gpu::MemoryRecorder &recorder() override { return m_recorder; }
    [[nodiscard]] gpu::StepTimer &timer() override { return cpuDevice().timer(); }
    [[nodiscard]] DeviceInfo info() const override { return cpuDevice().info(); }
    void describe(Environment &environment) const override { cpuDevice().describe(environment); }
    [[nodiscard]] MemoryPressure pressure() const override { return cpuDevice().pressure(); }

private:
    FailingRecorder m_recorder;
};

} // namespace

class tst_device_failure : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void errorThatStays_isAResultOfEveryCall()
    {
        BreakingDevice device;
        const ModelConfig model = tinyGpt(2);
        const Schedule schedule = scheduleOf("every:1", 2);
        const auto workload = gpu::TorchWorkload::make(model, tinyWorkload(model), device).value();
        QVERIFY(workload->step(schedule, {})->status == RunStatus::done);
        device.breaksAtEnd = true;
        const auto step = workload->step(schedule, {});
        QVERIFY(!step);
        QVERIFY(step.error().code == ErrorCode::failed);
        QVERIFY2(step.error().message.find("illegal memory access") != std::string::npos
                     && step.error().message.find("in a new one") != std::string::npos,
                 step.error().message.c_str());
        const auto again = workload->step(schedule, {});
        QVERIFY(!again && again.error().message.ends_with('.'));
        QVERIFY(!workload->recordStep(schedule, {}));
        QVERIFY(!workload->prove(schedule, true));
        QCOMPARE(workload->environment().attentionKernel, std::string("unknown"));
        QCOMPARE(workload->pressure().majorFaults, std::int64_t(-1));
        QVERIFY(!gpu::TorchWorkload::make(model, tinyWorkload(model), device));
        device = {};
        QVERIFY(workload->reset().has_value()); // what the CPU can do and CUDA cannot
        QVERIFY(workload->step(schedule, {})->status == RunStatus::done);
    }

    void outOfMemory_saysWhatTheAllocatorHad()
    {
        RecordedDevice device;
        const ModelConfig model = tinyGpt(2);
        const auto workload = gpu::TorchWorkload::make(model, tinyWorkload(model), device).value();
        gpu::CpuAccount::instance().failAllocation(30);
        const auto outcome = workload->step(scheduleOf("none", 2), {});
        gpu::CpuAccount::instance().failAllocation(0);
        QVERIFY(outcome && outcome->status == RunStatus::doesNotFit);
        QVERIFY2(outcome->reason.ends_with("The allocator had reserved 1.00 GiB, 200 MiB of it free, the largest free "
                                           "block 50.0 MiB (fragmentation 0.75)."),
                 outcome->reason.c_str());
        QCOMPARE(outcome->failure.free, Bytes(200 << 20));
        QCOMPARE(outcome->failure.fragmentation(), 0.75);
    }

    void outOfMemory_onTheCpu_hasNoCachingAllocator()
    {
        const ModelConfig model = tinyGpt(2);
        const auto workload = prepared(model, tinyWorkload(model));
        gpu::CpuAccount::instance().failAllocation(30);
        const auto outcome = workload->step(scheduleOf("none", 2), {});
        gpu::CpuAccount::instance().failAllocation(0);
        QVERIFY(outcome->status == RunStatus::doesNotFit);
        QVERIFY(outcome->reason.find("allocator had") == std::string::npos);
        QCOMPARE(outcome->failure.reserved, Bytes(-1));
    }

    void pressure_onTheCpu_isThisProcess()
    {
        const ModelConfig model = tinyGpt(1);
        const MemoryPressure pressure = prepared(model, tinyWorkload(model))->pressure();
        QVERIFY(pressure.majorFaults >= 0);
        QCOMPARE(pressure.deviceTotal, Bytes(-1));
    }
};

REMAT_TEST(tst_device_failure);
#include "tst_device_failure.moc"
