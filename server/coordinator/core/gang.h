// Groups of sessions, and the executions that they run together.
//
// The processes of one program (jax.distributed) have a session each and own a share of
// the pod's chips each: they are the members of a group. A program whose chips belong to
// several members is launched by each of them, for its own chips; a gang is what these
// launches make together. It can begin when all of its members have launched it.
//
// Which launches belong together: the n-th launch over a set of members with the n-th of
// each other one of the set. They must be of the same program; if not, the members have
// parted, and all of the gang fail with FAILED_PRECONDITION that tells who launched what.
// Members whose sets differ and that launch in different orders wait for each other in a
// circle; the gangs of such a circle fail likewise. A member that has left (its session
// has ended) fails all that it is needed for with UNAVAILABLE.
//
// A launch passes from `waiting` to begun (gang_begin) or failed; failed ones are handed
// out by gang_take_failed. Its owner says gang_forget when it ends, whatever came of it.
//
// Threading: pure; one thread at a time.
// Ownership: a launch is embedded in its owner, and linked until gang_begin or
// gang_forget; names and programs are borrowed meanwhile. Groups belong to the registry.
// Errors: as said. What members have yet to launch is bounded (GANG_WAITING_MAX).

#ifndef SERVER_COORDINATOR_CORE_GANG_H_
#define SERVER_COORDINATOR_CORE_GANG_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/base/text.h"

enum {
  GANG_MEMBERS_MAX = 256,
  GANG_NAME_BYTES_MAX = 128,   // Of a group.
  GANG_WAITING_MAX = 1 << 16,  // Gangs of a group that have not begun.
};

typedef struct gang_groups_t gang_groups_t;
typedef struct gang_group_t gang_group_t;
typedef struct gang_t gang_t;
typedef struct gang_launch_t gang_launch_t;

struct gang_launch_t {
  gang_t *gang;  // NULL: none, or it has begun.
  int32_t member;
  int64_t number;        // Of the member's launches, from 1.
  const char *name;      // Of the program, for people.
  void *program;         // What gang_groups_create's function compares.
  pod_status_t failure;  // Owned; NULL: it has not failed.
  // Of its member those that have not begun; then of those that have failed.
  gang_launch_t *previous, *next;
};

// Whether two programs are the same.
typedef bool (*gang_same_fn_t)(void *program, void *other);

gang_groups_t *gang_groups_create(gang_same_fn_t same);

// Nobody is a member any more. Accepts NULL.
void gang_groups_destroy(gang_groups_t *groups);

// Makes the group when it is not there; those of another principal are others, whatever
// their names. `owners` has a member for each of the
// `chip_count` chips, and is copied. INVALID_ARGUMENT for a member that is none, or when
// the group has another size; ALREADY_EXISTS when the group has, or had, this member.
POD_MUST_USE pod_status_t gang_join(gang_groups_t *groups, const char *principal,
                                    const char *name, int32_t member,
                                    int32_t member_count, int32_t chip_count,
                                    const int32_t *owners, gang_group_t **out_group);

// Its session has ended. The group goes with the last that had joined. What waits for the
// member fails.
void gang_leave(gang_group_t *group, int32_t member);

int32_t gang_owner(const gang_group_t *group, int32_t chip);
int32_t gang_member_count(const gang_group_t *group);

// `launch` has its member, name and program. It waits from now on, or has failed.
void gang_launch(gang_group_t *group, gang_launch_t *launch, int32_t chip_count,
                 const int32_t *chips);

// All members have launched it.
bool gang_is_complete(const gang_t *gang);

// Its launches, by the order of its members; NULL where one has not come yet.
int32_t gang_size(const gang_t *gang);
gang_launch_t *gang_part(const gang_t *gang, int32_t index);

// A complete one begins: its launches are nobody's any more, and the gang is gone.
void gang_begin(gang_t *gang);

// The launch ends before it has begun, for `status` (borrowed), of which the others of
// the gang hear. Nothing when it has no gang. Takes it off the failed ones, too.
void gang_forget(gang_groups_t *groups, gang_launch_t *launch, pod_status_t status);

// One that has failed, with the status, owned; NULL: none.
gang_launch_t *gang_take_failed(gang_groups_t *groups, pod_status_t *out_status);

// What an incomplete gang waits for: "for process 1, which has not launched it yet".
void gang_print_waiting(pod_text_t *text, const gang_t *gang);

#endif  // SERVER_COORDINATOR_CORE_GANG_H_
