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
// HBM that programs do not get is what XLA says when memory is short: "Ran out of memory
// in memory space hbm. Used 18.2G of 15.75G hbm", "reserved 530.00M".
//
// MXU: the fraction is measured where a large product is published; the mean of those
// five, 0.912, stands for v3 and v5p. The peak of v6e and v7x is not what their number of
// arrays and any credible clock give, so it is a number of its own.
//
// VPU: 8·128 lanes in every kind, two ALUs each up to v4 and four from v5 on, at the
// clock that follows from the MXU: peak / (2 · multipliers). v6e and v7x would need 3.5
// and 4.4 GHz for their MXUs, which is not credible; half of it is taken.
//
// A step of a Pallas kernel: 8192³ in 262,144 steps of 128³ take 91.8 ms on v5e, 0.35 us
// each, of which 0.03 are the work of its step. What a further stage of a step costs that
// waits for the one before (grid.h) is taken to be as much: flash attention in blocks of
// 128, of three stages, takes 1.11 to 1.15 us a step on v5e.
//
// VMEM feeds the core at 22 times HBM's rate. A DMA's latency is what a grid step of
// Pallas costs (measured: 0.35 us). In which pieces kernels load follows from it and from
// the VMEM that they have (product.h, cost.h).
//
// ICI rates are what is usable: the book's 45 and 90 GB/s, or what large transfers were
// measured at. What a collective needs to start is measured on v5e, v6e and v7x, and
// their median stands for the others.
//
// Fixed costs. A whole module of one 128³ product takes 1.62 us on v7x, 0.07 of it its
// own: 1.55 us are the launch of the program and a kernel. A kernel within a module waits
// for the first DMA, 0.35 us: in a trace on v5e a copy of 4 MiB takes 11.5 us, 11.5 of it
// its bytes, and XLA estimates one of 16 bytes at 587 cycles (xla/tools/
// multihost_hlo_runner, functional_hlo_runner_test). The rest, 1.2 us, is the launch. A
// turn of a loop was published only with a collective in it (v6e), so that nobody knows
// which part is the loop's. What is known of the start and the end of an asynchronous
// collective is that both together are some microseconds.
//
// The host: a call that waits for its result costs it 105 us beside the device's time (a
// product of 1024³ on v5e is 119.4 us by timeit, 14.4 in the trace); it is told beside
// the step, never in it.

#include "server/chip/spec.h"

#include <string.h>
#include <strings.h>

#include "server/chip/figures.h"

#define GIB ((int64_t)1 << 30)
#define MIB ((int64_t)1 << 20)
#define LANES (8.0 * 128.0)
#define MXU_FRACTION 0.912
#define HBM_FRACTION 0.915
#define HBM_TURNAROUND 0.046
#define VMEM_OF_HBM 22.0
#define DCN_LATENCY_PS 20000000

enum {
  HOP_PS = 1000000,
  STARTUP_PS = 2950000,
  DMA_LATENCY_PS = 350000,
  GRID_STEP_PS = 320000,
  PCIE_LATENCY_PS = 1000000,
  DISPATCH_PS = 105000000,
  LAUNCH_PS = 1200000,
  LOOP_TURN_PS = LAUNCH_PS,
  ASYNC_HALF_PS = 1550000,
};

// Sources, in their words. Measured: a published trace or benchmark of that kind, which
// `bench.fidelity` predicts.
#define AND ", "
#define JAX "jax/_src/tpu_info.py"
#define BOOK "How to Scale Your Model, the page on TPUs"
#define BOOK_PR "How to Scale Your Model, change 115"
#define CLOUD "cloud.google.com/tpu/docs, the page of the kind"
#define ONE_CORE "one core of the kind: half of what its cores share"
#define DCN_BOOK "How to Scale Your Model, change 124"
#define GUESS_DCN "guess: as v4"
#define DCN_LATENCY \
  "guess: from HBM to a host over PCIe, through a data centre, and back into HBM"
#define ONE_DEVICE "both cores as one, or one alone; JAX shows two: the row with -cores"
#define MAXTEXT_DIE "MaxText, custom_model.md: the die's link is about six of ICI"
#define GUESS_DIE "guess: as v7x, six ICI links"
#define NO_DIE "one device"
#define DIE_OF_ICI 6
#define NO_RATE "no rate of its own: multiplied as bf16"
#define MEAN_OF_MEASURED "the mean of the kinds on which it was measured"
#define MEDIAN_OF_MEASURED "the median of v5e, v6e and v7x, where it was measured"
#define COPY_AND_MATVEC "measured: copies on v6e and v7x against matvecs on v2 and v5e"
#define OUT_OF_MEMORY "XLA's messages of exhausted memory say: of "
#define RESERVED_V2 OUT_OF_MEMORY "7.48G hbm, 530.00M reserved; per core"
#define RESERVED_V3 OUT_OF_MEMORY "15.48G hbm, 530.00M reserved; per core"
#define RESERVED_V4 OUT_OF_MEMORY "30.75G hbm, 1.25G reserved"
#define RESERVED_V5E OUT_OF_MEMORY "15.75G hbm"
#define RESERVED_V5P OUT_OF_MEMORY "95.74G hbm, more than the kind's page has"
#define RESERVED_V6E OUT_OF_MEMORY "31.25G hbm"
#define RESERVED_V7X OUT_OF_MEMORY "94.75G hbm; per core"
#define HOST_V4 "guess: 407 GB of a host of four chips"
#define HOST_V5E "guess: 192 GB of a host of four chips"
#define HOST_V5P "guess: 448 GB of a host of four chips"
#define HOST_V6E "ct6e-standard-8t has 1440 GB for eight chips"
#define HOST_V7X "guess: 960 GB of a host of four chips"
#define GUESS_HOST "guess: as v4, rounded"
#define VMEM_RATE BOOK ": 22 times HBM's rate"
#define GRID_STEP "what a grid step of Pallas costs (grid_step_ps)"
#define PCIE_AS_V4 "guess: as v4, 16 lanes of PCI Express 3.0"
#define PCIE_LATENCY \
  "guess: a read by PCI Express takes about 1 us (Neugebauer et al., SIGCOMM 2018)"
#define DISPATCH_MEASURED "measured: a product of 1024^3 by timeit against its trace"
#define DISPATCH_ELSEWHERE "guess: as measured on v5e"
#define PALLAS_PRODUCT \
  "measured: a step of a product in Pallas, less the work of its 128^3"
#define GRID_STEP_OF_V5E "guess: as on v5e, where it was measured"
#define SCOPED "XLA's default limit of scoped VMEM, as its messages say"
#define SCOPED_V6E SCOPED "; vllm-project/tpu-inference, change 3407"
#define SCOPED_OF_V5E "guess: XLA's default limit of scoped VMEM on v5e"
#define SMALL_PRODUCT "measured: a module of a product of 128^3 on v7x, less its kernel"
#define FIRST_DMA "the latency of its first DMA; a copy in a trace on v5e shows no more"
#define A_TURN "guess: no more than a launch; known only with a collective in it"
#define SPARSE_CORE \
  "MaxText, benchmarks/xla_flags_library.py: by default the SparseCore takes them"
#define NO_SPARSE_CORE                                                                \
  "without XLA's flags: MaxText, benchmarks/xla_flags_library.py; in published "      \
  "profiles of Llama-3-8B and Qwen3-8B on v6e-8 they take 5 and 7.5 % of the core's " \
  "time"
#define ASYNC_PERMUTE "guess: published profiles show some microseconds for start and end"
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

int64_t chip_spec_hbm_usable_bytes(const chip_spec_t *spec) {
  return spec->hbm_bytes - spec->hbm_reserved_bytes;
}

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
