// SPDX-FileCopyrightText: 2026 The Rematscope authors
// SPDX-License-Identifier: Apache-2.0

#include "torch_guard.h"

#include <c10/util/Exception.h>

#include <exception>
#include <new>

#include "executor/step_trace.h"

namespace remat::gpu {

namespace {

std::string firstLine(const std::string &text)
{
    return text.substr(0, text.find('\n'));
}

} // namespace

Guarded guarded(const std::function<void()> &work)
{
    try {
        work();
        return {};
    } catch (const StepCancelled &) {
        return {Guarded::End::cancelled, "cancelled"};
    } catch (const c10::OutOfMemoryError &error) {
        return {Guarded::End::outOfMemory, firstLine(error.what_without_backtrace())};
    } catch (const std::bad_alloc &) {
        return {Guarded::End::outOfMemory, "the system has no more memory"};
    } catch (const c10::Error &error) {
        return {Guarded::End::failed, firstLine(error.what_without_backtrace())};
    } catch (const std::exception &error) {
        return {Guarded::End::failed, firstLine(error.what())};
    }
}

core::Result<void> guardedResult(const std::string &what, const std::function<void()> &work)
{
    const Guarded result = guarded(work);
    switch (result.end) {
    case Guarded::End::done:
        return {};
    case Guarded::End::outOfMemory:
        return core::Error{core::ErrorCode::doesNotFit, what + " does not fit into memory: " + result.message + "."};
    case Guarded::End::cancelled:
        return core::Error{core::ErrorCode::cancelled, what + " was cancelled."};
    case Guarded::End::failed:
        break;
    }
    return core::Error{core::ErrorCode::failed, what + " failed in LibTorch: " + result.message + "."};
}

} // namespace remat::gpu
