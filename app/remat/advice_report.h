// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/claims.h"
#include "advice/goal.h"
#include "advice/levers.h"
#include "advice/reach.h"

namespace remat::app {

// Advice on the terminal; the JSON forms are core's.
void printEstimate(const core::Estimate &estimate, const std::string &strategy, bool withSaving);
void printReach(const core::ReachTable &table);
void printGoal(const core::GoalAnswer &answer, const std::string &command);
void printPublished(const std::vector<core::PublishedValue> &values);
void printClaims(const std::vector<core::Claim> &claims);

/// Levers beside what running them gave; `points` holds `none` as it is and then with each lever, in their order.
void printLevers(const core::Limits &limits, const std::vector<core::Point> &points);

} // namespace remat::app
