// While it lives the system gives this process no thread: a new one would have
// a stack for which there are no addresses.
//
//   const NoThreads none;
//   EXPECT_TRUE(absl::IsUnavailable(StartThread([] {}).status()));
#ifndef TACTUS_TRANSFER_MCP_TESTING_NO_THREADS_H_
#define TACTUS_TRANSFER_MCP_TESTING_NO_THREADS_H_

#include <pthread.h>

#include <cstddef>

namespace tactus::transfer {

class NoThreads {
 public:
  NoThreads() {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_getstacksize(&attributes, &before_);
    Set(size_t{1} << 47);
  }
  ~NoThreads() { Set(before_); }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  static void Set(size_t size) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }

  size_t before_ = 0;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_TESTING_NO_THREADS_H_
