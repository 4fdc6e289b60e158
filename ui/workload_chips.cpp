// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "workload_chips.h"

#include <QLocale>

#include "models/setup_model.h"

namespace remat::ui {

namespace {

QString optimizerName(const core::Workload &workload)
{
    switch (workload.optimizer) {
    case core::OptimizerKind::none:
        return ChipBar::tr("no optimizer");
    case core::OptimizerKind::sgd:
        return QStringLiteral("SGD");
    case core::OptimizerKind::adamw:
        return QStringLiteral("AdamW");
    case core::OptimizerKind::adamwPerTensor:
        return ChipBar::tr("AdamW, per tensor");
    }
    return {};
}

} // namespace

std::vector<ChipBar::Chip> workloadChips(const core::ModelConfig &model, const core::Workload &workload)
{
    using F = SetupModel::Field;
    const auto id = [](F field) { return static_cast<int>(field); };
    const std::int64_t seq = workload.seq > 0 ? workload.seq : std::min<std::int64_t>(model.positions, 256);
    const double dropout = workload.dropout < 0 ? model.residualDropout : workload.dropout;
    const int threads = workload.threads > 0 ? workload.threads : usableCores();
    std::vector<ChipBar::Chip> chips{
        {ChipBar::tr("%1 · %2 × %3").arg(QString::fromStdString(model.name)).arg(model.layers).arg(model.width),
         id(F::layers)},
        {ChipBar::tr("batch %1 × %2").arg(workload.batch).arg(seq), id(F::batch)},
    };
    if (workload.microBatches > 1)
        chips.push_back({ChipBar::tr("%1 micro-batches").arg(workload.microBatches), id(F::microBatches)});
    chips.push_back({QString::fromUtf8(core::toString(workload.dtype).data()), id(F::dtype)});
    chips.push_back({ChipBar::tr("%1 attention").arg(QString::fromUtf8(core::toString(workload.attention).data())),
                     id(F::attention)});
    chips.push_back(
        {dropout > 0 ? ChipBar::tr("dropout %1").arg(QLocale().toString(dropout, 'g', 3)) : ChipBar::tr("no dropout"),
         id(F::dropout)});
    if (workload.train.kind == core::TrainKind::last)
        chips.push_back({ChipBar::tr("last %1 blocks").arg(workload.train.n), id(F::train)});
    if (workload.train.kind == core::TrainKind::lora)
        chips.push_back({ChipBar::tr("LoRA, rank %1").arg(workload.train.n), id(F::train)});
    if (workload.lossChunks > 0)
        chips.push_back({ChipBar::tr("loss in %1 chunks").arg(workload.lossChunks), id(F::loss)});
    chips.push_back({workload.updateInBackward ? ChipBar::tr("%1, updates in the backward").arg(optimizerName(workload))
                                               : optimizerName(workload),
                     workload.updateInBackward ? id(F::updateInBackward) : id(F::optimizer)});
    chips.push_back({workload.device == "cpu"
                         ? (threads == 1 ? ChipBar::tr("CPU · 1 thread") : ChipBar::tr("CPU · %1 threads").arg(threads))
                         : QString::fromStdString(workload.device),
                     id(F::device)});
    return chips;
}

} // namespace remat::ui
