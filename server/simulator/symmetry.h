// Which chips can't be told apart. They do the same at the same time, so the clock runs
// one of each class.
//
// Chips are coloured by what they are and do (slowdowns, traces, the shapes of their
// schedules); then a colour is split by the colours of the chips that a chip exchanges
// messages with, of those whose links its messages cross, and of those whose messages
// cross its links, until nothing splits any more. What is left is an equitable partition:
// every chip of a class meets the same classes at the same displacements, so the classes
// with their messages behave as the chips do.
//
// Threading: pure. Ownership: deinit frees all.

#ifndef SERVER_SIMULATOR_SYMMETRY_H_
#define SERVER_SIMULATOR_SYMMETRY_H_

#include <stdbool.h>
#include <stdint.h>

#include "server/simulator/plans.h"
#include "server/simulator/simulator.h"

typedef struct simulator_classes_t {
  int32_t chip_count;  // Of the torus.
  int32_t class_count;
  int32_t *class_of_chip;
  // By class: its lowest chip; ascending among the classes that run the program, which
  // come first, and among the others.
  int32_t *representatives;
  int32_t running_count;  // Classes whose chips run the program.
  int32_t *sizes;         // By class.
} simulator_classes_t;

// What tells chips apart before anything is sent: equal numbers, alike chips.
typedef struct simulator_marks_t {
  const uint64_t *of_chip;
} simulator_marks_t;

void simulator_classes_init(simulator_classes_t *classes, const simulator_plans_t *plans,
                            const simulator_marks_t *marks, bool ignores_symmetry);
void simulator_classes_deinit(simulator_classes_t *classes);

#endif  // SERVER_SIMULATOR_SYMMETRY_H_
