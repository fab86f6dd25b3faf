// Appends what a benchmark in another language measured to the ledger: lines of
// JSON on standard input, each answered by a line, "ok" or what is wrong.
//
//   {"series":"transfer/seconds","unit":"s","direction":"less",
//    "samples":[1.5],"failures":0,"configuration":{"size":"512 MiB"}}
//
// Use it as the main function of the program that such a benchmark starts,
// before anything is measured, so that the load before is that:
//
//   int main(int argc, char** argv) {
//     return RecordLines("//transfer:benchmark", kHarnessDigest, argc, argv);
//   }
#ifndef TACTUS_TRANSFER_BENCHMARK_RECORDING_H_
#define TACTUS_TRANSFER_BENCHMARK_RECORDING_H_

#include <string>

namespace tactus::transfer {

// What the program ends with. `instrument` is the target that measures.
int RecordLines(const std::string& instrument, const std::string& harness,
                int argc, char** argv);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_BENCHMARK_RECORDING_H_
