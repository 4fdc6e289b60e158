// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

#include <QTemporaryDir>

#include "measure/sweep_loop.h"

namespace remat::tests {

/// A folder of its own with a session that a sweep of the fake engine fills. One thread.
class TempSession
{
public:
    TempSession();

    [[nodiscard]] const std::string &path() const { return m_path; }
    [[nodiscard]] std::string folder() const { return m_folder.path().toStdString(); }

    /// Measures the strategies on a tiny model of `layers` blocks and stores them; the points as the sweep returned them.
    std::vector<core::Point> measure(const std::vector<std::string> &strategies, int layers = 3,
                                     core::Bytes budget = 0);

    /// Runs SQL on the file as a stranger would; the first column of the first row, empty without one. Fails the caller
    /// with "error: …" as the result.
    std::string sql(const std::string &statement) const;

private:
    QTemporaryDir m_folder;
    std::string m_path;
};

/// A plan of the strategies on the tiny model.
[[nodiscard]] core::SweepPlan tinyPlan(const std::vector<std::string> &strategies, int layers);

/// The whole text of a recording, to compare two.
[[nodiscard]] std::string describe(const core::Recording &recording);

} // namespace remat::tests
