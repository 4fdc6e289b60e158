// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "measure/recording.h"
#include "model/stage.h"

namespace remat::gpu {

/// Parts of a stage whose recomputation is told apart.
enum class StagePart { norm, attention, feedForward };

/// Who wants to know what a stage does while it runs. One listener a process, set by whoever runs a step; called on the
/// thread that runs the forward or the backward.
class StageListener
{
public:
    virtual ~StageListener() = default;
    /// An option rebuilds something inside its own backward: that work is recomputation, in time and in memory.
    virtual void rebuildBegins() = 0;
    virtual void rebuildEnds() = 0;
    virtual void partBegins(StagePart part) = 0;
    virtual void partEnds() = 0;
    /// Blocks from now on are for this; other: decided later.
    virtual void hint(core::Category category) = 0;
};
void setStageListener(StageListener *listener);

/// Each marks what happens as long as it lives. Rebuilds do not nest; of nested parts the outermost counts.
class RebuildScope
{
public:
    RebuildScope();
    ~RebuildScope();
    RebuildScope(const RebuildScope &) = delete;
    RebuildScope &operator=(const RebuildScope &) = delete;
};

class PartScope
{
public:
    explicit PartScope(StagePart part);
    ~PartScope();
    PartScope(const PartScope &) = delete;
    PartScope &operator=(const PartScope &) = delete;
};

class CategoryScope
{
public:
    explicit CategoryScope(core::Category category);
    ~CategoryScope();
    CategoryScope(const CategoryScope &) = delete;
    CategoryScope &operator=(const CategoryScope &) = delete;
};

} // namespace remat::gpu
