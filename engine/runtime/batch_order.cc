#include "engine/runtime/batch_order.h"

#include <cstring>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/word_hash.h"

namespace engine {
namespace {

std::size_t BytesPerEnv(const BatchLayout& layout, const Field& field) {
  return field.row_bytes * (field.rows_of == RowsOf::kEnvs ? 1 : layout.num_players);
}

[[noreturn]] void ThrowDiffers(std::uint64_t batch, const std::string& what) {
  throw Error(ErrorKind::kReplay, "replay: batch " + std::to_string(batch) + ": " + what);
}

}  // namespace

void BatchOrder::Record(std::unique_ptr<BatchLogWriter> writer) {
  writer_ = std::move(writer);
  if (writer_ != nullptr && writer_->header().has_digests) MakeDigests(writer_->header());
}

// Allocates the memory of Digest.
void BatchOrder::MakeDigests(const BatchLogHeader& header) {
  digests_.resize(header.batch_size);
  hashes_.resize(header.batch_size);
}

void BatchOrder::Replay(std::unique_ptr<BatchLogReader> reader,
                        std::unique_ptr<BatchLogWriter> then) {
  if (reader != nullptr) {
    deferred_.assign(num_envs_, Deferred::kNot);
    row_of_.resize(num_envs_);
    MakeDigests(reader->header());
    released_.steps.reserve(num_envs_);
    released_.resets.reserve(num_envs_);
  }
  released_next_ = false;
  reader_ = std::move(reader);
  then_ = std::move(then);
}

void BatchOrder::Defer(const std::uint32_t* ids, std::uint32_t n, bool resets) {
  for (std::uint32_t k = 0; k < n; ++k) {
    deferred_[ids[k]] = resets ? Deferred::kReset : Deferred::kStep;
  }
}

void BatchOrder::Release(std::uint32_t env) {
  (deferred_[env] == Deferred::kReset ? released_.resets : released_.steps).push_back(env);
  deferred_[env] = Deferred::kNot;
}

const BatchOrder::Released& BatchOrder::ReleaseAll() {
  released_.steps.clear();
  released_.resets.clear();
  for (std::uint32_t env = 0; env < deferred_.size(); ++env) {
    if (deferred_[env] != Deferred::kNot) Release(env);
  }
  return released_;
}

const BatchOrder::Released& BatchOrder::ReleaseNext() {
  released_.steps.clear();
  released_.resets.clear();
  if (!replays() || released_next_) return released_;
  // If the call throws, the next one finds the same batch.
  if (reader_->next() == num_received_ && !reader_->Next()) {
    if (then_ == nullptr) {
      throw Error(ErrorKind::kReplay,
                  "replay: the log ends after " + std::to_string(num_received_) + " batches");
    }
    then_->ContinueAfter(*reader_);
    Record(std::move(then_));
    reader_.reset();
    return ReleaseAll();
  }
  for (const std::uint32_t env : reader_->ids()) {
    if (deferred_[env] != Deferred::kNot) {
      Release(env);
      continue;
    }
    Defer(released_.steps.data(), static_cast<std::uint32_t>(released_.steps.size()), false);
    Defer(released_.resets.data(), static_cast<std::uint32_t>(released_.resets.size()), true);
    ThrowDiffers(num_received_, "it has environment " + std::to_string(env) +
                                    ", which has not been sent: the program acts differently "
                                    "than the one that was recorded");
  }
  released_next_ = true;
  return released_;
}

// Puts the rows into the log's order.
void BatchOrder::Sort(OpenBatch& batch, const std::uint32_t* envs) {
  const BatchLayout& layout = batch.layout();
  const std::vector<std::uint32_t>& ids = reader_->ids();
  for (std::uint32_t row = 0; row < ids.size(); ++row) row_of_[envs[row]] = row;
  std::vector<std::uint32_t> from(ids.size());  // the present row of each row
  for (std::uint32_t row = 0; row < ids.size(); ++row) from[row] = row_of_[ids[row]];
  std::vector<bool> placed;
  for (FieldIndex index = 0; index < layout.fields.size(); ++index) {
    const std::size_t bytes = BytesPerEnv(layout, layout.fields[index]);
    std::byte* const rows = batch.At(index);
    row_.resize(bytes);
    placed.assign(ids.size(), false);
    for (std::uint32_t first = 0; first < ids.size(); ++first) {
      if (placed[first] || from[first] == first) continue;
      std::memcpy(row_.data(), rows + first * bytes, bytes);
      std::uint32_t row = first;
      for (; from[row] != first; row = from[row]) {
        std::memcpy(rows + row * bytes, rows + from[row] * bytes, bytes);
        placed[row] = true;
      }
      std::memcpy(rows + row * bytes, row_.data(), bytes);
      placed[row] = true;
    }
  }
}

// The observation, reward, end and number of steps of each row. Rows of players are left out if
// players come and go, because those of absent players are undefined.
// One field after the other, because the fields of one row are far apart.
void BatchOrder::Digest(const OpenBatch& batch) {
  const BatchLayout& layout = batch.layout();
  hashes_.assign(digests_.size(), 0);
  const auto add = [&](FieldIndex index) {
    const Field& field = layout.fields[index];
    if (field.rows_of != RowsOf::kEnvs && layout.players_vary) return;
    const std::size_t bytes = BytesPerEnv(layout, field);
    const std::byte* row = batch.At(index);
    for (std::uint64_t& hash : hashes_) {
      MixBytes(hash, row, bytes);
      row += bytes;
    }
  };
  for (std::uint32_t leaf = 0; leaf < layout.num_leaves; ++leaf) add(layout.frame.obs + leaf);
  add(layout.reward);
  add(layout.terminated);
  add(layout.truncated);
  add(layout.frame.elapsed_step);
  if (layout.has_players) {
    add(layout.frame.players.reward);
    add(layout.frame.players.terminated);
    add(layout.frame.players.truncated);
  }
  for (std::size_t row = 0; row < digests_.size(); ++row) {
    digests_[row] = static_cast<std::uint32_t>(hashes_[row] >> 32);
  }
}

void BatchOrder::SetNumReceived(std::uint64_t n) {
  if (n != num_received_ && (replays() || writer_ != nullptr)) {
    const char* const how = replays() ? "replays" : "records";
    throw Error(ErrorKind::kInput,
                std::string("load: the pool ") + how + " a log of batches from batch " +
                    std::to_string(num_received_) + " on, and the file is of batch " +
                    std::to_string(n) + ": load before record_batches or replay_batches");
  }
  num_received_ = n;
}

void BatchOrder::Received(OpenBatch& batch, const std::uint32_t* ids) {
  const std::uint64_t number = num_received_++;
  if (replays()) {
    released_next_ = false;
    Sort(batch, ids);
    ids = reader_->ids().data();
    if (reader_->header().has_digests) {
      Digest(batch);
      for (std::uint32_t row = 0; row < digests_.size(); ++row) {
        if (digests_[row] == reader_->digests()[row]) continue;
        ThrowDiffers(number, "the result of environment " + std::to_string(ids[row]) +
                                 " differs from the recorded one (observation, reward, end or "
                                 "number of steps)");
      }
    }
  }
  if (writer_ == nullptr) return;
  if (writer_->header().has_digests) Digest(batch);
  writer_->Add(ids, digests_.data());
}

}  // namespace engine
