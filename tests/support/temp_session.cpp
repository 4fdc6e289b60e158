// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temp_session.h"

#include <memory>
#include <sstream>

#include <sqlite3.h>

#include "store/session_writer.h"
#include "support/fake_backend.h"

namespace remat::tests {

using namespace core;

TempSession::TempSession() : m_path(m_folder.filePath("test.remat").toStdString()) { }

std::vector<Point> TempSession::measure(const std::vector<std::string> &strategies, int layers, Bytes budget)
{
    auto behaviour = std::make_shared<FakeBehaviour>();
    behaviour->budget = budget;
    FakeBackend backend(behaviour);
    const SweepPlan plan = tinyPlan(strategies, layers);
    auto writer = SessionWriter::open(m_path);
    if (!writer || !(*writer)->beginSweep(plan))
        return {};
    auto points = runSweep(plan, backend, **writer, {});
    return points ? *points : std::vector<Point>();
}

std::string TempSession::sql(const std::string &statement) const
{
    sqlite3 *db = nullptr;
    std::string result;
    char *message = nullptr;
    const auto take = [](void *target, int, char **values, char **) {
        auto &text = *static_cast<std::string *>(target);
        if (text.empty() && values[0] != nullptr)
            text = values[0];
        return 0;
    };
    if (sqlite3_open(m_path.c_str(), &db) != SQLITE_OK
        || sqlite3_exec(db, statement.c_str(), take, &result, &message) != SQLITE_OK)
        result = std::string("error: ") + (message != nullptr ? message : sqlite3_errmsg(db));
    sqlite3_free(message);
    sqlite3_close(db);
    return result;
}

SweepPlan tinyPlan(const std::vector<std::string> &strategies, int layers)
{
    SweepPlan plan;
    plan.model = tinyModel(layers);
    plan.workload = resolveWorkload({}, plan.model, 2).value();
    for (const std::string &text : strategies)
        plan.strategies.push_back(parseStrategy(text).value());
    return plan;
}

std::string describe(const Recording &recording)
{
    std::ostringstream text;
    for (const Bytes bytes : recording.baseline)
        text << bytes << ' ';
    for (const std::string &name : recording.names)
        text << name << ' ';
    for (const OpRecord &op : recording.ops) {
        text << op.code << ' ' << op.stage << ' ' << op.microBatch << ' ' << int(op.phase) << ' ' << op.begin << ' '
             << op.end << ' ' << op.rebuildNs << ' ' << op.heldBefore << ' ' << op.peak << ' ' << op.heldAfter << '\n';
    }
    for (const MemoryEvent &event : recording.events) {
        text << event.ns << ' ' << event.bytes << ' ' << event.block << ' ' << event.op << ' ' << event.name << ' '
             << int(event.category) << ' ' << int(event.phase) << '\n';
    }
    text << recording.synchronised;
    return text.str();
}

} // namespace remat::tests
