// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "measure/point.h"

namespace remat::core {

/// One setting of the curve, measured or predicted: memory of either axis, and time with its quartiles (predicted ones
/// have none: all three are equal).
struct Setting
{
    std::string strategy;
    Bytes memory = 0;
    StepTime step;
    Bytes peak = 0; // of everything, where `memory` is not that: what must fit; 0 for all: looks at `memory` alone
};

/// A setting that nobody should choose: another needs less memory, has no larger peak and is not slower.
struct Dominated
{
    std::string strategy;
    std::string by;
    double memoryFactor = 1.0; // > 1: its memory ÷ the other's
    double timeFactor = 1.0;   // its time ÷ the other's
    bool slower = false;       // the quartiles set the two apart
    bool measured = false;     // its time has a spread
    int bestSegments = 0;      // segments:K alone: the K* of the smallest memory where K lies beyond it, else 0
};

/// All dominated settings in the order given. Of several that dominate one, the named one is of the same family where
/// there is one, and needs the least memory. "Not slower" means that its median is at most 2 % above the other's and
/// that the quartiles do not show it to be slower.
[[nodiscard]] std::vector<Dominated> dominatedSettings(const std::vector<Setting> &settings);

/// What a strategy is called in a sentence; the default is as the command line spells it.
using Titles = std::function<std::string(const std::string &strategy)>;

/// "segments:6 needs 2.5× the memory of segments:2 and is no faster; it lies beyond k* = 1: …".
/// `memory` names what the settings were compared by.
[[nodiscard]] std::string sentence(const Dominated &dominated, const Titles &title = {},
                                   const std::string &memory = "memory");

/// Finished points as settings, by the activation peak (kActivationMemory in a sentence) or by everything.
[[nodiscard]] std::vector<Setting> settingsOf(const std::vector<Point> &points, bool activationsOnly);

inline constexpr const char *kActivationMemory = "activation memory";

/// How far predicted step times were off: predicted ÷ measured - 1. `toNone`: both sides relative to their own `none`, which
/// takes out what slowed the machine down as a whole between the probe and the runs.
struct TimeErrors
{
    struct Spread
    {
        double low = 0.0;
        double median = 0.0;
        double high = 0.0;
        int within = 0; // of all, those of at most kTimeTarget
        int n = 0;
    };
    Spread plain;
    std::optional<Spread> toNone;
};
inline constexpr double kTimeTarget = 0.05;

/// Of finished points with a prediction, all of one workload; empty for fewer than two.
[[nodiscard]] std::optional<TimeErrors> timeErrors(const std::vector<Point> &points);
[[nodiscard]] std::string sentence(const TimeErrors &errors);

/// How a setting compares with the fastest plan that needs no more memory: "6.0 % above the best possible at this memory".
/// Within half a percent it is called the best possible. `bestNs` comes from a planner on the same costs as `stepNs`.
[[nodiscard]] std::string aboveBestWords(Nanoseconds stepNs, Nanoseconds bestNs);

} // namespace remat::core
