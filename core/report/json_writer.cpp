// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "report/json_writer.h"

namespace remat::core {

Json storedRunJson(const StoredRun &run)
{
    Json json = toJson(run.point);
    json["workload"] = run.workload;
    json["started_at"] = run.startedAt;
    json["note"] = run.note;
    json["starred"] = run.starred;
    json["hidden"] = run.hidden;
    return json;
}

Json exportJson(const std::vector<StoredWorkload> &workloads, const std::vector<StoredRun> &runs)
{
    Json document{{"format", "remat-export"}, {"version", 1}, {"workloads", Json::array()}, {"points", Json::array()}};
    for (const StoredWorkload &stored : workloads) {
        document["workloads"].push_back({{"workload", stored.id},
                                         {"hash", stored.hash},
                                         {"model", toJson(stored.model)},
                                         {"settings", toJson(stored.workload)}});
    }
    for (const StoredRun &run : runs)
        document["points"].push_back(storedRunJson(run));
    return document;
}

} // namespace remat::core
