#include "tools/tactusd/discards.h"

#include <fcntl.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/config/config.h"
#include "tools/tactus/size_text.h"
#include "tools/tactusd/approvals.h"
#include "transfer/clock/clock.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"
#include "transfer/files/progress.h"
#include "transfer/files/receiver.h"
#include "transfer/files/unique_fd.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/stream.h"

namespace tactus::daemon {

using ax::MutexLock;
using transfer::DeviceId;
using transfer::files::Decision;
using transfer::files::Observer;
using transfer::files::Offer;
using transfer::files::Progress;
using transfer::files::TransferResult;
using transfer::files::UniqueFd;

// Holds a transfer to its bounds, since an offer promises nothing. Time bounds
// what costs the sender no bytes: holes, and saying that it is alive.
class Discards::Limited : public Observer {
 public:
  Limited(Discards* discards, const DeviceId& peer,
          std::shared_ptr<Observer> inner)
      : discards_(*discards), peer_(peer), inner_(std::move(inner)) {}

  void OnBegin(const transfer::files::TransferId& id,
               const Progress& progress) override {
    id_ = id;
    until_ = discards_.Now() + kLongest;
    inner_->OnBegin(id, progress);
  }
  void OnProgress(const Progress& progress) override {
    inner_->OnProgress(progress);
    if (ended_ || (progress.fresh <= kMost && discards_.Now() < until_)) return;
    ended_ = true;
    // False where it is ending already.
    (void)discards_.receiver_.Cancel(peer_, id_);
  }
  void OnEnd(const TransferResult& result) override {
    ended_ = true;
    inner_->OnEnd(result);
  }

 private:
  Discards& discards_;
  const DeviceId peer_;
  const std::shared_ptr<Observer> inner_;
  transfer::files::TransferId id_;
  absl::Time until_;
  bool ended_ = false;
};

Discards::Discards(Approvals* approvals, DiscardsOptions options)
    : approvals_(*approvals),
      options_(std::move(options)),
      nothing_(open("/dev/null", O_WRONLY | O_CLOEXEC)),
      receiver_({.clock = options_.clock,
                 .decide = [this](const DeviceId& peer, const Offer& offer,
                                  const std::function<bool()>& gone) {
                   return Decide(peer, offer, gone);
                 }}) {}

std::optional<TransferResult> Discards::Serve(
    std::unique_ptr<transfer::Stream> stream) {
  return receiver_.Serve(std::move(stream));
}

bool Discards::Consented(const DeviceId& peer) {
  MutexLock lock(&mutex_);
  const auto found = consent_.find(peer);
  if (found == consent_.end()) return false;
  if (Now() < found->second) return true;
  consent_.erase(found);
  return false;
}

Decision Discards::Decide(const DeviceId& peer, const Offer& offer,
                          const std::function<bool()>& gone) {
  const std::string name = options_.name(peer);
  const config::PeerPolicy policy = config::PolicyOf(*options_.config, name);
  if (policy.files == config::PeerPolicy::Files::kRefuse) {
    return {.reason = "this device takes no files from that one"};
  }
  if (offer.roots != 1 || offer.files != 1 || offer.bytes > kMost) {
    return {.reason = absl::StrCat("only one file of at most ", kMost,
                                   " bytes can be sent to be measured")};
  }
  if (!nothing_.valid()) return {.reason = "there is no /dev/null there"};
  if (policy.files == config::PeerPolicy::Files::kAsk && !Consented(peer)) {
    const absl::Status answer =
        approvals_.Ask({.peer = name,
                        .kind = "bench",
                        .text = absl::StrCat("to measure, files of up to ",
                                             cli::SizeText(kMost),
                                             " of which nothing is kept, for ",
                                             absl::FormatDuration(kConsent))},
                       gone);
    if (!answer.ok()) return {.reason = RefusalOf(answer)};
    MutexLock lock(&mutex_);
    consent_[peer] = Now() + kConsent;
  }
  return {
      .accepted = true,
      .sink = nothing_.get(),
      .observer = std::make_shared<Limited>(this, peer, options_.watch(peer))};
}

}  // namespace tactus::daemon
