// What ax_read and ax_ratio have in common: one program each, and one way to
// stage, record and judge.
#ifndef TACTUS_GATE_READ_GATE_H_
#define TACTUS_GATE_READ_GATE_H_

namespace tactus::gate {

struct ReadGate {
  const char* name;    // "ax_read"
  const char* about;   // for --help
  const char* series;  // what the budgets are of
  bool ratio = false;  // of the probe
};

int RunReadGate(const ReadGate& gate, int argc, char** argv);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_READ_GATE_H_
