// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "app/remat_process.h"

#include <memory>

#include <QFile>

namespace remat::tests {

core::Json Finished::json() const
{
    auto document
        = core::parseJson(std::string_view(out.constData(), static_cast<std::size_t>(out.size())), "the output");
    return document ? *document : core::Json(nullptr);
}

RematProcess::RematProcess() : m_environment(QProcessEnvironment::systemEnvironment())
{
    m_environment.insert("REMAT_ENGINE", REMAT_FAKE_ENGINE);
}

Finished RematProcess::run(const QStringList &arguments, const QByteArray &input)
{
    auto process = start(arguments);
    process->write(input);
    process->closeWriteChannel();
    Finished finished;
    if (process->waitForFinished(60'000) && process->exitStatus() == QProcess::NormalExit)
        finished.code = process->exitCode();
    finished.out = process->readAllStandardOutput();
    finished.err = process->readAllStandardError();
    return finished;
}

std::unique_ptr<QProcess> RematProcess::start(const QStringList &arguments)
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->setWorkingDirectory(m_folder.path());
    process->start(REMAT_PROGRAM, arguments);
    process->waitForStarted();
    return process;
}

QString RematProcess::write(const QString &file, const QByteArray &content)
{
    QFile target(path(file));
    if (target.open(QIODevice::WriteOnly))
        target.write(content);
    return target.fileName();
}

QString RematProcess::config()
{
    return write(
        "tiny.json",
        R"({"n_layer": 4, "n_head": 2, "n_embd": 16, "block_size": 64, "vocab_size": 100, "dropout": 0.0, "bias": true})");
}

} // namespace remat::tests
