// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>
#include <vector>

#include "measure/run_observer.h"

namespace remat::tests {

/// Keeps all that it is told; can fail on demand and call back in the middle of a sweep.
class RecordingObserver : public core::RunObserver
{
public:
    void progress(const core::Progress &progress) override
    {
        progresses.push_back(progress);
        if (onProgress)
            onProgress(progress);
    }
    core::Result<void> costs(const core::ChainCosts &costs) override
    {
        probed.push_back(costs);
        return {};
    }
    core::Result<std::int64_t> started(const core::Point &point, const core::Schedule &) override
    {
        startedPoints.push_back(point);
        return static_cast<std::int64_t>(startedPoints.size());
    }
    core::Result<void> finished(const core::FinishedRun &run) override
    {
        runs.push_back(run);
        if (!finishedError.empty())
            return core::Error{core::ErrorCode::failed, finishedError};
        return {};
    }

    std::vector<core::Progress> progresses;
    std::vector<core::ChainCosts> probed;
    std::vector<core::Point> startedPoints;
    std::vector<core::FinishedRun> runs;
    std::string finishedError;
    std::function<void(const core::Progress &)> onProgress;
};

} // namespace remat::tests
