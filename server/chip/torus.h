// The topology of a pod: where chips are and which links they have.
//
// A pod is one slice or several alike. A slice is a torus of ICI links; slices are joined
// by the data-centre network (DCN), over which any host reaches any other. Where JAX sees
// the cores of a chip as devices of their own, a "chip" here is one of them: those of a
// chip have a link between them (on the die) and share its ICI links.
//
// A chip id counts cores fastest, then x, then slices last, as JAX numbers TPU devices:
// id = core + cores·(x + X·(y + Y·(z + Z·slice))).
// Threading: pure.

#ifndef SERVER_CHIP_TORUS_H_
#define SERVER_CHIP_TORUS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"
#include "server/chip/spec.h"

enum {
  TORUS_DIMENSIONS = 3,
  TORUS_DIRECTIONS = 6,  // Of ICI.
  // What carries bytes besides ICI. DCN: from slice to slice, round all of them, between
  // chips at the same place. DIE: from a core to the other of its chip.
  TORUS_DCN_UP = 6,
  TORUS_DCN_DOWN = 7,
  TORUS_DIE_UP = 8,
  TORUS_DIE_DOWN = 9,
  TORUS_LINKS = 10,
  TORUS_CHIPS_MAX = 1 << 16,
};

// +x, -x, +y, -y, +z, -z: direction d is dimension d / 2, towards higher coordinates when
// d is even. Below TORUS_LINKS: the others above, by pairs likewise.
typedef int torus_direction_t;

typedef struct torus_t {
  int32_t size[TORUS_DIMENSIONS];  // Of a slice; 1 where there is no such dimension.
  bool wraps[TORUS_DIMENSIONS];
  int32_t slice_count;  // 0 is 1 too.
  int32_t core_count;   // Devices of a chip; 0 is 1 too.
} torus_t;

typedef struct torus_coords_t {
  int32_t at[TORUS_DIMENSIONS];  // In the slice.
  int32_t slice, core;
} torus_coords_t;

// "2x2", "4x2", "2x2x4", or an accelerator name, "v5litepod-4", "v4-8" (*out_spec is then
// set and must agree with `spec` if that is not NULL; out_spec may be NULL, and is set to
// `spec` for plain sizes). Several slices: their number before, "2*16x16", "4*v5p-8".
// Wraparound follows the kind's rule; without a kind nothing wraps. INVALID_ARGUMENT
// lists what is possible.
POD_MUST_USE pod_status_t torus_parse(const char *text, const chip_spec_t *spec,
                                      torus_t *out_torus, const chip_spec_t **out_spec);

// "2x2", "2x2x4", "2*2x2x4"; a third dimension of 1 is left out.
void torus_print(pod_text_t *text, const torus_t *torus);

static inline int32_t torus_slice_total(const torus_t *torus) {
  return torus->slice_count > 1 ? torus->slice_count : 1;
}

static inline int32_t torus_core_total(const torus_t *torus) {
  return torus->core_count > 1 ? torus->core_count : 1;
}

// Of all slices, and of one.
int32_t torus_chip_count(const torus_t *torus);
int32_t torus_slice_chip_count(const torus_t *torus);

// The slice that has the chip.
int32_t torus_slice_of(const torus_t *torus, int32_t chip);

bool torus_equal(const torus_t *a, const torus_t *b);

torus_coords_t torus_coords(const torus_t *torus, int32_t chip);
int32_t torus_chip_at(const torus_t *torus, torus_coords_t coords);
bool torus_contains(const torus_t *torus, torus_coords_t coords);

// The chip over the link in a direction (below TORUS_LINKS), or -1 when there is no link.
// An axis of size 2 has one link, seen as +d from coordinate 0 and as -d from coordinate
// 1, also when the axis wraps; so have two slices and two cores.
int32_t torus_neighbour(const torus_t *torus, int32_t chip, torus_direction_t direction);

// The direction of the first hop of the dimension-order route (x, y, z, then slices,
// then cores; the shorter way round; at a tie towards higher coordinates): how bytes are
// carried. What a message between slices takes the clock says (server/simulator): the DCN
// reaches any host at once. -1 when from == to.
torus_direction_t torus_next_hop(const torus_t *torus, int32_t from, int32_t to);

// The hops of that route by direction; it goes straight along every dimension. Returns
// how many they are.
int32_t torus_hops(const torus_t *torus, int32_t from, int32_t to,
                   int32_t out_hops[TORUS_LINKS]);

// Hops of that route.
int32_t torus_distance(const torus_t *torus, int32_t from, int32_t to);

// Whether chips `to` are chips `from` but for where they lie: one by one the same way
// off.
bool torus_is_moved(const torus_t *torus, const int64_t *from, const int64_t *to,
                    int32_t count);

// As far as somebody names a place: x, y, z, slice, core; what is left out is 0.
enum { TORUS_PLACE_NUMBERS = TORUS_DIMENSIONS + 2 };
torus_coords_t torus_coords_of(const int32_t *numbers, size_t count);
void torus_coords_put(torus_coords_t coords, int32_t out_numbers[TORUS_PLACE_NUMBERS]);

// "(0,1,0)"
void torus_print_coords(pod_text_t *text, torus_coords_t coords);

// The index of the host that has the chip, by chips_per_host: JAX's process_index. No
// host has chips of several slices.
int32_t torus_host(const torus_t *torus, const chip_spec_t *spec, int32_t chip);

// The lowest chip of that host; it stands for the host's network interface.
int32_t torus_host_first(const torus_t *torus, const chip_spec_t *spec, int32_t chip);

// Cuts the torus into `parts` equal boxes and says how large one is: the hosts' own boxes
// when there are as many hosts, else boxes that hold or divide hosts where possible, and
// of these the ones with the least surface. With fewer parts than slices a box is a whole
// slice, and a part has several. INVALID_ARGUMENT when the chips or slices do not divide.
POD_MUST_USE pod_status_t torus_cut(const torus_t *torus, const chip_spec_t *spec,
                                    int32_t parts, int32_t out_box[TORUS_DIMENSIONS]);

// The index of the box of that size that has the chip, x fastest, slices last.
int32_t torus_box(const torus_t *torus, const int32_t box[TORUS_DIMENSIONS],
                  int32_t chip);

// The index of the part that has the chip, of those that torus_cut made.
int32_t torus_part(const torus_t *torus, const int32_t box[TORUS_DIMENSIONS],
                   int32_t parts, int32_t chip);

// "TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)", as JAX prints a
// device; `process` is the index of the host that has the chip.
void torus_print_device(pod_text_t *text, const torus_t *torus, int32_t process,
                        int32_t chip);

#endif  // SERVER_CHIP_TORUS_H_
