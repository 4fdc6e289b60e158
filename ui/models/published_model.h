// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "advice/claims.h"
#include "advice/device_peaks.h"
#include "advice/published.h"
#include "models/latest_task.h"
#include "models/text_table_model.h"

namespace remat::ui {

/// What published formulas are compared on: a setup, and what the open session knows of it.
struct PublishedQuestion
{
    core::ModelConfig model;
    core::Workload workload; // resolved
    std::optional<core::ChainCosts> probed;
    std::vector<core::Point> points; // measured under this workload
    core::DevicePeaks device;        // for times where nothing was probed
};

/// The comparison, or why there is none. A plain value.
struct PublishedAnswer
{
    std::vector<core::PublishedValue> values;
    std::vector<core::Claim> claims;
    bool roughTimes = false; // none was probed or measured
    QString problem;
};

/// Probed costs and measured points where there are any; else formula and published peaks, never both for times: then
/// points are left out. Any thread.
[[nodiscard]] PublishedAnswer publishedAnswer(const PublishedQuestion &question);

/// Published formulas and claims, one number a row, with the same number on the user's own setup beside it. GUI thread.
class PublishedModel : public TextTableModel
{
    Q_OBJECT
public:
    enum Column { Published, Formula, What, Says, Here, Error, ColumnCount };

    explicit PublishedModel(QObject *parent = nullptr);

    /// Computes on another thread; until then the rows from before stand.
    void ask(PublishedQuestion question);
    void clear(const QString &problem);
    [[nodiscard]] bool busy() const { return m_task.busy(); }
    /// Why there are no rows; one sentence.
    [[nodiscard]] const QString &problem() const { return m_problem; }
    [[nodiscard]] bool roughTimes() const { return m_rough; }

Q_SIGNALS:
    void answered();

private:
    void take(const PublishedAnswer &answer);
    [[nodiscard]] static Row rowOf(const core::PublishedValue &value, bool rough);
    [[nodiscard]] static Row rowOf(const core::Claim &claim, const core::ClaimedNumber &number, bool rough);

    LatestTask m_task;
    QString m_problem;
    bool m_rough = false;
};

} // namespace remat::ui
