// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/session_reader.h"

namespace remat::ui {

namespace {

class FileReader final : public SessionReader
{
public:
    explicit FileReader(core::Session session) : m_session(std::move(session)) { }

    QString path() const override { return QString::fromStdString(m_session.path()); }
    core::Result<std::int64_t> version() const override { return m_session.dataVersion(); }
    core::Result<std::vector<core::StoredWorkload>> workloads() const override { return m_session.workloads(); }
    core::Result<std::vector<core::StoredRun>> runs() const override { return m_session.runs(); }
    core::Result<core::Schedule> schedule(std::int64_t run) const override { return m_session.schedule(run); }
    core::Result<core::Recording> recording(std::int64_t run) const override { return m_session.recording(run); }
    core::Result<std::vector<core::KeptBlock>> keptBlocks(std::int64_t run) const override
    {
        return m_session.keptBlocks(run);
    }
    core::Result<std::optional<core::ChainCosts>> costs(std::int64_t workload) const override
    {
        return m_session.costs(workload);
    }

private:
    core::Session m_session;
};

} // namespace

core::Result<std::unique_ptr<SessionReader>> openSessionReader(const QString &path)
{
    auto session = core::Session::open(path.toStdString());
    if (!session)
        return session.error();
    return std::unique_ptr<SessionReader>(std::make_unique<FileReader>(std::move(session).value()));
}

} // namespace remat::ui
