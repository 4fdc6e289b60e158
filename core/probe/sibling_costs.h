// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "probe/probe_lists.h"
#include "probe/sibling.h"

namespace remat::core {

/// Costs of the stages of a sibling, from a few op lists that were run on it: by a device (a probe) or on sizes alone (the
/// formula). A `Run` is one such list and tells of its ops by their text:
///     memory(code, microBatch)   with transient(), activationChange(), gradientChange()
///     ns(code), rebuildNs(code)  0 where nothing was timed
///     nsBeside(code, run, its)   without what it rebuilds; as that run's op `its` where no difference shows
///     releasesInput(code)        nothing but the executor held the boundary before that stage
template <typename Run>
class SiblingCosts
{
public:
    explicit SiblingCosts(Sibling sibling) : m_sibling(std::move(sibling)) { }

    /// Runs the lists: `make(list)` yields a Result<Run>. keep_all and each of these options on the stages that have it.
    template <typename Make>
    [[nodiscard]] Result<void> run(const std::vector<std::string> &options, Make make)
    {
        for (auto &[list, slot] : {std::pair{keepAllList(shape(), {}), &m_keepAll},
                                   {rerunBlocksList(shape(), {}), &m_rerunBlocks},
                                   {rerunAllList(shape()), &m_rerunAll}}) {
            if (auto made = make(list); made)
                slot->emplace(std::move(*made));
            else
                return made.error();
        }
        for (const ProbeOptions &pair : pairUp(options, shape())) {
            auto keep = make(keepAllList(shape(), pair));
            auto rerun = keep ? make(rerunBlocksList(shape(), pair)) : Result<Run>(keep.error());
            if (!rerun)
                return rerun.error();
            m_options.push_back({pair, std::move(*keep), std::move(*rerun)});
        }
        return {};
    }

    /// Calls visit(Run &) for every list that was run.
    void eachRun(auto visit)
    {
        visit(*m_keepAll), visit(*m_rerunBlocks), visit(*m_rerunAll);
        for (OptionRuns &runs : m_options)
            visit(runs.keep), visit(runs.rerun);
    }

    [[nodiscard]] const Sibling &sibling() const { return m_sibling; }
    [[nodiscard]] const ChainShape &shape() const { return m_sibling.shape; }
    [[nodiscard]] const Run &keepAll() const { return *m_keepAll; }
    [[nodiscard]] const Run &rerunAll() const { return *m_rerunAll; }

    /// Calls visit(id, the run that keeps the stage's output, the run in which nobody reads it) for every option.
    void eachOption(int stage, auto visit) const
    {
        const bool edge = shape().layerOf(stage) < 0;
        visit(std::string(), *m_keepAll, edge ? *m_rerunAll : *m_rerunBlocks);
        for (const OptionRuns &runs : m_options)
            if (const std::string &id = runs.options.idFor(shape(), stage); !id.empty())
                visit(id, runs.keep, runs.rerun);
    }

    /// Costs of a stage of the sibling. An Error where the memory is not explained by what the stage keeps.
    [[nodiscard]] Result<StageCost> stage(int stage) const
    {
        StageCost cost;
        cost.output = m_sibling.boundary(stage + 1);
        cost.remembered = remembered(stage);
        const auto less = [&](Transient need) {
            return Transient{need.total - cost.remembered, need.activation - cost.remembered};
        };
        cost.forward = less(m_rerunAll->memory(forwardCode(stage), 0).transient());
        cost.forwardNs = m_rerunAll->ns(forwardCode(stage));
        if (stage < shape().firstTrainable)
            return cost;
        cost.gradientGrowth = m_keepAll->memory(backwardCode(stage), 0).gradientChange();
        Bytes rest = 0;
        eachOption(stage, [&](const std::string &id, const Run &kept, const Run &phantom) {
            OptionCost &each = cost.options[id] = option(stage, id, kept, phantom);
            const Bytes more = unexplained(stage, each, kept);
            // A graph that saved its own output (a pooler's tanh) lets it go with the backward as well.
            each.keepsOutput = more == -m_sibling.boundary(stage + 1);
            if (more != 0 && !each.keepsOutput)
                rest = more;
            each.forwardSave = less(each.forwardSave);
        });
        return rest == 0 ? Result<StageCost>(std::move(cost)) : unexplainedMemory(stage, rest);
    }

private:
    struct OptionRuns
    {
        ProbeOptions options;
        Run keep, rerun;
    };

    [[nodiscard]] Bytes remembered(int stage) const
    {
        if (stage < shape().firstTrainable)
            return 0;
        const Bytes dropped
            = stage > 0 && m_rerunAll->releasesInput(forwardCode(stage)) ? m_sibling.boundary(stage) : 0;
        return m_rerunAll->memory(forwardCode(stage), 0).activationChange() - m_sibling.boundary(stage + 1) + dropped;
    }

    [[nodiscard]] OptionCost option(int stage, const std::string &id, const Run &kept, const Run &phantom) const
    {
        const std::string save = toString(Op{OpKind::forwardSave, stage, id});
        const std::string back = backwardCode(stage);
        OptionCost cost;
        cost.keepsInput = stage == 0 || !phantom.releasesInput(save);
        const Bytes released = cost.keepsInput ? 0 : m_sibling.boundary(stage);
        cost.saved
            = kept.memory(save, 0).activationChange() - m_sibling.boundary(stage + 1) - remembered(stage) + released;
        cost.forwardSave = kept.memory(save, 0).transient();
        cost.forwardSavePhantom = phantom.memory(save, 0).transient();
        cost.backwardFirst = kept.memory(back, 0).transient();
        cost.backwardLater = kept.memory(back, m_sibling.laterMicroBatch()).transient();
        // Most options run keep_all's kernels besides what they rebuild: a planner would take one that is cheap by luck.
        const std::string plain = toString(Op{OpKind::forwardSave, stage, {}});
        cost.forwardSaveNs = kept.nsBeside(save, *m_keepAll, plain);
        cost.phantomNs = phantom.nsBeside(save, id.empty() ? phantom : *m_rerunBlocks, plain);
        cost.rebuildNs = kept.rebuildNs(back);
        cost.backwardNs = kept.nsBeside(back, *m_keepAll, back);
        return cost;
    }

    /// A backward swaps dy for dx and frees graph, remembered choice and pinned input; what else it changes is not known.
    [[nodiscard]] Bytes unexplained(int stage, const OptionCost &cost, const Run &kept) const
    {
        const Bytes input = m_sibling.boundary(stage);
        const Bytes pinned = stage > 0 && cost.keepsInput ? input : 0;
        const Bytes expected = (m_sibling.takesGradient(stage) ? input : 0) - m_sibling.boundary(stage + 1) - cost.saved
            - remembered(stage) - pinned;
        return kept.memory(backwardCode(stage), 0).activationChange() - expected;
    }

    Sibling m_sibling;
    std::optional<Run> m_keepAll, m_rerunBlocks, m_rerunAll;
    std::vector<OptionRuns> m_options;
};

} // namespace remat::core
