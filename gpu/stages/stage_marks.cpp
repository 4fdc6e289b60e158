// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/stage_marks.h"

#include <atomic>

namespace remat::gpu {

namespace {

std::atomic<StageListener *> g_listener{nullptr};

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
    if (StageListener *listener = g_listener.load())
        listener->rebuildEnds();
}

PartScope::PartScope(StagePart part)
{
    if (StageListener *listener = g_listener.load())
        listener->partBegins(part);
}

PartScope::~PartScope()
{
    if (StageListener *listener = g_listener.load())
        listener->partEnds();
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
