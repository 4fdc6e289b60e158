// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "measure/sweep_loop.h"
#include "support/fake_backend.h"
#include "support/recording_observer.h"

namespace remat::tests {

/// A sweep of a tiny model on the fake engine, with everything that happened in it.
struct SweepFixture
{
    explicit SweepFixture(const std::vector<std::string> &strategies, int layers = 4)
    {
        plan.model = tinyModel(layers);
        plan.workload = core::resolveWorkload({}, plan.model, 2).value();
        for (const std::string &text : strategies)
            plan.strategies.push_back(core::parseStrategy(text).value());
    }

    core::Result<std::vector<core::Point>> run() { return core::runSweep(plan, backend, observer, source.get_token()); }

    /// Predicted peak of a strategy, static part included.
    [[nodiscard]] core::Bytes peakOf(const std::string &strategy) const;
    [[nodiscard]] core::Schedule scheduleOf(const std::string &strategy) const
    {
        return core::makeSchedule(core::parseStrategy(strategy).value(), core::chainShape(plan.model, plan.workload))
            .value();
    }

    core::SweepPlan plan;
    std::shared_ptr<FakeBehaviour> behaviour = std::make_shared<FakeBehaviour>();
    FakeBackend backend{behaviour};
    RecordingObserver observer;
    std::stop_source source;
};

} // namespace remat::tests
