// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "models/goal_model.h"

#include <QFileInfo>

#include "advice/command_line.h"
#include "advice/remarks.h"
#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

GoalModel::GoalModel(SetupModel &setup, const SessionDocument &document, QObject *parent)
    : QObject(parent), m_setup(setup), m_document(document)
{
    connect(&setup, &SetupModel::changed, this, &GoalModel::forgetIfOther);
    connect(&document, &SessionDocument::pointsChanged, this, &GoalModel::changed);
    connect(&m_task, &LatestTask::settled, this, &GoalModel::changed);
}

bool GoalModel::hasProbe() const
{
    const auto *stored = m_document.current();
    return stored && m_document.costs() && m_setup.isSetUpAs(stored->model, stored->workload);
}

core::Result<core::CostsAt> GoalModel::costsOf(const TimeSource &times, core::GoalKind kind) const
{
    if (times.device.isEmpty()) {
        if (!hasProbe())
            return core::Error{core::ErrorCode::usage,
                               tr("The open session has not probed this workload: measure it first, or choose a device "
                                  "whose published peaks to go by.")
                                   .toStdString()};
        if (kind != core::GoalKind::fits)
            return core::Error{core::ErrorCode::usage,
                               tr("A probe knows one batch and one sequence length, so it can only say what fits: "
                                  "choose a device whose published peaks to go by.")
                                   .toStdString()};
        return core::CostsAt([costs = *m_document.costs()](const core::ModelConfig &, const core::Workload &) {
            return core::Result<core::Forecast>(core::Forecast{costs, false, false});
        });
    }
    return costsByFormula(times.device);
}

void GoalModel::fail(const QString &problem)
{
    m_task.cancel();
    m_answer.reset();
    m_problem = problem;
    Q_EMIT changed();
}

void GoalModel::ask(core::GoalKind kind, const QString &budget, const TimeSource &times)
{
    const auto workload = m_setup.resolved();
    const auto bytes = core::parseBytes(budget.trimmed().toStdString());
    const auto costs = costsOf(times, kind);
    m_asked = workload ? core::workloadHash(m_setup.model(), *workload) : std::string();
    if (!workload || !bytes || !costs) {
        const core::Error &error = !workload ? workload.error() : !bytes ? bytes.error() : costs.error();
        fail(QString::fromStdString(error.message));
        return;
    }
    m_answer.reset();
    m_problem.clear();
    m_times = times;
    m_task.start([this, kind, model = m_setup.model(), workload = *workload, bytes = *bytes,
                  costs = *costs](const std::stop_token &stop, const LatestTask::Deliver &deliver) {
        auto answer = core::answerGoal(kind, model, workload, bytes, stoppable(costs, stop));
        deliver([this, answer = std::move(answer)] {
            if (answer)
                m_answer = *answer;
            else
                m_problem = QString::fromStdString(answer.error().message);
            Q_EMIT changed();
        });
    });
    Q_EMIT changed();
}

void GoalModel::stop()
{
    m_task.cancel();
    Q_EMIT changed();
}

/// Batch and length of the answer may have been taken over; anything else makes it an answer to another question.
void GoalModel::forgetIfOther()
{
    if (!m_answer && !m_task.busy() && m_problem.isEmpty()) {
        Q_EMIT changed(); // there may be a probe now, or no more
        return;
    }
    const auto workload = m_setup.resolved();
    const bool asked = workload && core::workloadHash(m_setup.model(), *workload) == m_asked;
    const bool taken = workload && m_answer
        && core::workloadHash(m_setup.model(), *workload) == core::workloadHash(m_setup.model(), m_answer->workload);
    if (asked || taken)
        return;
    m_task.cancel();
    m_answer.reset();
    m_problem.clear();
    Q_EMIT changed();
}

QString GoalModel::trust() const
{
    if (!m_answer)
        return {};
    const QString peak = m_times.device.isEmpty() ? tr("The peak is simulated on what was probed.")
        : m_answer->approximate                   ? tr("The peak is a lower bound.")
                                                  : tr("The peak is exact to the byte.");
    if (!m_answer->reachable)
        return peak;
    if (m_answer->roughTimes)
        return peak + u' '
            + tr("The time is rough: published peaks of the %1, which real steps do not reach.")
                  .arg(deviceName(m_times.device));
    const QString probed = peak + u' ' + tr("The time is simulated on what was probed.");
    const auto errors = core::timeErrors(m_document.points());
    return !errors ? probed
                   : probed + u' '
            + tr("Such times were off by %1 to %2 in the %3 runs of this session.")
                  .arg(percentText(errors->plain.low), percentText(errors->plain.high))
                  .arg(errors->plain.n);
}

/// The config as the command line takes it. What came from a session or with the program has no file to name.
QString GoalModel::configWords() const
{
    const QString &path = m_setup.configPath();
    QString words = path.isEmpty() || path.startsWith(u':')
        ? u"CONFIG"_s
        : QString::fromStdString(core::shellWord(QFileInfo(path).absoluteFilePath().toStdString()));
    if (m_setup.model().layers != m_setup.fullLayers())
        words += u" --layers %1"_s.arg(m_setup.model().layers);
    return words;
}

QString GoalModel::command() const
{
    if (!m_answer || !m_answer->reachable || !m_setup.hasModel())
        return {};
    return QString::fromStdString(core::commandFor(*m_answer, m_setup.model(), configWords().toStdString()));
}

void GoalModel::takeOver()
{
    if (!m_answer || !m_answer->reachable)
        return;
    core::Workload workload = m_setup.workload();
    workload.batch = m_answer->workload.batch;
    workload.seq = m_answer->workload.seq;
    const QString strategy = QString::fromStdString(m_answer->expected.strategy);
    m_setup.replaceWorkload(workload);
    Q_EMIT strategyWanted(strategy);
}

} // namespace remat::ui
