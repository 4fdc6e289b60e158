// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule/schedule_builder.h"

namespace remat::core {

ScheduleBuilder::ScheduleBuilder(int stages, int firstTrainable, OptionRule optionOf)
    : m_firstTrainable(firstTrainable), m_optionOf(std::move(optionOf))
{
    m_schedule.stages = stages;
}

void ScheduleBuilder::forward(int first, int last)
{
    for (int stage = first; stage <= last; ++stage)
        m_schedule.ops.push_back({OpKind::forward, stage, {}});
}

void ScheduleBuilder::save(int first, int last)
{
    for (int stage = first; stage <= last; ++stage) {
        if (isFrozen(stage))
            forward(stage, stage);
        else
            m_schedule.ops.push_back({OpKind::forwardSave, stage, m_optionOf ? m_optionOf(stage) : std::string()});
    }
}

void ScheduleBuilder::loss()
{
    m_schedule.ops.push_back({OpKind::loss, -1, {}});
}

void ScheduleBuilder::backward(int last, int first)
{
    for (int stage = last; stage >= first && !isFrozen(stage); --stage)
        m_schedule.ops.push_back({OpKind::backward, stage, {}});
}

Schedule groupedSchedule(ScheduleBuilder builder, const std::vector<StageGroup> &groups)
{
    for (const StageGroup &group : groups)
        group.rerun ? builder.forward(group.first, group.last) : builder.save(group.first, group.last);
    builder.loss();
    for (auto group = groups.rbegin(); group != groups.rend() && !builder.isFrozen(group->last); ++group) {
        if (group->rerun)
            builder.save(group->first, group->last);
        builder.backward(group->last, group->first);
    }
    return builder.take();
}

} // namespace remat::core
