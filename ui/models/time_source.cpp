// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/time_source.h"

#include <utility>

namespace remat::ui {

core::Result<core::CostsAt> costsByFormula(const QString &device)
{
    const auto known = core::deviceNamed(device.toStdString());
    if (!known)
        return known.error();
    return core::CostsAt([device = *known](const core::ModelConfig &model, const core::Workload &workload) {
        return core::formulaForecast(model, workload, device);
    });
}

QString deviceName(const QString &device)
{
    const auto known = core::deviceNamed(device.toStdString());
    return known ? QString::fromUtf8(known->name.data(), static_cast<qsizetype>(known->name.size())) : device;
}

core::CostsAt stoppable(core::CostsAt costsAt, std::stop_token stop)
{
    return [costsAt = std::move(costsAt), stop = std::move(stop)](const core::ModelConfig &model,
                                                                  const core::Workload &workload) {
        if (stop.stop_requested())
            return core::Result<core::Forecast>(core::Error{core::ErrorCode::failed, "Stopped."});
        return costsAt(model, workload);
    };
}

} // namespace remat::ui
