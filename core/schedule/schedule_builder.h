// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace remat::core {

/// A run of stages [first, last] that is either kept whole or rerun whole from its first input.
struct StageGroup
{
    int first = 0;
    int last = 0;
    bool rerun = false;
};

/// Appends runs of ops to a schedule; the one place that knows that stages below the first trainable one are only run
/// forward, whatever a rule says of them. `optionOf` names the option of each stage's ForwardSave. A short-lived value.
class ScheduleBuilder
{
public:
    using OptionRule = std::function<std::string(int stage)>;

    ScheduleBuilder(int stages, int firstTrainable, OptionRule optionOf = {});

    void forward(int first, int last);
    void save(int first, int last);
    void loss();
    /// Backwards of `last` down to `first`; none below the first trainable stage.
    void backward(int last, int first);

    [[nodiscard]] bool isFrozen(int stage) const { return stage < m_firstTrainable; }
    [[nodiscard]] Schedule take() { return std::move(m_schedule); }

private:
    int m_firstTrainable;
    OptionRule m_optionOf;
    Schedule m_schedule;
};

/// The schedule in which each group (they cover all stages, in order) is kept, or rerun once when its backward comes.
[[nodiscard]] Schedule groupedSchedule(ScheduleBuilder builder, const std::vector<StageGroup> &groups);

} // namespace remat::core
