// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/stage_marks.h"

#include <atomic>

namespace remat::gpu {

namespace {

std::atomic<StageListener *> g_listener{nullptr};

/// A mark on a device may throw, but these ends are reached by an exception as well: the first one counts.
void endQuietly(void (StageListener::*end)()) noexcept
{
    StageListener *listener = g_listener.load();
    if (!listener)
        return;
    try {
        (listener->*end)();
    } catch (...) { // NOLINT(bugprone-empty-catch)
    }
}

} // namespace

void setStageListener(StageListener *listener)
{
    g_listener.store(listener);
}

RebuildScope::RebuildScope()
{
    if (StageListener *listener = g_listener.load())
        listener->rebuildBegins();
}

RebuildScope::~RebuildScope()
{
    endQuietly(&StageListener::rebuildEnds);
}

PartScope::PartScope(StagePart part)
{
    if (StageListener *listener = g_listener.load())
        listener->partBegins(part);
}

PartScope::~PartScope()
{
    endQuietly(&StageListener::partEnds);
}

CategoryScope::CategoryScope(core::Category category)
{
    if (StageListener *listener = g_listener.load())
        listener->hint(category);
}

CategoryScope::~CategoryScope()
{
    if (StageListener *listener = g_listener.load())
        listener->hint(core::Category::other);
}

} // namespace remat::gpu
