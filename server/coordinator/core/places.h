// The places of a pod's torus and who has them: the pod's state machine.
//
// A worker claims a place, says where its ends of the links listen, is told whom to dial,
// reports its links, sends heartbeats, and is lost. Nothing here does I/O or reads a
// clock: the registry feeds it what arrives and carries out what it answers.
//
// A link joins two places. The end that sees it as + (x, y or z) listens when it has
// named URLs for it, and the other end dials; otherwise it is the other way round. A link
// is up when both ends say so.
//
// Times: nanoseconds of any one monotonic clock, passed in.
// Threading: one thread at a time.
// Ownership: texts are copied.
// Errors: what a worker can get wrong is a status; the place is then as it was before.

#ifndef SERVER_COORDINATOR_CORE_PLACES_H_
#define SERVER_COORDINATOR_CORE_PLACES_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/state_machine.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "server/chip/spec.h"
#include "server/chip/torus.h"
#include "server/coordinator/core/traffic.h"

enum {
  PLACE_TEXT_BYTES_MAX = 512,   // Of an address, a host, a version, a URL.
  PLACE_LINK_URLS_MAX = 8,      // Per end of a link.
  PLACE_MISSING_NAMED_MAX = 8,  // Places that places_print_missing names.
};

typedef enum place_state_t {
  PLACE_MISSING = 0,  // Nobody has claimed it yet.
  PLACE_JOINING,      // Claimed; not all of its links are up.
  PLACE_READY,        // Claimed, and all of its links are up.
  PLACE_DRAINING,     // Its worker wants to leave and takes nothing new.
  PLACE_LOST,         // Its worker has gone.
  PLACE_STATE_COUNT,
} place_state_t;

typedef struct place_link_t {
  int32_t neighbour;  // -1: the torus has no link there.
  bool up;            // What this end says.
  int url_count;      // Where this end listens; 0: it does not.
  char *urls[PLACE_LINK_URLS_MAX];
  // Whom this end was told to dial last; 0: nobody.
  uint64_t dialled_epoch;
} place_link_t;

typedef struct place_t {
  pod_state_machine_t machine;  // Of place_state_t.
  uint64_t epoch;               // Of the last claim; 0 before the first.
  char *address;  // Of the worker's gRPC service; NULL while nobody has the place.
  char *host;
  char *version;
  char *transfer_socket;  // Where clients of its host come for shared memory; "": they
                          // may not.
  int64_t pid;
  int32_t host_chips;      // Of the podium-host that runs it; 0: none does.
  int64_t hbm_used_bytes;  // By its last heartbeat.
  int64_t heard_ns;
  traffic_t traffic;
  bool is_listening;  // It has said where its links listen.
  place_link_t links[TORUS_LINKS];
  char *lost_reason;  // Of the last loss: "chip 1 (1,0,0) at …: why". NULL: never lost.
  uint64_t lost_epoch;  // The epoch that was lost then.
} place_t;

// The blocks of the torus that hosts have (places_hosts.h).
typedef struct places_hosts_t {
  int32_t chips;  // Of each; 0: no podium-host has come.
  int32_t box[TORUS_DIMENSIONS];
  int32_t count;
  char **names;  // By rank: place_t.host of the last one there; NULL: there was none.
} places_hosts_t;

typedef struct places_t {
  const chip_spec_t *spec;
  torus_t torus;
  places_hosts_t hosts;
  int32_t count;
  place_t *at;  // By chip id.
} places_t;

// What a worker says of itself. Borrowed for the call.
typedef struct place_claim_t {
  const char *address;
  const char *host;
  const char *version;
  const char *chip_kind;        // "": what the pod has.
  const char *transfer_socket;  // NULL: none.
  int64_t pid;
  bool wants_coords;
  torus_coords_t coords;
  // Where its process was before: it has that place again if nothing speaks against it.
  bool had_coords;
  torus_coords_t former;
  // Of the podium-host that runs it, unless it wants coordinates. 0 chips: none does.
  int32_t host_chips;
  int32_t host_rank;   // -1: to be learnt.
  int32_t host_index;  // Of the worker on its host; -1: to be learnt.
} place_claim_t;

// An order to a worker: dial that neighbour.
typedef struct place_dial_t {
  int32_t dialler;
  torus_direction_t direction;  // As the dialler sees the link.
  int32_t neighbour;
  uint64_t epoch;   // The neighbour's.
  const char *url;  // Borrowed until the neighbour's place changes.
} place_dial_t;

// `spec` is borrowed.
places_t *places_create(const chip_spec_t *spec, const torus_t *torus);

// Accepts NULL.
void places_destroy(places_t *places);

place_state_t place_state(const place_t *place);

// JOINING, READY or DRAINING.
bool place_is_taken(const place_t *place);

// The place that a worker of this address has, or -1.
int32_t places_find(const places_t *places, const char *address);

// Gives the wanted place; that of its host (places_hosts.h); or the one that it had, or
// the first free one. ALREADY_EXISTS names both workers when the wanted place is taken;
// INVALID_ARGUMENT for coordinates outside the torus, another kind of chip, or an
// unusable address; RESOURCE_EXHAUSTED when every place is taken.
POD_MUST_USE pod_status_t places_claim(places_t *places, const place_claim_t *claim,
                                       int64_t now_ns, int32_t *out_chip);

// ALREADY_EXISTS, with both workers by name, when somebody has the place.
POD_MUST_USE pod_status_t places_check_free(const places_t *places,
                                            const place_claim_t *claim, int32_t chip);

// JAX's process_index: the rank of the host whose block has the chip; where no
// podium-host has come, that of a real slice.
int32_t places_process(const places_t *places, int32_t chip);

void places_heard(places_t *places, int32_t chip, int64_t now_ns);

// Where the ends of `chip`'s links listen: `directions[i]` at `urls[i]`, a direction once
// per URL. INVALID_ARGUMENT for a direction without a link or too many or too long URLs.
POD_MUST_USE pod_status_t places_listening(places_t *places, int32_t chip, size_t count,
                                           const int *directions,
                                           const char *const *urls);

// The end of `chip` says that its link is up or down. INVALID_ARGUMENT when it has no
// such link, or to another neighbour.
POD_MUST_USE pod_status_t places_link(places_t *places, int32_t chip, int direction,
                                      int32_t neighbour, bool up);

// Whether the link between `chip` and its neighbour in `direction` can be dialled and has
// not been since either of the two was replaced; it then counts as dialled.
bool places_dial(places_t *places, int32_t chip, int direction, place_dial_t *out_dial);

// Its worker has half-closed: it finishes what it has and takes nothing new.
void places_drain(places_t *places, int32_t chip);

// Ends the claim. `lost_reason` of the place becomes "<label>: why".
void places_lose(places_t *places, int32_t chip, const char *why);

// How long a worker may say nothing, which is longer when it leaves.
int64_t place_silence_ns(const place_t *place, int64_t timeout_ns);

// The first place that has been silent for longer than place_silence_ns, or -1.
int32_t places_silent(const places_t *places, int64_t now_ns, int64_t timeout_ns);

// Nobody could be heard for so long (the coordinator itself stood still): that silence
// counts against no worker.
void places_forgive(places_t *places, int64_t gap_ns);

// All places READY, so all links are up.
bool places_are_ready(const places_t *places);

// All places taken, links or not: arrays can be moved.
bool places_are_taken(const places_t *places);

// JOINING or READY: its worker takes what comes.
bool places_is_serving(const places_t *places, int32_t chip);

// At both ends. The link must exist.
bool places_link_is_up(const places_t *places, int32_t chip, int direction);

// Bit d is set when the place has a link in direction d that is not up at both ends.
uint16_t places_links_down(const places_t *places, int32_t chip);

// Links of the place, and how many of them are up at both ends.
void places_count_links(const places_t *places, int32_t chip, int32_t *out_links,
                        int32_t *out_up);

// "chip 1 (1,0,0) at 127.0.0.1:4711"; without "at …" while nobody has it.
void places_print_label(pod_text_t *text, const places_t *places, int32_t chip);

// "chip 1 (1,0,0) is missing", "chip 3 (1,1,0) at …: it closed its connection".
void places_print_state(pod_text_t *text, const places_t *places, int32_t chip);

// Why the pod is not ready: "chip 1 (1,0,0) is missing; chip 3 (1,1,0) at …: it closed
// its connection; the link between chip 0 and chip 2 is down".
void places_print_missing(pod_text_t *text, const places_t *places);

#endif  // SERVER_COORDINATOR_CORE_PLACES_H_
