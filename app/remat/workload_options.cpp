// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "workload_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <utility>

#include <sched.h>

#include "base/host_memory.h"
#include "base/text.h"
#include "config/config_reader.h"
#include "json_file.h"
#include "model/static_memory.h"

namespace remat::app {

namespace {

using core::Error;
using core::ErrorCode;
using core::quoteText;
using core::Result;

Error usage(std::string message)
{
    return {ErrorCode::usage, std::move(message)};
}

Result<std::vector<std::int64_t>> parseList(const std::string &text, const char *option)
{
    std::vector<std::int64_t> numbers;
    std::size_t start = 0;
    while (start <= text.size()) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        std::int64_t number = 0;
        const char *end = text.data() + comma;
        const auto read = std::from_chars(text.data() + start, end, number);
        if (read.ec != std::errc() || read.ptr != end || number < 1)
            return usage(std::string(option) + " is " + quoteText(text)
                         + "; give one whole number above 0, or several with commas.");
        numbers.push_back(number);
        start = comma + 1;
    }
    return numbers;
}

Result<void> setDtype(const std::string &text, core::Workload &workload)
{
    if (text.empty()) {
        workload.dtype = workload.device == "cpu" ? core::Dtype::fp32 : core::Dtype::bf16;
        return {};
    }
    const auto dtype = core::dtypeFrom(text);
    if (!dtype)
        return dtype.error();
    workload.dtype = *dtype;
    return {};
}

Result<void> setAttention(const std::string &text, core::Workload &workload)
{
    const auto kernel = core::attentionFrom(text);
    if (!kernel)
        return kernel.error();
    workload.attention = *kernel;
    return {};
}

Result<void> setNames(const WorkloadOptions &options, core::Workload &workload)
{
    if (options.grads == "kept")
        workload.gradients = core::GradientRule::kept;
    else if (options.grads != "freed")
        return usage("--grads " + quoteText(options.grads) + " is unknown; allowed are freed and kept.");
    for (const auto &set : {setDtype(options.dtype, workload), setAttention(options.attention, workload),
                            parseOptimizer(options.optimizer, workload), parseLoss(options.loss, workload),
                            parseTrain(options.train, workload)})
        if (!set)
            return set;
    if (!options.memoryBudget.empty()) {
        const auto bytes = core::parseBytes(options.memoryBudget);
        if (!bytes)
            return bytes.error();
        workload.memoryBudget = *bytes;
    }
    return {};
}

/// What a run may hold: the budget, or on the CPU what the engine takes without one. Unknown for other devices: no limit.
core::Bytes availableFor(const core::Workload &workload)
{
    if (workload.memoryBudget > 0)
        return workload.memoryBudget;
    const core::Bytes budget = workload.device == "cpu" ? core::defaultCpuBudget() : 0;
    return budget > 0 ? budget : std::numeric_limits<core::Bytes>::max();
}

Result<std::vector<core::Strategy>> parseStrategies(const std::vector<std::string> &texts)
{
    std::vector<core::Strategy> strategies;
    for (const std::string &text : texts) {
        auto strategy = core::parseStrategy(text);
        if (!strategy)
            return strategy.error();
        const auto same = [&](const core::Strategy &other) { return other.text == strategy->text; };
        if (std::any_of(strategies.begin(), strategies.end(), same))
            return usage("The strategy " + strategy->text + " is named twice; every run of a sweep is another one.");
        strategies.push_back(std::move(*strategy));
    }
    return strategies;
}

/// A plan may be run on any workload with as many stages, but its budget was another's.
bool isPlanOfAnother(const core::Strategy &strategy, const core::SweepPlan &plan)
{
    if (strategy.kind != core::StrategyKind::file)
        return false;
    const auto json = readJsonFile(strategy.path);
    const auto file = json ? core::planFromJson(*json, strategy.path) : Result<core::PlanFile>(json.error());
    return file && !file->workloadHash.empty() && file->workloadHash != workloadHash(plan.model, plan.workload);
}

} // namespace

void WorkloadOptions::addTo(CLI::App &command)
{
    command.add_option("CONFIG", config, "model config: a config.json, or a folder that holds one")->required();
    command.add_option("--family", family, "family of a config that does not say");
    command.add_option("--vocab", vocabulary, "vocabulary of a config that does not say")->check(CLI::PositiveNumber);
    command.add_option("--layers", layers, "replace the number of layers")->check(CLI::PositiveNumber);
    command.add_option("--hidden-scale", hiddenScale, "scale width, heads and feed-forward width by F <= 1");
    command
        .add_option(
            "--batch", batch,
            "sequences per micro-batch; several with commas are several sweeps; max: the most that fit --memory-budget")
        ->capture_default_str();
    command.add_option("--seq", seq,
                       "tokens per sequence; several with commas (default: the smaller of positions and 256)");
    command.add_option("--micro-batches", workload.microBatches, "forward-backwards per step")->capture_default_str();
    command.add_option("--dtype", dtype,
                       "fp32, bf16, fp16, mixed-bf16 or mixed-fp16 (default: fp32 on the CPU, bf16 on CUDA)");
    command.add_option("--attention", attention, "math, sdpa, flash or efficient")->capture_default_str();
    command.add_option("--dropout", workload.dropout, "embedding and residual dropout (default: from the config)")
        ->check(CLI::Range(0.0, 1.0));
    command
        .add_option("--attention-dropout", workload.attentionDropout, "attention dropout (default: from the config)")
        ->check(CLI::Range(0.0, 1.0));
    command.add_option("--optimizer", optimizer, "none, sgd, sgd:MOMENTUM, adamw or adamw-per-tensor")
        ->capture_default_str();
    command.add_flag("--update-in-backward", workload.updateInBackward,
                     "update each parameter as soon as its gradient is complete");
    command.add_option("--loss", loss, "full, or chunked:N to compute head and loss in N parts")->capture_default_str();
    command.add_option("--train", train, "all, last:N blocks, or lora:RANK adapters")->capture_default_str();
    command.add_option("--grads", grads, "freed or kept between steps")->capture_default_str();
    command.add_option("--clip", workload.clip, "largest gradient norm")->check(CLI::PositiveNumber);
    command.add_option("--data", workload.data, "random, or a file whose bytes are the tokens")->capture_default_str();
    command.add_option("--seed", workload.seed, "seed of parameters, data and dropout")->capture_default_str();
    command.add_option("--device", workload.device, "cpu or cuda:N")->capture_default_str();
    command.add_option("--threads", workload.threads, "threads (default: the cores this process may use)")
        ->check(CLI::PositiveNumber);
    command.add_option("--memory-budget", memoryBudget, "most bytes a run may hold, such as 2GiB");
    command.add_option("--repeats", repeats, "timed steps (default: until the spread is small)")
        ->check(CLI::PositiveNumber);
    for (const CLI::Option *option : std::as_const(command).get_options())
        if (option->nonpositional())
            m_options.push_back(option);
}

Result<std::vector<core::SweepPlan>> WorkloadOptions::plans(const std::vector<std::string> &strategies,
                                                            Limit limit) const
{
    core::SweepPlan plan;
    plan.workload = workload;
    plan.repeats = repeats;
    if (auto set = setNames(*this, plan.workload); !set)
        return set.error();
    if (batch == kLargest && plan.workload.memoryBudget == 0)
        return usage("--batch max needs to know what must fit: add --memory-budget, for example 2GiB.");
    auto batches = parseList(batch == kLargest ? "1" : batch, "--batch");
    if (!batches)
        return batches.error();
    auto lengths
        = seq.empty() ? Result<std::vector<std::int64_t>>(std::vector<std::int64_t>{0}) : parseList(seq, "--seq");
    if (!lengths)
        return lengths.error();
    if (batch == kLargest && lengths->size() > 1)
        return usage("--batch max takes one sequence length; give a single number for --seq.");
    auto model = core::readModelConfig(config, core::ReadOptions{family, vocabulary});
    if (!model)
        return model.error();
    auto scaled = core::scaledDown(std::move(*model), layers, hiddenScale);
    if (!scaled)
        return scaled.error();
    plan.model = std::move(*scaled);
    auto parsed = parseStrategies(strategies);
    if (!parsed)
        return parsed.error();
    plan.strategies = std::move(*parsed);
    for (const core::Strategy &strategy : plan.strategies) {
        if (strategy.kind == core::StrategyKind::budget)
            continue; // planned once the costs are known
        if (auto schedule = makeSchedule(strategy, chainShape(plan.model)); !schedule)
            return schedule.error();
    }
    std::vector<core::SweepPlan> list;
    for (const std::int64_t b : *batches) {
        for (const std::int64_t s : *lengths) {
            core::SweepPlan each = plan;
            each.workload.batch = b;
            each.workload.seq = s;
            auto resolved = core::resolveWorkload(each.workload, each.model, usableCores());
            if (!resolved)
                return resolved.error();
            each.workload = std::move(*resolved);
            const core::Bytes available
                = limit == Limit::none ? std::numeric_limits<core::Bytes>::max() : availableFor(each.workload);
            if (auto fits = core::checkFits(each.model, each.workload, available); !fits)
                return fits.error();
            list.push_back(std::move(each));
        }
    }
    return list;
}

Result<core::SweepPlan> WorkloadOptions::onePlan(const std::string &strategy, Limit limit) const
{
    auto list = plans({strategy}, limit);
    if (!list)
        return list.error();
    if (list->size() != 1 || batch == kLargest)
        return usage("This command takes one batch and one sequence length; give a single number for each.");
    return std::move(list->front());
}

Result<void> WorkloadOptions::besideSession(const std::vector<std::string> &allowed) const
{
    for (const CLI::Option *option : m_options) {
        const std::string name = option->get_name();
        if (option->count() > 0 && std::find(allowed.begin(), allowed.end(), name) == allowed.end())
            return usage(name + " says nothing about " + quoteText(config)
                         + ": a session keeps its own workload; leave it out, or give the model config.");
    }
    return {};
}

int usableCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    std::ifstream limit("/sys/fs/cgroup/cpu.max");
    double quota = 0.0;
    double period = 0.0;
    if (limit >> quota >> period && quota > 0.0 && period > 0.0)
        cores = std::min(cores, std::max(1, static_cast<int>(std::ceil(quota / period))));
    return std::max(1, cores);
}

std::vector<std::string> notesFor(const core::SweepPlan &plan)
{
    std::vector<std::string> notes;
    if (plan.workload.device == "cpu" && plan.workload.attention == core::AttentionKernel::sdpa
        && plan.workload.attentionDropout > 0.0)
        notes.emplace_back("Note: attention dropout on the CPU forces the attention kernel whose memory grows with the "
                           "square of the sequence length.");
    if (plan.model.attentionSoftcap > 0.0)
        notes.push_back("Note: " + quoteText(plan.model.name)
                        + " caps its attention scores, which only the explicit products can; the kernel is math.");
    for (const core::Strategy &strategy : plan.strategies)
        if (isPlanOfAnother(strategy, plan))
            notes.push_back("Note: the plan " + quoteText(strategy.path)
                            + " was made for another workload; memory and time may be far from what it was made for.");
    if (plan.model.support != core::Support::full)
        notes.push_back("Note: " + plan.model.supportReason);
    return notes;
}

} // namespace remat::app
