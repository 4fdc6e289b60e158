// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "training/cost_probe.h"

#include "model/parameter_inventory.h"
#include "model/static_memory.h"
#include "probe/layer_kinds.h"
#include "training/block_probe.h"

namespace remat::gpu {

using core::Bytes;
using core::Category;
using core::ChainCosts;
using core::Nanoseconds;
using core::Result;

namespace {

using Probes = core::LayerKinds<BlockProbe>;

/// Parameters and optimizer state follow from the inventory, the rest was seen in the small models.
Bytes staticBytes(const Probes &probes, const core::ModelConfig &model, const core::Workload &workload)
{
    const core::Workload &small = probes.first().costs().sibling().workload;
    const auto &baseline = probes.first().costs().keepAll().recording().baseline;
    const auto seen = [&](Category category) { return baseline[static_cast<std::size_t>(category)]; };
    Bytes bytes = core::stateBytes(model, workload);
    bytes += seen(Category::input) / small.microBatches * workload.microBatches;
    bytes += seen(Category::workspace);
    bytes += probes.first().otherConstants() + (workload.microBatches - small.microBatches) * Bytes(sizeof(float));
    return bytes + probes.formConstants();
}

/// What lies between the ops, and the optimizer, whose time grows with the parameters.
void addTimes(const Probes &probes, const core::ModelConfig &model, const core::Workload &workload, ChainCosts &costs)
{
    const ProbeRun &keepAll = probes.first().costs().keepAll();
    const core::Sibling &sibling = probes.first().costs().sibling();
    const double growth = static_cast<double>(core::countParameters(model, workload.train).trainable)
        / static_cast<double>(core::countParameters(sibling.model, sibling.workload.train).trainable);
    const auto scaled = [growth](Nanoseconds ns) { return static_cast<Nanoseconds>(static_cast<double>(ns) * growth); };
    costs.otherNs = keepAll.betweenOps();
    for (const std::string &section : core::closingSections(workload))
        costs.optimizerNs += scaled(keepAll.ns(section, sibling.laterMicroBatch()));
    if (costs.gradientsKept)
        costs.otherNs += scaled(keepAll.ns("zero"));
}

} // namespace

Result<ChainCosts> probeCosts(const core::ModelConfig &model, const core::Workload &workload,
                              const std::vector<std::string> &options, DeviceParts &parts, std::stop_token stop)
{
    Probes probes(model, workload);
    auto made = probes.make(
        [&](int layer) { return BlockProbe::make(core::Sibling(model, workload, layer), options, parts, stop); });
    if (!made)
        return made.error();
    auto costs = probes.chainCosts(core::CostSource::probe);
    if (!costs)
        return costs.error();
    costs->staticBytes = staticBytes(probes, model, workload);
    addTimes(probes, model, workload, *costs);
    return costs;
}

} // namespace remat::gpu
