// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/text.h"
#include "command.h"
#include "measure/json_fields.h"
#include "report/csv_writer.h"
#include "report/json_writer.h"
#include "store/session.h"

namespace remat::app {

namespace {

struct Options
{
    std::string session;
    std::string format;
    std::string output;
    bool json = false;
};

core::Result<std::string> exported(const Options &options)
{
    auto session = core::Session::open(options.session);
    if (!session)
        return session.error();
    auto runs = session->runs();
    if (!runs)
        return runs.error();
    if (options.format == "csv")
        return core::pointsAsCsv(*runs);
    auto workloads = session->workloads();
    if (!workloads)
        return workloads.error();
    return core::jsonText(core::exportJson(*workloads, *runs), 2) + "\n";
}

core::Result<void> writeFile(const std::string &path, const std::string &text)
{
    std::FILE *file = std::fopen(path.c_str(), "wb");
    const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int wrong = errno;
    const bool closed = file == nullptr || std::fclose(file) == 0;
    if (written && closed)
        return {};
    return core::Error{core::ErrorCode::failed,
                       core::quoteText(path, 200) + " could not be written (" + std::strerror(written ? errno : wrong)
                           + "); choose another file."};
}

int runExport(const Options &options)
{
    const auto text = exported(options);
    if (!text)
        return fail(text.error());
    if (options.output == "-") {
        std::fwrite(text->data(), 1, text->size(), stdout);
        return exitDone;
    }
    if (auto written = writeFile(options.output, *text); !written)
        return fail(written.error());
    if (options.json)
        printJson({{"format", options.format}, {"file", options.output}, {"bytes", text->size()}});
    return exitDone;
}

} // namespace

void addExportCommand(CLI::App &app, Action &action)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = addCommand(app, "export", "Write a session's points as data",
                                   "remat export runs.remat --format csv -o runs.csv");
    command->add_option("SESSION", options->session, "session file")->required();
    command->add_option("--format", options->format, "csv or json")->required()->check(CLI::IsMember({"csv", "json"}));
    command->add_option("-o,--output", options->output, "file to write; - for standard output")->required();
    command->add_flag("--json", options->json, "print what was written as one JSON document");
    command->callback([options, &action] { action = [options] { return runExport(*options); }; });
}

} // namespace remat::app
