// A MacosServer over a mock server that somebody else made: an edit through the
// C API, judged by the truth behind it (ax/edit/verdict.h).
//
//   const Verdict verdict = Try(trial, BackendOnFake());
#ifndef TACTUS_AX_MACOS_TESTING_BACKEND_H_
#define TACTUS_AX_MACOS_TESTING_BACKEND_H_

#include <ApplicationServices/ApplicationServices.h>

#include <memory>
#include <utility>

#include "ax/clock/clock.h"
#include "ax/edit/verdict.h"
#include "ax/macos/elements.h"
#include "ax/macos/fake/desktop.h"
#include "ax/macos/fake/objects.h"
#include "ax/macos/ref.h"
#include "ax/macos/server.h"
#include "ax/macos/testing/rig.h"
#include "ax/mock/mock_server.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {

class OnFake : public Backend {
 public:
  // `elements` names elements alike for all that share it. Its clock and its
  // bounder are those of the fake, whatever the options say.
  OnFake(mock::MockServer* mock, std::shared_ptr<ElementTable> elements,
         MacosOptions options)
      : desktop_(mock), elements_(std::move(elements)) {
    options.clock = &mock->clock();
    options.elements = elements_;
    options.make_bounder = [this](Clock&) {
      return std::make_unique<FakeBounder>(&desktop_);
    };
    server_ = MacosServer::Create(options);
  }

  Server& server() override { return *server_; }

  Element InTruth(const Element& element) override {
    const Ref<AXUIElementRef> found = elements_->Find(element);
    if (!found) return element;
    return fake::Cast<fake::ElementObject>(found.get()).part;
  }

  // Positions are UTF-16 units there.
  bool ReadsForItself() const override { return true; }

 private:
  fake::Desktop desktop_;
  std::shared_ptr<ElementTable> elements_;
  std::unique_ptr<MacosServer> server_;
};

// One trial's: all its servers share their elements.
inline MakeBackend BackendOnFake(const MacosOptions& options = {}) {
  return [options,
          elements = std::make_shared<ElementTable>()](mock::MockServer& mock) {
    return std::make_unique<OnFake>(&mock, elements, options);
  };
}

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_TESTING_BACKEND_H_
