// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/plan_advice.h"

#include <QCoreApplication>

#include "advice/remarks.h"
#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

/// What no clock would tell apart.
constexpr double kWorthwhile = 0.005;

QString tr(const char *text)
{
    return QCoreApplication::translate("remat::ui::Story", text);
}

QString timeOf(double time, const CurveData &curve)
{
    return curve.relative ? factorText(time) : durationText(static_cast<core::Nanoseconds>(time * 1e6));
}

void addOfPlan(std::vector<Advice> &list, const CurveMark &own, const CurveData &curve)
{
    const CurveMark *measured = curve.fastestMeasured(own.budget);
    const QString budget = bytesText(own.budget);
    if (own.kind == MarkKind::predicted && measured)
        list.push_back({tr("The fastest measured within %1 is %2 at %3; this plan is predicted to take %4.")
                            .arg(budget, strategyLabel(measured->strategy), timeOf(measured->time, curve),
                                 timeOf(own.time, curve)),
                        {}});
    else if (own.kind == MarkKind::predicted)
        list.push_back({tr("No measured setting stays within %1; this plan is predicted to take %2.")
                            .arg(budget, timeOf(own.time, curve)),
                        {}});
    else if (measured && measured->strategy != own.strategy && measured->timeHigh < own.timeLow)
        list.push_back({tr("Within %1, %2 was measured to be faster: %3.")
                            .arg(budget, strategyLabel(measured->strategy), timeOf(measured->time, curve)),
                        measured->strategy});
    else if (own.kind == MarkKind::measured)
        list.push_back({tr("Nothing measured within %1 is faster.").arg(budget), {}});
}

} // namespace

std::vector<Advice> planAdvice(const CurveMark &own, const CurveData &curve, core::Nanoseconds predictedNs)
{
    std::vector<Advice> list;
    if (own.kind == MarkKind::failed || !curve.front)
        return list;
    if (own.family == MarkFamily::plan) {
        addOfPlan(list, own, curve);
        return list;
    }
    const FrontPlan *plan = own.peak > 0 ? curve.front->fastestWithin(own.peak) : nullptr;
    if (!plan || predictedNs <= 0)
        return list;
    const double planned = static_cast<double>(plan->stepNs) / curve.predictedUnit;
    const double spread = std::max(own.timeHigh - own.timeLow, kWorthwhile * own.time);
    const bool slower = static_cast<double>(predictedNs) > (1.0 + kWorthwhile) * static_cast<double>(plan->stepNs);
    QString above = QString::fromStdString(core::aboveBestWords(predictedNs, plan->stepNs));
    if (!curve.front->withOptions) {
        if (!slower) // than what was probed; others may be faster
            return list;
        above = tr("at least %1").arg(above);
    }
    if (own.time - planned > spread && slower)
        list.push_back({tr("A plan within the same %1 in all runs at %2 (predicted): this is %3.")
                            .arg(bytesText(own.peak), timeOf(planned, curve), above),
                        u"budget:%1"_s.arg(own.peak)});
    else
        list.push_back({tr("By prediction this is %1.").arg(above), {}});
    return list;
}

} // namespace remat::ui
