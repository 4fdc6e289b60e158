// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "formula/block_costs.h"

namespace remat::core::formula {

Result<std::unique_ptr<BlockCosts>> BlockCosts::make(Sibling sibling, const std::vector<std::string> &options)
{
    std::unique_ptr<BlockCosts> block(new BlockCosts(std::move(sibling)));
    const ModelConfig &model = block->m_costs.sibling().model;
    const Workload &workload = block->m_costs.sibling().workload;
    const auto run = [&](const Schedule &list) { return Result<StepRun>(StepRun(model, workload, list)); };
    if (auto ran = block->m_costs.run(options, run); !ran)
        return ran.error();
    Tape tape(workload.threads);
    const SizeModel sizes(model, workload, tape);
    block->m_formConstants = sizes.formConstantBytes();
    block->m_otherConstants = sizes.otherConstantBytes();
    block->m_inputBytes = sizes.inputBytes();
    return block;
}

StageWork BlockCosts::work(int stage) const
{
    StageWork result;
    result.forward = m_costs.rerunAll().memory(toString(Op{OpKind::forward, stage, {}}), 0).work;
    if (stage < m_costs.shape().firstTrainable)
        return result;
    m_costs.eachOption(stage, [&](const std::string &id, const StepRun &kept, const StepRun &phantom) {
        const std::string save = toString(Op{OpKind::forwardSave, stage, id});
        const OpAccount &back = kept.memory(toString(Op{OpKind::backward, stage, {}}), 0);
        result.options[id]
            = {kept.memory(save, 0).work, phantom.memory(save, 0).work, back.work - back.rebuilt, back.rebuilt};
    });
    return result;
}

} // namespace remat::core::formula
