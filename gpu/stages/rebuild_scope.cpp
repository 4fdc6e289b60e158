// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "stages/rebuild_scope.h"

#include <atomic>

namespace remat::gpu {

namespace {

std::atomic<RebuildListener *> g_listener{nullptr};

} // namespace

void setRebuildListener(RebuildListener *listener)
{
    g_listener.store(listener);
}

RebuildScope::RebuildScope()
{
    if (RebuildListener *listener = g_listener.load())
        listener->rebuildBegins();
}

RebuildScope::~RebuildScope()
{
    if (RebuildListener *listener = g_listener.load())
        listener->rebuildEnds();
}

} // namespace remat::gpu
