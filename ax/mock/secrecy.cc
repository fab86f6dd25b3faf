#include "ax/mock/secrecy.h"

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/scoped.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr int64_t kMostMessages = 1'000'000;

class SecureRole : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    for (const Element& field : Fields(world)) {
      world.SetSecure(field, true).IgnoreError();
    }
  }
};

class SecureSubrole : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    for (const Element& field : Fields(world)) {
      Node& node = *world.Mutable(field);
      node.role = {Role::kTextField, "AXTextField"};
      node.subrole = RoleValue{Role::kPassword, "AXSecureTextField"};
    }
  }
};

class TurnsSecure : public Scoped {
 public:
  using Scoped::Scoped;
  void BeforeMessage(World& world, const Message& message) override {
    if (done_ || int64_t{message.index} - options().after < parameter()) return;
    done_ = true;
    for (const Element& field : Fields(world)) {
      world.SetSecure(field, true).IgnoreError();
    }
  }

 private:
  bool done_ = false;
};

class ShowPasswordToggles : public Scoped {
 public:
  using Scoped::Scoped;
  void BeforeMessage(World& world, const Message& message) override {
    if (!Due(message, parameter())) return;
    secure_ = !secure_;
    for (const Element& field : Fields(world)) {
      world.SetSecure(field, secure_).IgnoreError();
    }
  }

 private:
  bool secure_ = false;
};

// The field is secure and does not say what it is.
class RoleWithheld : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    for (const Element& field : Fields(world)) {
      world.SetSecure(field, true).IgnoreError();
    }
  }
  void AlterReading(World&, const Message& message, Reading& reading) override {
    if (message.attribute != Attribute::kRole || !Hits(message)) return;
    switch (parameter()) {
      case 0:
        reading = absl::UnimplementedError("no role");
        break;
      case 1:
        reading = absl::NotFoundError("no role");
        break;
      default:
        reading = Value(RoleValue{Role::kUnknown, ""});
        break;
    }
  }
};

class PermissionLost : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (Hits(message) &&
        int64_t{message.index} - options().after >= parameter()) {
      fate.refusal = absl::PermissionDeniedError("not trusted any longer");
    }
  }
};

constexpr HostilityKind kKinds[] = {
    {"secure_role", "the focused fields are passwords and say so by role", "",
     0, 0, 0, &Make<SecureRole>},
    {"secure_subrole",
     "the focused fields are passwords, plain by role and secure by subrole",
     "", 0, 0, 0, &Make<SecureSubrole>},
    {"turns_secure", "the focused fields become passwords",
     "after how many messages", 3, 0, kMostMessages, &Make<TurnsSecure>},
    {"show_password_toggles", "the focused fields become passwords and back",
     "every how many messages", 1, 1, kMostMessages,
     &Make<ShowPasswordToggles>},
    {"role_withheld",
     "the focused fields are passwords and do not answer what their role is",
     "0: the element lacks it, 1: no value, 2: unknown", 0, 0, 2,
     &Make<RoleWithheld>},
    {"permission_lost", "every call is refused", "after how many messages", 0,
     0, kMostMessages, &Make<PermissionLost>},
};

}  // namespace

absl::Span<const HostilityKind> SecrecyHostilities() { return kKinds; }

}  // namespace tactus::ax::mock
