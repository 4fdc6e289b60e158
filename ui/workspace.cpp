// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "workspace.h"

#include <algorithm>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <QUndoCommand>

#include "models/text.h"

namespace remat::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QLatin1String kRecentKey("recent");
constexpr int kMostRecent = 10;
constexpr int kKeyCommand = 1;

/// One drop of the handle. Steps by keys in a row become one.
class ChooseStrategy : public QUndoCommand
{
public:
    ChooseStrategy(Selection &selection, QString after, bool byKey)
        : QUndoCommand(QObject::tr("Choose %1").arg(strategyLabel(after))),
          m_selection(selection),
          m_before(selection.strategy()),
          m_after(std::move(after)),
          m_byKey(byKey)
    {
    }

    void undo() override { m_selection.setStrategy(m_before); }
    void redo() override { m_selection.setStrategy(m_after); }
    int id() const override { return m_byKey ? kKeyCommand : -1; }
    bool mergeWith(const QUndoCommand *other) override
    {
        m_after = static_cast<const ChooseStrategy *>(other)->m_after;
        return true;
    }

private:
    Selection &m_selection;
    QString m_before;
    QString m_after;
    bool m_byKey;
};

bool looksLikeSession(const QString &path)
{
    return path.endsWith(".remat"_L1)
        || (QFileInfo(path).isFile() && core::looksLikeSession(QFile::encodeName(path).toStdString()));
}

} // namespace

Workspace::Workspace(RunnerCommand runner, QObject *parent)
    : QObject(parent), analysis(document, selection), runs(std::move(runner))
{
    setupConnections();
}

void Workspace::setupConnections()
{
    connect(&runs, &RunController::stateChanged, this, &Workspace::statusChanged);
    connect(&runs, &RunController::progressed, this, &Workspace::statusChanged);
    connect(&runs, &RunController::accepted, this, &Workspace::followSession);
    connect(&runs, &RunController::noted, this, &Workspace::message);
    connect(&runs, &RunController::costsArrived, this, [this](const core::ChainCosts &costs) {
        followSession();
        document.applyCosts(costs);
    });
    connect(&runs, &RunController::pointArrived, this, [this](const core::Point &point) {
        followSession();
        document.applyPoint(point);
    });
    connect(&runs, &RunController::finished, this, &Workspace::onFinished);
    connect(&runs, &RunController::failed, this, [this](const QString &text) {
        document.dropLive();
        m_note = tr("The measurement ended early.");
        Q_EMIT message(text);
        Q_EMIT statusChanged();
    });
    connect(&document, &SessionDocument::pointsChanged, this, [this] {
        chooseIfUntouched();
        Q_EMIT statusChanged();
    });
}

void Workspace::open(const QString &path)
{
    if (runs.busy()) {
        Q_EMIT message(tr("A measurement is running: stop it before opening another file."));
        return;
    }
    if (looksLikeSession(path))
        openSession(path);
    else
        openConfig(path);
}

void Workspace::openSession(const QString &path)
{
    auto reader = openSessionReader(path);
    if (!reader) {
        Q_EMIT message(QString::fromStdString(reader.error().message));
        return;
    }
    undo.clear();
    m_autoChosen.clear();
    selection.setStrategy({});
    selection.setLayer(-1);
    if (const auto opened = document.setReader(std::move(reader).value()); !opened) {
        Q_EMIT message(QString::fromStdString(opened.error().message));
        return;
    }
    const auto interrupted
        = std::count_if(document.runs().begin(), document.runs().end(), [](const core::StoredRun &run) {
              return run.point.status == core::RunStatus::interrupted && !run.hidden;
          });
    m_note = interrupted == 0 ? QString()
        : interrupted == 1    ? tr("1 run of this session was interrupted; Measure repeats it.")
                              : tr("%1 runs of this session were interrupted; Measure repeats them.").arg(interrupted);
    if (const auto *workload = document.current())
        setup.adopt(workload->model, workload->workload);
    remember(path);
    Q_EMIT message({});
    Q_EMIT statusChanged();
    Q_EMIT pageWanted(Page::explore);
}

void Workspace::openConfig(const QString &path)
{
    if (const auto loaded = setup.loadConfig(path); !loaded) {
        Q_EMIT message(QString::fromStdString(loaded.error().message));
        return;
    }
    // Another model is another session; the one from before stays where it is saved.
    undo.clear();
    m_autoChosen.clear();
    m_note.clear();
    selection.setStrategy({});
    (void)document.setReader(nullptr); // nothing is read, so nothing can fail
    if (!path.startsWith(u':'))
        remember(path);
    Q_EMIT message({});
    Q_EMIT statusChanged();
    Q_EMIT pageWanted(Page::setup);
}

QStringList Workspace::recent() const
{
    return QSettings().value(kRecentKey).toStringList();
}

void Workspace::remember(const QString &path)
{
    QStringList list = recent();
    const QString absolute = QFileInfo(path).absoluteFilePath();
    list.removeAll(absolute);
    list.prepend(absolute);
    QSettings().setValue(kRecentKey, QStringList(list.mid(0, kMostRecent)));
    Q_EMIT recentChanged();
}

QString Workspace::measureProblem() const
{
    if (!runs.available())
        return tr("There is no program remat beside this one, so nothing can be measured; sessions open all the same.");
    return {};
}

void Workspace::measure(const std::vector<core::Strategy> &strategies)
{
    if (runs.busy())
        return;
    if (const QString problem = measureProblem(); !problem.isEmpty()) {
        Q_EMIT message(problem);
        return;
    }
    auto workload = setup.resolved();
    if (!workload) {
        Q_EMIT message(QString::fromStdString(workload.error().message));
        return;
    }
    if (strategies.empty()) {
        Q_EMIT message(tr("Check at least one strategy on the Setup page."));
        return;
    }
    m_sessionPath
        = document.isOpen() ? document.path() : newSessionPath(QString::fromStdString(setup.model().name), m_folder);
    if (!QDir().mkpath(QFileInfo(m_sessionPath).absolutePath())) {
        Q_EMIT message(tr("The folder %1 cannot be made; choose a documents folder that can be written.")
                           .arg(QFileInfo(m_sessionPath).absolutePath()));
        return;
    }
    core::SweepPlan plan;
    plan.model = setup.model();
    plan.workload = std::move(workload).value();
    plan.strategies = strategies;
    m_note.clear();
    Q_EMIT message({});
    runs.measure(plan, m_sessionPath);
    Q_EMIT pageWanted(Page::explore);
}

void Workspace::measureOne(const QString &strategy)
{
    const core::Point *point = document.point(strategy);
    const bool known = point && (point->status == core::RunStatus::done || point->status == core::RunStatus::running);
    if (strategy.isEmpty() || known || runs.busy() || !setup.hasModel())
        return;
    if (auto parsed = core::parseStrategy(strategy.toStdString()))
        measure({std::move(parsed).value()});
}

/// The runner makes the file; from the first event on it can be read.
void Workspace::followSession()
{
    if (document.isOpen() || !QFileInfo::exists(m_sessionPath))
        return;
    auto reader = openSessionReader(m_sessionPath);
    if (!reader || !document.setReader(std::move(reader).value()))
        return; // it may be locked just now; the next event tries again
    remember(m_sessionPath);
}

void Workspace::onFinished(const QString &status)
{
    followSession();
    document.dropLive();
    m_note = status == "cancelled"_L1 ? tr("Stopped. What was finished is saved.") : tr("Measured.");
    Q_EMIT statusChanged();
}

/// Until somebody chooses, the leanest measured point is shown, so that the page says something from the first point on.
void Workspace::chooseIfUntouched()
{
    if (selection.strategy() != m_autoChosen && !selection.strategy().isEmpty())
        return;
    // A value of the handle rather than a rule of its own, so that the first thing to do is to drag it.
    const auto rank = [](const core::Point &point) {
        const MarkFamily family = familyOf(QString::fromStdString(point.strategy));
        const bool handle = family == MarkFamily::segments || family == MarkFamily::every;
        return std::pair(!handle, point.activationPeakBytes);
    };
    const core::Point *best = nullptr;
    for (const core::Point &point : document.points()) {
        if (point.status == core::RunStatus::done && (!best || rank(point) < rank(*best)))
            best = &point;
    }
    if (!best)
        return;
    m_autoChosen = QString::fromStdString(best->strategy);
    selection.setStrategy(m_autoChosen);
}

void Workspace::drop(const QString &strategy, bool byKey)
{
    if (strategy == selection.strategy()) {
        selection.preview(strategy);
        return;
    }
    m_autoChosen = u"-"_s;
    undo.push(new ChooseStrategy(selection, strategy, byKey));
}

void Workspace::showRun(qint64 workload, const QString &strategy)
{
    document.setCurrent(workload);
    drop(strategy, false);
    Q_EMIT pageWanted(Page::explore);
}

void Workspace::saveCopy(const QString &path)
{
    auto session = core::Session::open(document.path().toStdString());
    const auto saved = session ? session->saveCopy(path.toStdString()) : core::Result<void>(session.error());
    m_note = saved ? tr("Copied to %1.").arg(QDir::toNativeSeparators(path)) : QString();
    if (!saved)
        Q_EMIT message(QString::fromStdString(saved.error().message));
    Q_EMIT statusChanged();
}

QString Workspace::phaseSentence(const core::Progress &progress) const
{
    const QString name = strategyLabel(QString::fromStdString(progress.strategy));
    const QString phase = QString::fromStdString(progress.phase);
    if (phase == "preparing"_L1)
        return tr("Making the model");
    if (phase == "probing"_L1)
        return tr("Probing one block");
    if (phase == "proof"_L1)
        return name.isEmpty() ? tr("Comparing gradients") : tr("Comparing gradients of %1").arg(name);
    if (phase == "warm-up"_L1)
        return tr("Warming up %1").arg(name);
    if (phase == "recording"_L1)
        return tr("Recording a step of %1").arg(name);
    if (phase == "saving"_L1)
        return tr("Saving %1").arg(name);
    return tr("Measuring %1").arg(name);
}

QString Workspace::statusText() const
{
    switch (runs.state()) {
    case RunController::State::idle:
        return m_note;
    case RunController::State::starting:
        return tr("Starting the runner…");
    case RunController::State::cancelling:
        return tr("Stopping…");
    case RunController::State::running:
        break;
    }
    const core::Progress &progress = runs.progress();
    QString text = phaseSentence(progress);
    if (progress.steps > 1)
        text += tr(" · step %1 of %2").arg(progress.step).arg(progress.steps);
    if (progress.remaining >= 0)
        text += tr(" · %1 left").arg(remainingText(progress.remaining));
    return text;
}

double Workspace::progressShare() const
{
    if (!runs.busy())
        return -1;
    const core::Progress &progress = runs.progress();
    return progress.steps > 0 ? static_cast<double>(progress.step) / progress.steps : 0.0;
}

QString Workspace::trustText() const
{
    if (!document.isOpen())
        return {};
    int checked = 0, equal = 0, done = 0;
    std::string reference;
    for (const core::Point &point : document.points()) {
        done += point.status == core::RunStatus::done ? 1 : 0;
        if (point.status != core::RunStatus::done || !point.equality.checked)
            continue;
        ++checked;
        equal += point.equality.differingElements == 0 ? 1 : 0;
        reference = reference.empty() || point.equality.reference == "none" ? point.equality.reference : reference;
    }
    const QString saved = tr("saved in %1").arg(QFileInfo(document.path()).fileName());
    if (checked == 0)
        return saved;
    const QString name = strategyLabel(QString::fromStdString(reference));
    const QString trust = equal == checked && checked == done
        ? tr("gradients equal to “%1” on all %2 points").arg(name).arg(done)
        : tr("gradients equal to “%1” on %2 of %3 points").arg(name).arg(equal).arg(done);
    return trust + u" · "_s + saved;
}

void Workspace::askDevices()
{
    if (runs.available() && setup.devices().empty())
        askForDevices(runs.command(), this,
                      [this](std::vector<core::DeviceInfo> devices) { setup.setDevices(std::move(devices)); });
}

} // namespace remat::ui
