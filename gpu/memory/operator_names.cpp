// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "memory/operator_names.h"

#include <ATen/record_function.h>

#include <mutex>
#include <string_view>
#include <unordered_map>

namespace remat::gpu {

namespace {

constexpr std::size_t kMostNames = 65'000;

/// Nesting of operators on one thread: `depth` counts those inside the one that gave the name.
struct NamingState
{
    std::function<void(std::uint16_t)> changed;
    int depth = 0;
    std::mutex mutex; // the backward of a device may run on a thread of its own
    std::unordered_map<std::string, std::uint16_t> indices;
    std::vector<std::string> names{""};
    std::string attention;

    std::uint16_t indexOf(const std::string &name)
    {
        const auto [it, isNew] = indices.try_emplace(name, static_cast<std::uint16_t>(names.size()));
        if (isNew && names.size() < kMostNames)
            names.push_back(name);
        return it->second < names.size() ? it->second : std::uint16_t(0);
    }
};

NamingState &state()
{
    static auto *naming = new NamingState;
    return *naming;
}

bool isEngineFrame(std::string_view name)
{
    return name.starts_with("autograd::engine");
}

std::unique_ptr<at::ObserverContext> onEnter(const at::RecordFunction &function)
{
    NamingState &naming = state();
    if (isEngineFrame(function.name()))
        return nullptr;
    constexpr std::string_view kAttention = "aten::_scaled_dot_product_";
    const std::string_view name = function.name();
    if (name.starts_with(kAttention) && !name.ends_with("_backward")) {
        const std::scoped_lock lock(naming.mutex);
        naming.attention = name.substr(kAttention.size());
    }
    if (naming.depth++ == 0) {
        const std::scoped_lock lock(naming.mutex);
        naming.changed(naming.indexOf(function.name()));
    }
    return nullptr;
}

void onExit(const at::RecordFunction &function, at::ObserverContext *)
{
    NamingState &naming = state();
    if (isEngineFrame(function.name()))
        return;
    if (--naming.depth == 0)
        naming.changed(0);
}

} // namespace

std::uint64_t startNaming(std::function<void(std::uint16_t)> changed)
{
    state().changed = std::move(changed);
    state().depth = 0;
    state().attention.clear();
    return at::addThreadLocalCallback(at::RecordFunctionCallback(&onEnter, &onExit)
                                          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

void stopNaming(std::uint64_t handle)
{
    at::removeCallback(handle);
}

std::string attentionOperator()
{
    const std::scoped_lock lock(state().mutex);
    return state().attention;
}

std::vector<std::string> operatorNames()
{
    const std::scoped_lock lock(state().mutex);
    return state().names;
}

} // namespace remat::gpu
