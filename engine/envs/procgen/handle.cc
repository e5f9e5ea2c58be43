// See the header.
#include "engine/envs/procgen/handle.h"

#include <algorithm>
#include <cstring>

#include "engine/base/error.h"
#include "engine/envs/procgen/library.h"

namespace engine::procgen {
namespace {

using libenv::ElementType;
using libenv::Space;

constexpr std::int32_t kEndLevelAction = -1;
constexpr std::size_t kPixelBytes = std::size_t{kSide} * kSide * 3;
constexpr std::size_t kPictureBytes = std::size_t{kPictureSide} * kPictureSide * 3;
// Room for a state. The library ends the process if a state is larger. States have 20 to 60 kB, and
// procgen's own Python code gives them 1 MiB. Memory that is not written costs nothing.
constexpr std::size_t kMaxState = std::size_t{4} << 20;

class OptionList {
 public:
  // The list refers to the values.
  void Add(std::string_view name, const std::string& text) {
    Add(name, ElementType::kUint8, static_cast<int>(text.size()), text.data());
  }
  void Add(std::string_view name, const std::int32_t& number) {
    Add(name, ElementType::kInt32, 1, &number);
  }
  void Add(std::string_view name, const bool& flag) { Add(name, ElementType::kUint8, 1, &flag); }

  libenv::Options options() const { return {items_.data(), static_cast<int>(items_.size())}; }

 private:
  void Add(std::string_view name, ElementType type, int count, const void* data) {
    libenv::Option option{.name = {}, .type = type, .count = count, .data = data};
    std::copy(name.begin(), name.end(), option.name);
    items_.push_back(option);
  }

  std::vector<libenv::Option> items_;
};

template <class Function>
Function As(void* symbol) {
  Function function = nullptr;
  std::memcpy(&function, &symbol, sizeof symbol);
  return function;
}

libenv::Environment* MakeGames(const GameOptions& options, std::int32_t seed, std::size_t num_games,
                               bool draws) {
  const Library& library = OpenedLibrary();
  const std::int32_t num_threads = 0;
  const auto num_actions = static_cast<std::int32_t>(kNumActions);
  OptionList list;
  list.Add("env_name", options.game);
  list.Add("resource_root", library.pictures);
  list.Add("num_actions", num_actions);
  list.Add("num_threads", num_threads);
  list.Add("rand_seed", seed);
  list.Add("render_human", draws);
  for (const auto& [name, number] : options.numbers) list.Add(name, number);
  for (const auto& [name, flag] : options.flags) list.Add(name, flag);
  const libenv::Options all = list.options();
  const int games = static_cast<int>(num_games);
  if (library.version == libenv::kVersionOfGym3) return As<libenv::Make1>(library.make)(games, all);
  return As<libenv::Make3>(library.make)(games, &all);
}

// The description of an array, such as "int32 level_seed", "uint8 rgb 64 64 3".
template <class TensorType>
std::string TextOf(const TensorType& type) {
  std::string text = type.element == ElementType::kUint8     ? "uint8 "
                     : type.element == ElementType::kInt32   ? "int32 "
                     : type.element == ElementType::kFloat32 ? "float32 "
                                                             : "? ";
  text.append(type.name, strnlen(type.name, sizeof type.name));
  for (int i = 0; i < std::clamp(type.num_dims, 0, libenv::kMaxDims); ++i) {
    text += ' ';  // GCC 12 warns of " " + std::to_string(...) by mistake
    text += std::to_string(type.shape[i]);
  }
  return text;
}

template <class TensorType>
std::vector<std::string> DescribeAs(libenv::Environment* environment, Space space) {
  const auto describe =
      As<int (*)(libenv::Environment*, Space, TensorType*)>(OpenedLibrary().describe);
  const int count = describe(environment, space, nullptr);
  std::vector<TensorType> types(static_cast<std::size_t>(std::max(count, 0)));
  describe(environment, space, types.data());
  std::vector<std::string> texts;
  for (const TensorType& type : types) texts.push_back(TextOf(type));
  return texts;
}

// Throws unless the arrays of a space are those of `expected`, in this order.
void CheckSpace(libenv::Environment* environment, Space space,
                const std::vector<std::string>& expected) {
  const bool old = OpenedLibrary().version == libenv::kVersionOfGym3;
  const std::vector<std::string> found = old ? DescribeAs<libenv::TensorType1>(environment, space)
                                             : DescribeAs<libenv::TensorType3>(environment, space);
  if (found == expected) return;
  const auto list = [](const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return "[" + all + "]";
  };
  throw Error(ErrorKind::kInternal, "the Procgen library has other arrays than expected: " +
                                        list(found) + ", not " + list(expected));
}

}  // namespace

void Handle::Closer::operator()(libenv::Environment* environment) const {
  OpenedLibrary().close(environment);
}

Handle::Handle(const GameOptions& options, std::int32_t seed, std::size_t num_games, bool draws)
    : num_games_(num_games),
      pixels_(num_games * kPixelBytes),
      actions_(num_games),
      rewards_(num_games),
      firsts_(num_games),
      infos_(num_games),
      picture_(draws ? num_games * kPictureBytes : 0),
      environment_(MakeGames(options, seed, num_games, draws)) {
  CheckSpace(environment_.get(), Space::kObservation, {"uint8 rgb 64 64 3"});
  CheckSpace(environment_.get(), Space::kAction, {"int32 action"});
  std::vector<std::string> infos = {"int32 prev_level_seed", "uint8 prev_level_complete",
                                    "int32 level_seed"};
  if (draws) infos.emplace_back("uint8 rgb 512 512 3");
  CheckSpace(environment_.get(), Space::kInfo, infos);
  SetBuffers(infos.size());
}

void Handle::SetBuffers(std::size_t num_infos) {
  const auto add = [&](auto address_of_game) {
    for (std::size_t game = 0; game < num_games_; ++game)
      pointers_.push_back(address_of_game(game));
  };
  // The library copies the pointers.
  add([&](std::size_t game) { return &pixels_[game * kPixelBytes]; });
  add([&](std::size_t game) { return &actions_[game]; });
  add([&](std::size_t game) { return &infos_[game].prev_level_seed; });
  add([&](std::size_t game) { return &infos_[game].prev_level_complete; });
  add([&](std::size_t game) { return &infos_[game].level_seed; });
  if (num_infos > 3) add([&](std::size_t game) { return &picture_[game * kPictureBytes]; });
  void** const observations = pointers_.data();
  void** const actions = observations + num_games_;
  void** const infos = actions + num_games_;
  // This call makes the first level of each game.
  if (OpenedLibrary().version == libenv::kVersionOfGym3) {
    libenv::Buffers1 buffers{.observation = observations,
                             .reward = rewards_.data(),
                             .first = firsts_.data(),
                             .info = infos,
                             .action = actions};
    OpenedLibrary().set_buffers(environment_.get(), &buffers);
  } else {
    libenv::Buffers3 buffers{.observation = observations,
                             .action = actions,
                             .info = infos,
                             .reward = rewards_.data(),
                             .first = firsts_.data()};
    OpenedLibrary().set_buffers(environment_.get(), &buffers);
  }
}

Handle::~Handle() = default;

void Handle::Step(std::int32_t action) {
  actions_[0] = action;
  OpenedLibrary().act(environment_.get());
}

void Handle::EndLevel() { Step(kEndLevelAction); }

void Handle::Draw(std::span<std::uint8_t> rgb) const {
  OpenedLibrary().observe(environment_.get());  // without threads it only draws
  std::copy_n(picture_.begin(), rgb.size(), rgb.begin());
}

std::string Handle::Save(std::size_t game) const {
  const std::unique_ptr<char[]> room(new char[kMaxState]);
  const int size = OpenedLibrary().get_state(environment_.get(), static_cast<int>(game), room.get(),
                                             static_cast<int>(kMaxState));
  return {room.get(), static_cast<std::size_t>(size)};
}

void Handle::Load(std::string_view state) {
  OpenedLibrary().set_state(environment_.get(), 0, state.data(), static_cast<int>(state.size()));
}

}  // namespace engine::procgen
