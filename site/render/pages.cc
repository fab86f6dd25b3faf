#include "site/render/pages.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "site/render/templates.h"

namespace tactus::site {
namespace {

absl::Status WriteFile(const std::string& path, const std::string& content) {
  const auto failed = [&](const char* what) {
    return absl::UnavailableError(
        absl::StrCat(path, ": cannot ", what, ": ", std::strerror(errno)));
  };
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return failed("create");
  const bool written =
      std::fwrite(content.data(), 1, content.size(), file) == content.size();
  // A full disk may show at the end alone.
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) return failed("write");
  return absl::OkStatus();
}

}  // namespace

PageWriter::PageWriter(const Templates& templates, std::string folder,
                       SiteFacts site)
    : templates_(templates),
      folder_(std::move(folder)),
      site_(std::move(site)) {}

absl::Status PageWriter::Write(const Page& page) {
  if (!names_.insert(page.name).second) {
    return absl::AlreadyExistsError(
        absl::StrCat(page.name, ": two pages of this name; rename one"));
  }
  Dictionary layout("layout");
  layout.SetValue("SITE", site_.name);
  layout.SetValue("TAGLINE", site_.tagline);
  layout.SetValue("TITLE", page.title);
  layout.SetValue("ABOUT", page.about);
  layout.SetValue("FOOTER", site_.footer);
  layout.SetValue("BODY", page.body);
  if (page.wide) layout.ShowSection("WIDE");
  for (const SiteFacts::Link& link : site_.navigation) {
    Dictionary* item = layout.AddSectionDictionary("NAVIGATION");
    item->SetValue("HREF", link.href);
    item->SetValue("TEXT", link.text);
    if (link.href == page.here) item->ShowSection("HERE");
  }
  const std::string html = templates_.Expand("layout.tpl", layout);
  if (html.size() >= kMostPage) {
    return absl::ResourceExhaustedError(absl::StrCat(
        page.name, ": ", html.size(), " bytes, and a page has less than ",
        kMostPage, ": split it into two"));
  }
  largest_ = std::max(largest_, html.size());
  bytes_ += html.size();
  return WriteFile(absl::StrCat(folder_, "/", page.name), html);
}

}  // namespace tactus::site
