// The table of chip kinds: kinds.def read twice, for the figures and for their sources.
//
// HBM sizes are GiB: JAX's byte counts are 2^30 times the number that the other sources
// call GB.
//
// HBM: what streams sustain follows from two kinds of measurement. A matvec only reads:
// 67 MB take 209.2 us on a v2 core (0.903 of nominal) and 90 us on v5e (0.927); the mean,
// 0.915, stands for the others. A copy writes as much as it reads: 67 MB take 49.36 us on
// v6e, 17 GB take 5351 us on a v7x core, 0.878 and 0.872 of nominal, because the bus must
// turn round. The ratio is HBM_TURNAROUND, and the two kinds' own fraction is what it
// leaves of their copies.
//
// MXU: the fraction is measured where a large product is published; the mean of those
// five, 0.912, stands for v3 and v5p. The peak of v6e and v7x is not what their number of
// arrays and any credible clock give, so it is a number of its own.
//
// VPU: 8·128 lanes in every kind, two ALUs each up to v4 and four from v5 on, at the
// clock that follows from the MXU: peak / (2 · multipliers). v6e and v7x would need 3.5
// and 4.4 GHz for their MXUs, which is not credible; half of it is taken.
//
// VMEM feeds the core at 22 times HBM's rate. A DMA's latency is what a grid step of
// Pallas costs (measured: 0.35 us). Kernels load blocks of 1 MiB: a product of 1024³ on
// v5e takes 14.4 us, 13 of them the MXU and the fixed cost, the rest such a block.
//
// ICI rates are what is usable: the book's 45 and 90 GB/s, or what large transfers were
// measured at. Every device operation costs 1.55 us (measured: a 128³ product on v7x
// takes 1.62 us, 0.07 of it its own); the start and the end of an asynchronous collective
// are one each. What a collective needs to start is measured on v5e, v6e and v7x, and
// their median stands for the others.

#include "server/chip/spec.h"

#include <string.h>
#include <strings.h>

#include "server/chip/figures.h"

#define GIB ((int64_t)1 << 30)
#define MIB ((int64_t)1 << 20)
#define BLOCK_BYTES MIB
#define LANES (8.0 * 128.0)
#define MXU_FRACTION 0.912
#define HBM_FRACTION 0.915
#define HBM_TURNAROUND 0.046
#define VMEM_OF_HBM 22.0

enum {
  HOP_PS = 1000000,
  OP_OVERHEAD_PS = 1550000,
  STARTUP_PS = 2950000,
  DMA_LATENCY_PS = 350000,
};

// Sources, in their words. Measured: a published trace or benchmark of that kind, which
// `bench.fidelity` predicts.
#define AND ", "
#define JAX "jax/_src/tpu_info.py"
#define BOOK "How to Scale Your Model, the page on TPUs"
#define BOOK_PR "How to Scale Your Model, change 115"
#define CLOUD "cloud.google.com/tpu/docs, the page of the kind"
#define ONE_CORE "one core of the kind: half of what its cores share"
#define NO_RATE "no rate of its own: multiplied as bf16"
#define MEAN_OF_MEASURED "the mean of the kinds on which it was measured"
#define MEDIAN_OF_MEASURED "the median of v5e, v6e and v7x, where it was measured"
#define COPY_AND_MATVEC "measured: copies on v6e and v7x against matvecs on v2 and v5e"
#define VMEM_RATE BOOK ": 22 times HBM's rate"
#define KERNEL_BLOCK "measured: what a product of 1024^3 on v5e takes besides the MXU"
#define GRID_STEP "measured: a grid step of Pallas"
#define SMALL_PRODUCT "measured: a product of 128^3 on v7x"
#define AN_OPERATION "as any operation"
#define LANES_AND_CLOCK \
  BOOK AND JAX ": lanes and ALUs, at the clock that the MXU's peak needs"
#define LANES_AND_HALF_CLOCK LANES_AND_CLOCK ", halved, as that is not credible"

#define KIND(id, kind_name, prefix, jax_name) \
  static const chip_spec_t id##_kind = {      \
      .name = kind_name, .accelerator = prefix, .device_kind = jax_name,
#define FIGURE(field, source, ...) .field = __VA_ARGS__,
#define END_KIND \
  }              \
  ;
#include "server/chip/kinds.def"
#undef KIND
#undef FIGURE
#undef END_KIND

typedef struct figure_source_t {
  const char *key, *source;
} figure_source_t;

#define KIND(id, kind_name, prefix, jax_name) \
  static const figure_source_t id##_sources[] = {
#define FIGURE(field, source, ...) {#field, source},
#define END_KIND \
  { NULL, NULL } \
  }              \
  ;
#include "server/chip/kinds.def"
#undef KIND
#undef FIGURE
#undef END_KIND

static const chip_spec_t *const rows[] = {
#define KIND(id, kind_name, prefix, jax_name) &id##_kind,
#define FIGURE(field, source, ...)
#define END_KIND
#include "server/chip/kinds.def"
#undef KIND
    NULL};

// In the order of `rows`.
static const figure_source_t *const sources[] = {
#define KIND(id, kind_name, prefix, jax_name) id##_sources,
#include "server/chip/kinds.def"
#undef KIND
#undef FIGURE
#undef END_KIND
};

const chip_spec_t *const *chip_spec_all(void) {
  return rows;
}

const chip_spec_t *chip_spec_find(const char *name) {
  for (const chip_spec_t *const *row = rows; *row != NULL; row++) {
    if (strcasecmp((*row)->name, name) == 0) {
      return *row;
    }
  }
  return NULL;
}

const char *chip_spec_source(const chip_spec_t *spec, const char *key) {
  for (size_t i = 0; rows[i] != NULL; i++) {
    for (const figure_source_t *at = sources[i]; rows[i] == spec && at->key != NULL;
         at++) {
      if (strcmp(at->key, key) == 0) {
        return at->source;
      }
    }
  }
  return NULL;
}
