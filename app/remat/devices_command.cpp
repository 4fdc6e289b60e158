// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <memory>

#include "command.h"
#include "engine_library.h"
#include "measure/runner_message.h"
#include "point_table.h"

namespace remat::app {

namespace {

int runDevices(bool json)
{
    auto engine = openEngine("cuda:0", 0);
    if (!engine)
        return fail(engine.error());
    core::Json list = core::Json::array();
    std::vector<std::vector<std::string>> rows{{"device", "name", "memory", "free", "usable"}};
    for (const core::DeviceInfo &device : (*engine)->devices()) {
        list.push_back(toJson(device));
        const bool known = device.totalBytes > 0;
        rows.push_back({device.id, device.name, known ? core::formatBytes(device.totalBytes) : "-",
                        known ? core::formatBytes(device.freeBytes) : "-",
                        device.usable ? "yes" : "no: " + device.why});
    }
    if (json)
        printJson({{"devices", std::move(list)}});
    else
        std::fputs(table(rows).c_str(), stdout);
    return exitDone;
}

} // namespace

void addDevicesCommand(CLI::App &app, Action &action)
{
    auto json = std::make_shared<bool>(false);
    CLI::App *command = addCommand(app, "devices", "List what can be used, and why not", "remat devices --json");
    command->add_flag("--json", *json, "print one JSON document");
    command->callback([json, &action] { action = [json] { return runDevices(*json); }; });
}

} // namespace remat::app
