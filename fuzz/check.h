#ifndef TACTUS_FUZZ_CHECK_H_
#define TACTUS_FUZZ_CHECK_H_

// What a fuzz target asserts with.
//
// When to use: for each invariant of a target's oracle. Unlike assert() it is
// there in every configuration, so the replay test checks the same in an
// optimised build.
//
// Example:
//   FUZZ_CHECK(IsValidUtf8(Sanitize(text)));
//
// On failure it prints file, line and condition, never the input, and aborts,
// which libFuzzer takes as a crash and saves the input of.

#include <cstdio>
#include <cstdlib>

#define FUZZ_CHECK(condition)                                          \
  do {                                                                 \
    if (!(condition)) {                                                \
      std::fprintf(stderr, "%s:%d: FUZZ_CHECK failed: %s\n", __FILE__, \
                   __LINE__, #condition);                              \
      std::abort();                                                    \
    }                                                                  \
  } while (false)

#endif  // TACTUS_FUZZ_CHECK_H_
