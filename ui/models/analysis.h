// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QTimer>

#include "models/curve_data.h"
#include "models/plan_desk.h"
#include "models/session_document.h"
#include "models/step_story.h"

namespace remat::ui {

/// What follows from the session and the selection, computed once for all pages: the curve, and the recorded step of the
/// strategy that is shown. While a handle moves, the step follows at most every 50 ms. Owned by the composition.
class Analysis : public QObject
{
    Q_OBJECT
public:
    Analysis(SessionDocument &document, Selection &selection, QObject *parent = nullptr);

    [[nodiscard]] const CurveData &curve() const { return m_curve; }
    /// The strategy under the handle, or the chosen one.
    [[nodiscard]] const QString &shown() const { return m_shown; }
    [[nodiscard]] const core::Point *point() const { return m_document.point(m_shown); }
    /// What the strategy runs, or for a budget that was not measured, what is planned for it; empty where neither is known.
    [[nodiscard]] std::optional<core::Schedule> schedule(const QString &strategy) const;
    /// What is planned for a budget; null for every other strategy, and where nothing fits.
    [[nodiscard]] const FrontPlan *plan(const QString &strategy) const;
    [[nodiscard]] const PlanDesk &plans() const { return m_plans; }
    [[nodiscard]] const std::shared_ptr<const core::Recording> &recording() const { return m_recording; }
    [[nodiscard]] std::shared_ptr<const StackData> stack(bool byLayer) const;
    [[nodiscard]] const std::optional<PeakSummary> &peak() const { return m_peak; }
    [[nodiscard]] std::vector<Advice> advice() const;
    [[nodiscard]] int layers() const { return m_document.layers(); }
    [[nodiscard]] core::ChainShape shape() const { return m_document.shape(); }

Q_SIGNALS:
    void curveChanged();
    void shownChanged();

private:
    void rebuildCurve();
    void rebuildStep();
    [[nodiscard]] core::Nanoseconds predictedStep() const;

    SessionDocument &m_document;
    Selection &m_selection;
    PlanDesk m_plans;
    CurveData m_curve;
    QString m_shown;
    QString m_pending;
    std::shared_ptr<const core::Recording> m_recording;
    std::optional<PeakSummary> m_peak;
    mutable std::array<std::shared_ptr<const StackData>, 2> m_stacks;
    QTimer m_throttle;
};

} // namespace remat::ui
