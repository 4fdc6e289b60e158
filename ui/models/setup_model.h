// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>

#include <QObject>
#include <QString>

#include "config/model_config.h"
#include "measure/training_backend.h"
#include "model/workload.h"
#include "models/step_story.h"

namespace remat::ui {

/// The most memory that a step may take: the budget of the workload, or all that the device has.
struct MemoryLimit
{
    core::Bytes bytes = 0;
    bool isBudget = false;
    QString device; // its name, where the limit is the device's
};

/// What a person sets before a measurement: a config, a smaller sibling of it, a workload. Says for each field why it
/// cannot work, and what is known for certain before anything runs. Owned by the composition; GUI thread.
class SetupModel : public QObject
{
    Q_OBJECT
public:
    enum class Field {
        layers,
        batch,
        seq,
        microBatches,
        dtype,
        attention,
        dropout,
        attentionDropout,
        optimizer,
        gradients,
        clip,
        train,
        loss,
        updateInBackward,
        device,
        threads,
        memoryBudget,
        seed
    };
    static constexpr int kFields = 18;

    explicit SetupModel(QObject *parent = nullptr);

    /// Reads a config file, folder or bundled resource; on error nothing changes.
    core::Result<void> loadConfig(const QString &path);
    /// Takes over what a session was measured with.
    void adopt(const core::ModelConfig &model, const core::Workload &workload);

    [[nodiscard]] bool hasModel() const { return m_config.has_value(); }
    /// As it will be run: with the chosen number of layers.
    [[nodiscard]] const core::ModelConfig &model() const { return *m_model; }
    [[nodiscard]] int fullLayers() const { return m_config ? m_config->layers : 0; }
    [[nodiscard]] const core::Workload &workload() const { return m_workload; }
    [[nodiscard]] const QString &configPath() const { return m_path; }

    void setLayers(int layers);
    void setWorkload(const core::Workload &workload);
    /// As setWorkload, for what did not come from the form: the form shows it.
    void replaceWorkload(const core::Workload &workload);
    void setDevices(std::vector<core::DeviceInfo> devices);
    [[nodiscard]] const std::vector<core::DeviceInfo> &devices() const { return m_devices; }

    /// The workload with everything filled in, or the sentence that says what is wrong.
    [[nodiscard]] core::Result<core::Workload> resolved() const;
    /// A step of this model and workload would be the very step that is set up; budgets aside.
    [[nodiscard]] bool isSetUpAs(const core::ModelConfig &model, const core::Workload &workload) const;
    /// Why a field cannot work, empty where it can.
    [[nodiscard]] QString problem(Field field) const;
    /// What is worth knowing about a field that does work.
    [[nodiscard]] QString hint(Field field) const;
    /// The tighter of budget and device; empty where neither is known.
    [[nodiscard]] std::optional<MemoryLimit> memoryLimit() const;
    /// Weights, gradients and optimizer state: exact, because they follow from the shapes alone.
    [[nodiscard]] std::vector<PeakSummary::Part> certainBytes() const;

Q_SIGNALS:
    void modelChanged();
    void workloadReplaced();
    void changed();

private:
    std::optional<core::ModelConfig> m_config;
    std::optional<core::ModelConfig> m_model;
    core::Workload m_workload;
    std::vector<core::DeviceInfo> m_devices;
    QString m_path;
};

/// The cores that this process may use.
[[nodiscard]] int usableCores();

/// Where a new session of a model goes: Documents/Rematscope/<model>-<date>.remat, with a number where that exists.
[[nodiscard]] QString newSessionPath(const QString &modelName, const QString &folder = {});

} // namespace remat::ui
