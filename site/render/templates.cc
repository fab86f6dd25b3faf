#include "site/render/templates.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "ctemplate/template.h"

namespace tactus::site {
namespace {

constexpr ctemplate::Strip kStrip = ctemplate::STRIP_WHITESPACE;

}  // namespace

absl::StatusOr<std::unique_ptr<Templates>> Templates::Load(
    const std::map<std::string, std::string>& files) {
  std::string style;
  for (const auto& [name, text] : files) {
    if (absl::EndsWith(name, ".css")) absl::StrAppend(&style, text);
  }
  // Not make_unique: the constructor is private.
  auto templates = std::unique_ptr<Templates>(new Templates());
  for (const auto& [name, text] : files) {
    if (!absl::EndsWith(name, ".tpl")) continue;
    if (!absl::StartsWith(text, "{{%AUTOESCAPE context=\"HTML\"}}")) {
      return absl::InvalidArgumentError(
          absl::StrCat(name,
                       ": does not begin with {{%AUTOESCAPE "
                       "context=\"HTML\"}}, so nothing would be "
                       "escaped"));
    }
    const std::string whole = absl::StrReplaceAll(text, {{"@STYLE@", style}});
    // Loading reports to standard error what the template language refuses.
    if (!templates->cache_.StringToTemplateCache(name, whole, kStrip)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": is not a template, see above"));
    }
  }
  return templates;
}

void Templates::Expand(const std::string& name, const Dictionary& dictionary,
                       std::string& out) const {
  if (!cache_.ExpandWithData(name, kStrip, &dictionary, nullptr, &out)) {
    std::fprintf(stderr, "site: no template %s\n", name.c_str());
    std::abort();
  }
}

std::string Templates::Expand(const std::string& name,
                              const Dictionary& dictionary) const {
  std::string out;
  Expand(name, dictionary, out);
  return out;
}

std::string EscapeHtml(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"},
                                    {"<", "&lt;"},
                                    {">", "&gt;"},
                                    {"\"", "&quot;"},
                                    {"'", "&#39;"}});
}

}  // namespace tactus::site
