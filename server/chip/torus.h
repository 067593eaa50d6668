// The torus: where chips are and which links they have.
//
// A chip id counts x fastest: id = x + X·(y + Y·z), as JAX numbers TPU devices.
// Threading: pure.

#ifndef SERVER_CHIP_TORUS_H_
#define SERVER_CHIP_TORUS_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"
#include "server/chip/spec.h"

enum { TORUS_DIMENSIONS = 3, TORUS_DIRECTIONS = 6, TORUS_CHIPS_MAX = 1 << 16 };

// +x, -x, +y, -y, +z, -z: direction d is dimension d / 2, towards higher coordinates when
// d is even.
typedef int torus_direction_t;

typedef struct torus_t {
  int32_t size[TORUS_DIMENSIONS];  // 1 where there is no such dimension.
  bool wraps[TORUS_DIMENSIONS];
} torus_t;

typedef struct torus_coords_t {
  int32_t at[TORUS_DIMENSIONS];
} torus_coords_t;

// "2x2", "4x2", "2x2x4", or an accelerator name, "v5litepod-4", "v4-8" (*out_spec is then
// set and must agree with `spec` if that is not NULL; out_spec may be NULL, and is set to
// `spec` for plain sizes). Wraparound follows the kind's rule; without a kind nothing
// wraps. INVALID_ARGUMENT lists what is possible.
POD_MUST_USE pod_status_t torus_parse(const char *text, const chip_spec_t *spec,
                                      torus_t *out_torus, const chip_spec_t **out_spec);

// "2x2", "2x2x4"; a third dimension of 1 is left out.
void torus_print(pod_text_t *text, const torus_t *torus);

int32_t torus_chip_count(const torus_t *torus);
torus_coords_t torus_coords(const torus_t *torus, int32_t chip);
int32_t torus_chip_at(const torus_t *torus, torus_coords_t coords);
bool torus_contains(const torus_t *torus, torus_coords_t coords);

// The chip over the link in a direction, or -1 when there is no link. An axis of size 2
// has one link, seen as +d from coordinate 0 and as -d from coordinate 1, also when the
// axis wraps.
int32_t torus_neighbour(const torus_t *torus, int32_t chip, torus_direction_t direction);

// The direction of the first hop of the dimension-order route (x, then y, then z; the
// shorter way round; at a tie towards higher coordinates). -1 when from == to.
torus_direction_t torus_next_hop(const torus_t *torus, int32_t from, int32_t to);

// The hops of that route by direction; it goes straight along every dimension. Returns
// how many they are.
int32_t torus_hops(const torus_t *torus, int32_t from, int32_t to,
                   int32_t out_hops[TORUS_DIRECTIONS]);

// Hops of that route.
int32_t torus_distance(const torus_t *torus, int32_t from, int32_t to);

// Whether chips `to` are chips `from` but for where they lie: one by one the same way
// off.
bool torus_is_moved(const torus_t *torus, const int64_t *from, const int64_t *to,
                    int32_t count);

// "(0,1,0)"
void torus_print_coords(pod_text_t *text, torus_coords_t coords);

// The index of the host that has the chip, by chips_per_host: JAX's process_index.
int32_t torus_host(const torus_t *torus, const chip_spec_t *spec, int32_t chip);

// Cuts the torus into `parts` equal boxes and says how large one is: the hosts' own boxes
// when there are as many hosts, else boxes that hold or divide hosts where possible, and
// of these the ones with the least surface. INVALID_ARGUMENT when the chips do not
// divide.
POD_MUST_USE pod_status_t torus_cut(const torus_t *torus, const chip_spec_t *spec,
                                    int32_t parts, int32_t out_box[TORUS_DIMENSIONS]);

// The index of the box of that size that has the chip, x fastest.
int32_t torus_box(const torus_t *torus, const int32_t box[TORUS_DIMENSIONS],
                  int32_t chip);

// "TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0)", as JAX prints a
// device; `process` is the index of the host that has the chip.
void torus_print_device(pod_text_t *text, const torus_t *torus, int32_t process,
                        int32_t chip);

#endif  // SERVER_CHIP_TORUS_H_
