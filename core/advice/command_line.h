// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/workload.h"

namespace remat::core {

/// A word as a POSIX shell reads it back: quoted where it must be.
[[nodiscard]] std::string shellWord(const std::string &text);

/// The shortest exact spelling of a size that parseBytes() reads: "24GiB", "200MiB", "123456".
[[nodiscard]] std::string sizeWord(Bytes bytes);

/// The options that give a resolved workload of a model back, with a blank before each: " --batch 8 --seq 1024". What
/// follows from the defaults or the config is left out, and threads where they are all `cores`.
[[nodiscard]] std::string workloadArguments(const Workload &workload, const ModelConfig &model, int cores);

} // namespace remat::core
