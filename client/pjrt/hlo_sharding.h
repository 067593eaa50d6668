// A sharding as XLA knows it, from how libpodium tells it: which tile each device has.
//
// Cost: linear in the devices. Threading: pure. Ownership: hlo_sharding_deinit.

#ifndef CLIENT_PJRT_HLO_SHARDING_H_
#define CLIENT_PJRT_HLO_SHARDING_H_

#include <stddef.h>
#include <stdint.h>

#include "client/lib/podium.h"
#include "common/base/text.h"

typedef struct hlo_sharding_t {
  // Into how many parts each dimension is cut; behind them, where they are more than 1,
  // how many devices hold the same, and how many a sum.
  int dim_count;
  int64_t dims[PODIUM_RANK_MAX + 2];
  int64_t copies, summands, device_count;
  int64_t *devices;  // Row-major over `dims`; NULL: the whole array is on each device.
} hlo_sharding_t;

// Of an array of a program of `device_count` devices.
hlo_sharding_t hlo_sharding_of(const podium_signature_t *signature, int64_t device_count);
void hlo_sharding_deinit(hlo_sharding_t *sharding);

// "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}"
void hlo_sharding_print(pod_text_t *text, const hlo_sharding_t *sharding);

// A serialized xla.OpSharding. Owned.
void *hlo_sharding_pack(const hlo_sharding_t *sharding, size_t *out_size);

#endif  // CLIENT_PJRT_HLO_SHARDING_H_
