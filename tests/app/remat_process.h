// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <memory>

#include <QProcess>
#include <QTemporaryDir>

#include "base/json.h"

namespace remat::tests {

/// What a run of `remat` left.
struct Finished
{
    int code = -1;
    QByteArray out;
    QByteArray err;

    /// Standard output as one JSON document; null where it is none.
    [[nodiscard]] core::Json json() const;
};

/// Runs `remat` with the fake engine in a folder of its own. One thread.
class RematProcess
{
public:
    RematProcess();

    /// Adds a variable to the environment of later runs.
    void set(const QString &name, const QString &value) { m_environment.insert(name, value); }
    void unset(const QString &name) { m_environment.remove(name); }

    Finished run(const QStringList &arguments, const QByteArray &input = {});
    /// Starts it and leaves it running.
    std::unique_ptr<QProcess> start(const QStringList &arguments);

    [[nodiscard]] QString path(const QString &file) const { return m_folder.filePath(file); }
    /// A file in the folder with this content; its path.
    QString write(const QString &file, const QByteArray &content);
    /// A nanoGPT-style config of four layers; its path.
    QString config();

private:
    QTemporaryDir m_folder;
    QProcessEnvironment m_environment;
};

} // namespace remat::tests
