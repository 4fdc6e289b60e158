// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace remat::gpu {

/// Who wants to know that an option rebuilds something inside its own backward: that work is recomputation, in time and
/// in memory. One listener a process, set by whoever runs a step; called on the thread that runs the backward.
class RebuildListener
{
public:
    virtual ~RebuildListener() = default;
    virtual void rebuildBegins() = 0;
    virtual void rebuildEnds() = 0;
};
void setRebuildListener(RebuildListener *listener);

/// Marks the recomputation of an option for as long as it lives.
class RebuildScope
{
public:
    RebuildScope();
    ~RebuildScope();
    RebuildScope(const RebuildScope &) = delete;
    RebuildScope &operator=(const RebuildScope &) = delete;
};

} // namespace remat::gpu
