// A ledger of many rows that nobody measured.
//
// Example:
//
//   std::ofstream out("made-up.jsonl");
//   MakeScaleLedger(out, 100'000, 200);
#ifndef TACTUS_SITE_TESTING_SCALE_H_
#define TACTUS_SITE_TESTING_SCALE_H_

#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

namespace tactus::site {

// `n` values that are log-normal around `median`, with a tail as schedulers
// make one. The same bits in every build.
std::vector<double> MakeSamples(std::mt19937_64& random, int n, double median,
                                double sigma);

// In twenty series, a run four times a day. The same arguments give the same
// bytes.
void MakeScaleLedger(std::ostream& out, int64_t rows, int samples);

}  // namespace tactus::site

#endif  // TACTUS_SITE_TESTING_SCALE_H_
