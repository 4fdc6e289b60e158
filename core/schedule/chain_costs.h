// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/units.h"

namespace remat::core {

/// Where costs come from; a prediction states its source and sources never mix.
enum class CostSource { formula, probe, recorded, chainFile };

/// Bytes that an op needs above what is held before it (`total`), and the same without parameter gradients
/// (`activation`): the two memory axes of the program.
struct Transient
{
    Bytes total = 0;
    Bytes activation = 0;

    friend bool operator==(const Transient &, const Transient &) = default;
};

/// One way to run a stage with its graph recorded. `saved` excludes the stage's input and output.
struct OptionCost
{
    Bytes saved = 0;
    bool keepsInput = true;   // the graph pins the input boundary
    bool keepsOutput = false; // the graph pins the output boundary (literature chains)
    Transient forwardSave;
    Transient forwardSavePhantom; // output not computed
    Transient backwardFirst;      // first micro-batch: parameter gradients appear
    Transient backwardLater;      // they exist and are added to
    Nanoseconds forwardSaveNs = 0;
    Nanoseconds phantomNs = 0;
    Nanoseconds backwardNs = 0; // without what the option rebuilds
    Nanoseconds rebuildNs = 0;  // recomputation inside the backward

    friend bool operator==(const OptionCost &, const OptionCost &) = default;
};

/// One stage. Identical blocks have equal costs. `output` is the size of the boundary that leaves the stage; option ""
/// (keep_all) is always present.
struct StageCost
{
    Bytes output = 0;
    Transient forward;
    Nanoseconds forwardNs = 0;
    Bytes gradientGrowth = 0; // parameter gradients that appear in the first micro-batch's backward
    /// Bytes that appear as the stage's first execution of a micro-batch begins and go with its backward (a router's
    /// choice); 0 where nothing is run back. The transients above and below do not contain them.
    Bytes remembered = 0;
    std::map<std::string, OptionCost> options;

    friend bool operator==(const StageCost &, const StageCost &) = default;
};

/// Head and loss, forward and backward in one op. Afterwards the gradient of the last boundary is held.
struct LossCost
{
    Transient first;
    Transient later;
    Bytes gradientGrowth = 0;
    Nanoseconds ns = 0;

    friend bool operator==(const LossCost &, const LossCost &) = default;
};

/// All that the simulator needs to predict a step: stages, loss, and what surrounds the schedule. A plain value.
struct ChainCosts
{
    CostSource source = CostSource::probe;
    Bytes input = 0; // boundary 0, held throughout and part of staticBytes where a model is run
    std::vector<StageCost> stages;
    int firstTrainable
        = 0; // stages below have no gradient: only Forward, and their first trainable reader hands none on
    LossCost loss;
    Bytes staticBytes = 0; // held when the step starts
    Transient optimizer;
    Nanoseconds optimizerNs = 0;
    Nanoseconds otherNs = 0; // zeroing gradients and what lies between the ops
    int microBatches = 1;
    bool gradientsKept = false; // gradients exist at the start of every step

    friend bool operator==(const ChainCosts &, const ChainCosts &) = default;
};

[[nodiscard]] std::string_view toString(CostSource source);
[[nodiscard]] Json toJson(const ChainCosts &costs);
[[nodiscard]] Result<ChainCosts> costsFromJson(const Json &json, std::string_view what);

} // namespace remat::core
