// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "store/session_writer.h"

#include <csignal>
#include <random>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/session.h"
#include "support/fake_backend.h"
#include "support/temp_session.h"
#include "support/test_registry.h"

using namespace remat::core;
using namespace remat::tests;

namespace {

/// A run with enough events that its transaction takes a while.
FinishedRun largeRun(const SweepPlan &plan)
{
    FinishedRun run;
    run.schedule = makeSchedule(plan.strategies[0], plan.model.layers).value();
    run.point.strategy = "none";
    run.point.status = RunStatus::done;
    run.recording.names = {"a"};
    run.recording.ops.resize(400);
    for (std::uint32_t i = 0; i < 60'000; ++i) {
        const Bytes bytes = i % 2 == 0 ? 1000 + i : -Bytes(1000 + i - 1);
        run.recording.events.push_back(
            {i * 7919 % 100'003, bytes, i / 2, i / 150, 0, Category::temporary, Phase::forward});
    }
    run.point.peakBytes = peaksOf(run.recording).peak;
    return run;
}

[[noreturn]] void writeForEver(const std::string &path)
{
    const SweepPlan plan = tinyPlan({"none"}, 3);
    FinishedRun run = largeRun(plan);
    while (true) {
        auto writer = SessionWriter::open(path);
        if (!writer || !(*writer)->beginSweep(plan))
            _exit(1);
        for (int i = 0; i < 4; ++i) {
            const auto id = (*writer)->started(run.point, run.schedule);
            if (!id)
                _exit(2);
            run.point.run = *id;
            if (!(*writer)->finished(run))
                _exit(3);
        }
    }
}

} // namespace

class tst_session_crash : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void killedAtRandomMoments_leavesWholeRunsOnly()
    {
        TempSession file;
        std::mt19937 random(20261129);
        int interrupted = 0;
        // On a busy machine a child may not get as far as a run: then more rounds, with more time.
        for (int round = 0; round < 25 || (interrupted == 0 && round < 250); ++round) {
            const pid_t child = fork();
            if (child == 0)
                writeForEver(file.path());
            usleep(
                static_cast<useconds_t>(std::uniform_int_distribution<int>(500, 120'000 * (1 + round / 25))(random)));
            QCOMPARE(kill(child, SIGKILL), 0);
            int status = 0;
            waitpid(child, &status, 0);
            QVERIFY(WIFSIGNALED(status)); // it was still writing, not stopped by an error of its own
            if (!QFile::exists(QString::fromStdString(file.path())))
                continue; // killed before the first session was whole
            const auto check = Session::check(file.path());
            QVERIFY2(check.has_value(), check ? "" : check.error().message.c_str());
            QVERIFY2(check->ok, check->problems.empty() ? "" : check->problems[0].c_str());
            {
                auto writer = SessionWriter::open(file.path()); // the dead process holds no lock
                QVERIFY2(writer.has_value(), writer ? "" : writer.error().message.c_str());
            }
            const auto session = Session::open(file.path());
            const auto runs = session->runs();
            for (const StoredRun &run : runs.value()) {
                const bool done = run.point.status == RunStatus::done;
                QVERIFY(done || run.point.status == RunStatus::interrupted);
                QVERIFY(run.point.run > 0);
                interrupted += done ? 0 : 1;
            }
            QCOMPARE(file.sql("PRAGMA integrity_check"), std::string("ok"));
            QCOMPARE(file.sql("SELECT count(*) FROM result"),
                     file.sql("SELECT count(*) FROM points WHERE status = 'done'"));
            if (file.sql("SELECT count(*) FROM run").size() > 2)
                QFile::remove(QString::fromStdString(file.path())); // keeps the check of all events short
        }
        QVERIFY(interrupted > 0);
    }

    void fullDisk_isASentenceAndNoHalfRun()
    {
        TempSession file;
        file.measure({"none"});
        int pipes[2];
        QCOMPARE(pipe(pipes), 0);
        const pid_t child = fork();
        if (child == 0) {
            // A limit on the file's size is what a full disk is to SQLite: a write that fails in the middle.
            signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{400'000, 400'000};
            setrlimit(RLIMIT_FSIZE, &limit);
            const SweepPlan plan = tinyPlan({"none"}, 3);
            FinishedRun run = largeRun(plan);
            auto writer = SessionWriter::open(file.path());
            if (!writer || !(*writer)->beginSweep(plan))
                _exit(1);
            for (int i = 0; i < 50; ++i) {
                auto id = (*writer)->started(run.point, run.schedule);
                auto finished = id ? Result<void>() : Result<void>(id.error());
                if (id) {
                    run.point.run = *id;
                    finished = (*writer)->finished(run);
                }
                if (!finished) {
                    const std::string &message = finished.error().message;
                    _exit(::write(pipes[1], message.data(), message.size()) > 0 ? 0 : 3);
                }
            }
            _exit(2);
        }
        int status = 0;
        waitpid(child, &status, 0);
        ::close(pipes[1]);
        char text[500] = {};
        const auto size = ::read(pipes[0], text, sizeof text - 1);
        ::close(pipes[0]);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        QVERIFY(size > 0);
        const std::string message(text, static_cast<std::size_t>(size));
        QVERIFY2(message.find("disk") != std::string::npos && message.ends_with('.'), message.c_str());
        const auto check = Session::check(file.path());
        QVERIFY2(check.has_value() && check->ok, message.c_str());
        auto writer = SessionWriter::open(file.path());
        QVERIFY(writer.has_value());
        QCOMPARE(file.sql("SELECT count(*) FROM points WHERE status NOT IN ('done', 'interrupted')"), std::string("0"));
    }
};

REMAT_TEST(tst_session_crash);
#include "tst_session_crash.moc"
