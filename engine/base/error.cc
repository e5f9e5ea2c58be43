#include "engine/base/error.h"

#include <sstream>

namespace engine {

const char* NameOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUnknownTask:
      return "UnknownTaskError";
    case ErrorKind::kOption:
      return "OptionError";
    case ErrorKind::kOptionType:
      return "OptionTypeError";
    case ErrorKind::kInput:
      return "InputError";
    case ErrorKind::kInputType:
      return "InputTypeError";
    case ErrorKind::kRom:
      return "RomError";
    case ErrorKind::kEnvId:
      return "EnvIdError";
    case ErrorKind::kResetNeeded:
      return "ResetNeededError";
    case ErrorKind::kNothingInFlight:
      return "NothingInFlightError";
    case ErrorKind::kTimeout:
      return "RecvTimeoutError";
    case ErrorKind::kBatchMemory:
      return "BatchMemoryError";
    case ErrorKind::kResources:
      return "ResourceError";
    case ErrorKind::kMemory:
      return "OutOfMemoryError";
    case ErrorKind::kWorker:
      return "WorkerError";
    case ErrorKind::kReentry:
      return "ReentryError";
    case ErrorKind::kCloseTimeout:
      return "CloseTimeoutError";
    case ErrorKind::kState:
      return "StateError";
    case ErrorKind::kReplay:
      return "ReplayError";
    case ErrorKind::kRenderMode:
      return "RenderModeError";
    case ErrorKind::kClosed:
      return "ClosedError";
    case ErrorKind::kForked:
      return "ForkedError";
    case ErrorKind::kPlugin:
      return "PluginError";
    case ErrorKind::kInternal:
      break;
  }
  return "InternalError";
}

std::string FailureMessage(std::uint32_t env, const std::string& cause, std::size_t num_failed) {
  std::ostringstream message;
  message << "environment " << env << " failed: " << cause;
  if (num_failed > 1) message << " (and " << num_failed - 1 << " more in this batch)";
  message << "; reset it before its next step, the others are unharmed";
  return message.str();
}

}  // namespace engine
