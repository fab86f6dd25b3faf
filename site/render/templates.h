// The templates that pages are made of, filled in and escaped by context.
//
// Use one for a whole site. A template is logic-less: variables, sections and
// nothing else; each is escaped for where it stands (text, attribute, address).
// Variables that hold HTML made by another template, or SVG made by plot.h, are
// marked `:none` in the template, and in no other case.
//
// Example:
//
//   Dictionary row("row");
//   row.SetValue("ID", entry.id);
//   page += templates.Expand("row.tpl", row);
#ifndef TACTUS_SITE_RENDER_TEMPLATES_H_
#define TACTUS_SITE_RENDER_TEMPLATES_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "ctemplate/template.h"

namespace tactus::site {

using Dictionary = ctemplate::TemplateDictionary;

class Templates {
 public:
  // `files` are templates by name; in them, "@STYLE@" becomes the text of the
  // files that end with ".css". InvalidArgument names the template that is
  // wrong.
  static absl::StatusOr<std::unique_ptr<Templates>> Load(
      const std::map<std::string, std::string>& files);

  // Appends to `out`. `name` is one of `files`; the process ends where it is
  // not, since that is a mistake in the program.
  void Expand(const std::string& name, const Dictionary& dictionary,
              std::string& out) const;
  std::string Expand(const std::string& name,
                     const Dictionary& dictionary) const;

 private:
  Templates() = default;

  // Expanding is const for us: the cache locks itself.
  mutable ctemplate::TemplateCache cache_;
};

// Text for where no template is: the five characters that HTML has escapes for.
std::string EscapeHtml(const std::string& text);

}  // namespace tactus::site

#endif  // TACTUS_SITE_RENDER_TEMPLATES_H_
