// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "measure/sweep_loop.h"

namespace remat::app {

/// CONFIG and the workload as the command line spells them; texts are checked when plans are made of them.
struct WorkloadOptions
{
    std::string config;
    std::string family;
    static constexpr const char *kLargest = "max"; // `batch` then: each strategy's own; plans have batch 1

    std::string batch = "4";
    std::string seq;
    std::string dtype;
    std::string attention = "sdpa";
    std::string optimizer = "adamw";
    std::string grads = "freed";
    std::string loss = "full";
    std::string train = "all";
    std::string memoryBudget;
    std::int64_t vocabulary = 0;
    int layers = 0;
    double hiddenScale = 1.0;
    int repeats = 0;
    core::Workload workload; // options that need no translation

    /// Adds CONFIG and all options to a subcommand.
    void addTo(CLI::App &command);

    /// Must the model fit this machine? Not where nothing is run.
    enum class Limit { device, none };

    /// One plan for each pair of batch and sequence length, in the order given, each with the strategies.
    [[nodiscard]] core::Result<std::vector<core::SweepPlan>> plans(const std::vector<std::string> &strategies,
                                                                   Limit limit = Limit::device) const;

    /// The one plan of commands that look at a single workload; several, or `--batch max`, are refused.
    [[nodiscard]] core::Result<core::SweepPlan> onePlan(const std::string &strategy, Limit limit = Limit::device) const;

    /// A session keeps its own workload: an error that names the first option given beside it that is not `allowed`.
    [[nodiscard]] core::Result<void> besideSession(const std::vector<std::string> &allowed) const;

private:
    std::vector<const CLI::Option *> m_options; // those of addTo(); the subcommand owns them
};

/// Cores this process may use: its affinity and the limit of its control group.
[[nodiscard]] int usableCores();

/// What people should know about a plan before it runs, as sentences; empty most of the time.
[[nodiscard]] std::vector<std::string> notesFor(const core::SweepPlan &plan);

} // namespace remat::app
