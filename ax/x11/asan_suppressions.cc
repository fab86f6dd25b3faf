// What AddressSanitizer is not to report of libxkbcommon.
//
// Reading a keymap, that copies counted strings out of a reply with strndup,
// which is right. With strict_string_checks (.bazelrc) the sanitizer wants
// every string that strndup is given to end in a zero, and these do not.
// Nothing is in this file without the sanitizer.

#if defined(__has_feature)
#if __has_feature(address_sanitizer)

extern "C" const char* __asan_default_suppressions() {
  return "interceptor_via_lib:libxkbcommon-x11\n";
}

#endif
#endif
