// Random models as JAX prints them, with random shardings, for differential tests: layers
// in a row (MLP, attention, mixture of experts, convolution, embedding), some of them
// with their gradients and an optimizer's step, some turned by a scan over stacked
// parameters, some in a computation that is manual over a part of the mesh's axes.
//
// Values stay small integers as those of generator.h do: what a model divides it rounds
// down, and the softmax is one of powers of two. Sharded dimensions need not be divided
// by their axes.
//
// Determinism: a seed gives the same text on every machine.

#ifndef TESTS_SIM_MODELS_H_
#define TESTS_SIM_MODELS_H_

#include <stdint.h>

// The module's text; returns owned.
char *model_text(uint64_t seed, int64_t *out_device_count);

#endif  // TESTS_SIM_MODELS_H_
