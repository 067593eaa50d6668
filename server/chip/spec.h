// What kinds of chip there are: one row each (kinds.def), every figure with its source.
//
// A chip is one device of Podium, with all of its TensorCores. On v4 and v5p that is what
// JAX calls a device too (megacore: XLA splits every operation over both cores). On v2,
// v3 and v7x JAX shows each core as a device of its own; the chip is then both of them
// doing the same at the same time: their rates and memories add up, and they share the
// links. The rows v2c, v3c and v7c are one core each, with half of everything that the
// cores of a chip share. The rows v2-cores, v3-cores and v7x-cores are what JAX sees: a
// device per core, two of them at each place of the torus, with a link between them.
//
// A user describes a chip of his own in a text of lines `key = value`, where `#` begins a
// comment and the keys are the fields below:
//
//     base = v5e            # The row that the other fields come from (v5e). First.
//     name = v5e-fat        # Letters, digits, '.', '_', '-'; not that of a row (custom).
//     hbm_bytes = 32 GiB    # Sizes may have a unit: KiB, MiB, GiB.
//     ici_bytes_per_s = 90e9
//     chips_per_host = 2x2x1
//     is_megacore = false
//
// Units: FLOP per second, bytes, bytes per second, picoseconds. Threading: pure.

#ifndef SERVER_CHIP_SPEC_H_
#define SERVER_CHIP_SPEC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"

enum {
  CHIP_SPEC_NAME_MAX = 31,         // Bytes.
  CHIP_SPEC_TEXT_MAX = 64 * 1024,  // Of a description.
};

typedef struct chip_spec_t {
  const char *name;         // "v5e"
  const char *accelerator;  // Prefix of accelerator names: "v5litepod".
  const char *device_kind;  // As JAX names it: "TPU v5 lite"; of a user's own its name.
  int32_t cores_per_chip;   // TensorCores that are one device here.
  bool is_megacore;         // JAX shows the cores of a chip as one device too.
  // Names like v4-8 count TensorCores, v5litepod-4 counts chips.
  bool accelerator_counts_cores;

  // 2: JAX shows each core as a device. Figures are then one device's; the links of ICI
  // are the chip's, which both share.
  int32_t devices_per_chip;

  int32_t torus_dimensions;  // 2 or 3.
  int32_t wraparound;  // An axis closes when its size is a multiple of this (v5e: 16); in
                       // 3D only when all three are (v4, v5p: 4). 0: none ever does.
  int32_t chips_per_host[3];  // The block of the torus that one host has.
  int32_t largest_slice[3];

  double pcie_bytes_per_s;    // Between the chip and its host, in each direction.
  int64_t pcie_latency_ps;    // Until the first byte arrives.
  int64_t host_memory_bytes;  // Of the host's memory, what is for this chip.
  int64_t dispatch_ps;        // What a call that waits for its result costs on the host,
                              // beside the device's time.

  int64_t hbm_bytes;
  int64_t hbm_reserved_bytes;  // Of that, what programs do not get.
  int64_t vmem_bytes;          // Of all cores.
  double hbm_bytes_per_s;      // Nominal.
  double hbm_fraction;         // What streaming in one direction sustains of it.
  double hbm_turnaround;       // A byte that is written while another is read costs both
                               // this much more: the bus turns round.
  double vmem_bytes_per_s;     // Between VMEM and the units of the core.
  int64_t dma_latency_ps;      // Until the first byte of a DMA arrives.

  double bf16_flop_per_s;     // Nominal peak.
  double mxu_fraction;        // What a large product sustains of it.
  int32_t mxu_size;           // Rows and columns of the array: products are padded to it.
  double int8_op_per_s;       // 0: no rate of its own, bf16's counts.
  double fp8_flop_per_s;      // Of f8E4M3FN and f8E5M2. 0: they are multiplied as bf16.
  double vpu_op_per_s;        // Elementwise f32 operations.
  int64_t launch_ps;          // Of a program, until its first kernel.
  int64_t kernel_ps;          // What every kernel of it costs of its own.
  int64_t loop_turn_ps;       // A turn of a loop, besides the kernels in it.
  int64_t grid_step_ps;       // What a step of a Pallas kernel costs besides its work.
  int64_t kernel_vmem_bytes;  // That a Pallas kernel has unless it asks for more.

  double ici_bytes_per_s;  // Usable, per link and direction.
  int64_t ici_hop_ps;
  double dcn_bytes_per_s;  // Data-centre network, per direction: this chip's share of its
                           // host's interface, which the chips of the host share.
  int64_t dcn_latency_ps;  // Of a message between slices, from HBM to HBM.
  double die_bytes_per_s;  // Between the devices of a chip. 0: there is one.
  int64_t collective_startup_ps;  // Of a collective, besides hops and bytes.
  int64_t async_start_ps;         // What the core does to start an asynchronous one,
  int64_t async_done_ps;          // and to take its result when that has arrived.
  // all_reduce and reduce_scatter run beside the core, on a SparseCore: else the core
  // adds what arrives, and does nothing else meanwhile.
  bool overlaps_reductions;
} chip_spec_t;

// NULL when there is no such row. Case does not count. Borrowed: static.
const chip_spec_t *chip_spec_find(const char *name);

// What of the HBM programs and their arrays get.
int64_t chip_spec_hbm_usable_bytes(const chip_spec_t *spec);

// The rows, NULL behind the last.
const chip_spec_t *const *chip_spec_all(void);

// Where the figure of a row comes from, in a few words; `key` is the name of the field.
// NULL when `spec` is no row, or has no such figure. Borrowed: static.
const char *chip_spec_source(const chip_spec_t *spec, const char *key);

// All rows as JSON: {"kinds": [{"name": "v5e", "accelerator": "v5litepod", "figures":
// [{"name": "hbm_bytes", "value": 17179869184, "unit": "B", "says": …, "source": …}, …]},
// …]}. A value is a number, true, false, or three numbers; unit "" is a plain number.
void chip_spec_list(pod_text_t *text);

// Reads a description; `file_name` stands for it in messages. INVALID_ARGUMENT names
// file, line, key and what is possible. The spec is destroyed by chip_spec_destroy.
POD_MUST_USE pod_status_t chip_spec_parse(const char *file_name, const char *text,
                                          size_t size_bytes, chip_spec_t **out_spec);

// A description of all fields from which chip_spec_parse makes the same spec, to the bit.
void chip_spec_print(pod_text_t *text, const chip_spec_t *spec);

// What chip_spec_parse made. Accepts NULL.
void chip_spec_destroy(chip_spec_t *spec);

#endif  // SERVER_CHIP_SPEC_H_
