// Reads values out of JSON that a foreign program wrote, and keeps what was
// wrong first, with its place in the document.
//
// Use it where a document is read field by field and anything may be missing or
// of another type: no call fails by itself, and one question at the end tells.
//
// Example:
//
//   Fields fields;
//   const json::object& context = fields.Object(document, "context", "");
//   const std::string date = fields.Text(context, "date", "context");
//   if (!fields.status().ok()) return fields.status();
//   // "context.date: is missing"
//
// After the first failure the calls answer empty values.
#ifndef TACTUS_LEDGER_IMPORT_FIELDS_H_
#define TACTUS_LEDGER_IMPORT_FIELDS_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tactus::ledger {

class Fields {
 public:
  // What `place` names is where the object stands: "results[3]", or "" for the
  // document itself.
  const boost::json::object& AsObject(const boost::json::value& value,
                                      absl::string_view place);
  const boost::json::object& Object(const boost::json::object& from,
                                    absl::string_view key,
                                    absl::string_view place);
  const boost::json::array& Array(const boost::json::object& from,
                                  absl::string_view key,
                                  absl::string_view place);
  std::string Text(const boost::json::object& from, absl::string_view key,
                   absl::string_view place);
  double Number(const boost::json::object& from, absl::string_view key,
                absl::string_view place);
  int64_t Count(const boost::json::object& from, absl::string_view key,
                absl::string_view place);
  bool Bool(const boost::json::object& from, absl::string_view key,
            absl::string_view place);
  std::vector<double> Numbers(const boost::json::object& from,
                              absl::string_view key, absl::string_view place);

  // Whether the key is there, and not null.
  static bool Has(const boost::json::object& from, absl::string_view key);

  // Keeps it, unless something was wrong before.
  void Fail(absl::string_view place, absl::string_view key,
            absl::string_view what);

  // InvalidArgument "PLACE.KEY: WHAT", or OK.
  const absl::Status& status() const { return status_; }

 private:
  const boost::json::value* Find(const boost::json::object& from,
                                 absl::string_view key,
                                 absl::string_view place);

  absl::Status status_;
};

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_IMPORT_FIELDS_H_
