// The files that the generator carries in itself, by their names: what every
// page is made of, and the pages for a ledger that has none of its own.
//
// Use them where the generator runs far from its sources. embed.py writes both.
#ifndef TACTUS_SITE_RENDER_EMBEDDED_H_
#define TACTUS_SITE_RENDER_EMBEDDED_H_

#include <map>
#include <string>

namespace tactus::site {

// "layout.tpl", "row.tpl", …, "page.css"
std::map<std::string, std::string> EmbeddedTemplates();

// "site.txt", "index.html", …: what --templates DIR takes the place of.
std::map<std::string, std::string> EmbeddedPages();

}  // namespace tactus::site

#endif  // TACTUS_SITE_RENDER_EMBEDDED_H_
