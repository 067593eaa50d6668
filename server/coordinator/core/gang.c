// A group has its members' streams (what each has launched and what has not begun, in
// order) and, for every set of members that has open gangs, these in order.
//
// Invariant: in a set each member stands before one gang, that of its next launch
// (set->before); those ahead of it in the list it has launched. A gang that has failed
// stays until all of its members have come to it or have left, so that who comes later
// meets the failure and not the next gang.
//
// Circles: a member waits, by the first launch of its stream, for those of its gang whose
// own first is another one. Since what is behind the first cannot begin before it, a
// circle of such waits never ends by itself. With one set there can be none.

#include "server/coordinator/core/gang.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"

enum { PARTS_PRINTED_MAX = 8 };

typedef struct gang_set_t gang_set_t;

struct gang_t {
  gang_set_t *set;
  gang_t *previous, *next;
  pod_status_t failure;   // Of which those hear that come later; NULL: it has not failed.
  gang_launch_t **parts;  // By index of the set's members.
  bool *has_come;         // Likewise: launched it, or left.
  int32_t come_count;
};

struct gang_set_t {
  gang_group_t *group;
  gang_set_t *previous, *next;
  int32_t count;
  int32_t *members;  // Ascending.
  gang_t *first, *last;
  gang_t **before;  // By index: what the member launches next; NULL: a new one.
};

typedef enum presence_t { MEMBER_ABSENT = 0, MEMBER_JOINED, MEMBER_LEFT } presence_t;

typedef struct member_t {
  presence_t presence;
  int64_t launch_count;
  gang_launch_t *first, *last;  // That have not begun.
} member_t;

struct gang_group_t {
  gang_groups_t *groups;
  gang_group_t *previous, *next;
  char *name;
  char *principal;  // Whose it is.
  int32_t chip_count, member_count, joined_count;
  int32_t *owners;  // By chip.
  member_t *members;
  gang_set_t *sets;  // With open gangs.
  int32_t gang_count;
};

struct gang_groups_t {
  gang_same_fn_t same;
  gang_group_t *first;
  gang_launch_t *first_failed, *last_failed;
};

// --- Lists ---

static void add_last(gang_launch_t **first, gang_launch_t **last, gang_launch_t *launch) {
  launch->next = NULL;
  launch->previous = *last;
  if (*last != NULL) {
    (*last)->next = launch;
  } else {
    *first = launch;
  }
  *last = launch;
}

static void take_off(gang_launch_t **first, gang_launch_t **last, gang_launch_t *launch) {
  if (launch->previous != NULL) {
    launch->previous->next = launch->next;
  } else {
    *first = launch->next;
  }
  if (launch->next != NULL) {
    launch->next->previous = launch->previous;
  } else {
    *last = launch->previous;
  }
  launch->previous = launch->next = NULL;
}

// --- Groups ---

gang_groups_t *gang_groups_create(gang_same_fn_t same) {
  gang_groups_t *groups = pod_alloc(sizeof(*groups));
  groups->same = same;
  return groups;
}

void gang_groups_destroy(gang_groups_t *groups) {
  if (groups != NULL) {
    POD_CHECK(groups->first == NULL && groups->first_failed == NULL);
    free(groups);
  }
}

static gang_group_t *find_group(const gang_groups_t *groups, const char *principal,
                                const char *name) {
  gang_group_t *group = groups->first;
  while (group != NULL &&
         (strcmp(group->name, name) != 0 || strcmp(group->principal, principal) != 0)) {
    group = group->next;
  }
  return group;
}

static gang_group_t *add_group(gang_groups_t *groups, const char *principal,
                               const char *name, int32_t member_count, int32_t chip_count,
                               const int32_t *owners) {
  gang_group_t *group = pod_alloc(sizeof(*group));
  *group = (gang_group_t){.groups = groups,
                          .next = groups->first,
                          .name = pod_strdup(name),
                          .principal = pod_strdup(principal),
                          .chip_count = chip_count,
                          .member_count = member_count};
  group->owners = pod_alloc((size_t)chip_count * sizeof(*group->owners));
  memcpy(group->owners, owners, (size_t)chip_count * sizeof(*group->owners));
  group->members = pod_alloc((size_t)member_count * sizeof(*group->members));
  if (group->next != NULL) {
    group->next->previous = group;
  }
  groups->first = group;
  return group;
}

static pod_status_t check_member(const gang_group_t *group, const char *name,
                                 int32_t member, int32_t member_count) {
  if (*name == '\0' || strlen(name) > GANG_NAME_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "a group's name has 1 to %d bytes, this one %zu",
                     GANG_NAME_BYTES_MAX, strlen(name));
  }
  if (member_count < 1 || member_count > GANG_MEMBERS_MAX || member < 0 ||
      member >= member_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "process %" PRId32 " of %" PRId32
                     " processes: they are numbered from 0, and are at most %d",
                     member, member_count, GANG_MEMBERS_MAX);
  }
  if (group != NULL && group->member_count != member_count) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the group \"%s\" has %" PRId32 " processes, process %" PRId32
                     " says that it has %" PRId32,
                     name, group->member_count, member, member_count);
  }
  if (group != NULL && group->members[member].presence != MEMBER_ABSENT) {
    return pod_error(
        POD_ALREADY_EXISTS,
        "the group \"%s\" has %s process %" PRId32
        ": all processes begin anew, under another name",
        name,
        group->members[member].presence == MEMBER_LEFT ? "lost its" : "a session of",
        member);
  }
  return NULL;
}

pod_status_t gang_join(gang_groups_t *groups, const char *principal, const char *name,
                       int32_t member, int32_t member_count, int32_t chip_count,
                       const int32_t *owners, gang_group_t **out_group) {
  gang_group_t *group = find_group(groups, principal, name);
  POD_TRY(check_member(group, name, member, member_count));
  if (group == NULL) {
    group = add_group(groups, principal, name, member_count, chip_count, owners);
  }
  group->members[member].presence = MEMBER_JOINED;
  group->joined_count++;
  *out_group = group;
  return NULL;
}

int32_t gang_owner(const gang_group_t *group, int32_t chip) {
  return chip >= 0 && chip < group->chip_count ? group->owners[chip] : -1;
}

int32_t gang_member_count(const gang_group_t *group) {
  return group->member_count;
}

// --- Sets ---

// Ascending; owned.
static int32_t *list_members(const gang_group_t *group, int32_t chip_count,
                             const int32_t *chips, int32_t *out_count) {
  bool *is_in = pod_alloc((size_t)group->member_count * sizeof(*is_in));
  int32_t *members = pod_alloc((size_t)group->member_count * sizeof(*members));
  for (int32_t i = 0; i < chip_count; i++) {
    is_in[gang_owner(group, chips[i])] = true;
  }
  *out_count = 0;
  for (int32_t m = 0; m < group->member_count; m++) {
    if (is_in[m]) {
      members[(*out_count)++] = m;
    }
  }
  free(is_in);
  return members;
}

// Takes `members`.
static gang_set_t *find_set(gang_group_t *group, int32_t *members, int32_t count) {
  for (gang_set_t *at = group->sets; at != NULL; at = at->next) {
    if (at->count == count &&
        memcmp(at->members, members, (size_t)count * sizeof(*members)) == 0) {
      free(members);
      return at;
    }
  }
  gang_set_t *set = pod_alloc(sizeof(*set));
  *set = (gang_set_t){
      .group = group, .next = group->sets, .count = count, .members = members};
  set->before = pod_alloc((size_t)count * sizeof(*set->before));
  if (set->next != NULL) {
    set->next->previous = set;
  }
  group->sets = set;
  return set;
}

static void free_set_if_empty(gang_set_t *set) {
  if (set->first != NULL) {
    return;
  }
  if (set->previous != NULL) {
    set->previous->next = set->next;
  } else {
    set->group->sets = set->next;
  }
  if (set->next != NULL) {
    set->next->previous = set->previous;
  }
  free(set->members);
  free(set->before);
  free(set);
}

// -1: it is not in the set.
static int32_t index_of(const gang_set_t *set, int32_t member) {
  for (int32_t i = 0; i < set->count; i++) {
    if (set->members[i] == member) {
      return i;
    }
  }
  return -1;
}

// -1: none has.
static int32_t first_left(const gang_set_t *set) {
  for (int32_t i = 0; i < set->count; i++) {
    if (set->group->members[set->members[i]].presence == MEMBER_LEFT) {
      return set->members[i];
    }
  }
  return -1;
}

// --- Gangs ---

static gang_t *add_gang(gang_set_t *set) {
  gang_t *gang = pod_alloc(sizeof(*gang));
  *gang = (gang_t){.set = set, .previous = set->last};
  gang->parts = pod_alloc((size_t)set->count * sizeof(*gang->parts));
  gang->has_come = pod_alloc((size_t)set->count * sizeof(*gang->has_come));
  if (set->last != NULL) {
    set->last->next = gang;
  } else {
    set->first = gang;
  }
  set->last = gang;
  set->group->gang_count++;
  return gang;
}

// Nobody stands before it.
static void remove_gang(gang_t *gang) {
  gang_set_t *set = gang->set;
  if (gang->previous != NULL) {
    gang->previous->next = gang->next;
  } else {
    set->first = gang->next;
  }
  if (gang->next != NULL) {
    gang->next->previous = gang->previous;
  } else {
    set->last = gang->previous;
  }
  set->group->gang_count--;
  pod_status_free(gang->failure);
  free(gang->parts);
  free(gang->has_come);
  free(gang);
}

static void come(gang_t *gang, int32_t index) {
  if (!gang->has_come[index]) {
    gang->has_come[index] = true;
    gang->come_count++;
  }
}

// Takes `status`.
static void fail_launch(gang_groups_t *groups, gang_launch_t *launch,
                        pod_status_t status) {
  launch->gang = NULL;
  launch->failure = status;
  add_last(&groups->first_failed, &groups->last_failed, launch);
}

static void leave_stream(gang_group_t *group, gang_launch_t *launch) {
  member_t *member = &group->members[launch->member];
  take_off(&member->first, &member->last, launch);
}

// Takes `status`. The gang may stay for those that have not come.
static void fail_gang(gang_t *gang, pod_status_t status) {
  gang_group_t *group = gang->set->group;
  POD_CHECK(gang->failure == NULL);
  gang->failure = status;
  for (int32_t i = 0; i < gang->set->count; i++) {
    gang_launch_t *part = gang->parts[i];
    if (part != NULL) {
      gang->parts[i] = NULL;
      leave_stream(group, part);
      fail_launch(group->groups, part, pod_status_copy(status));
    }
  }
}

static void remove_if_passed(gang_t *gang) {
  gang_set_t *set = gang->set;
  if (gang->failure != NULL && gang->come_count == set->count) {
    remove_gang(gang);
    free_set_if_empty(set);
  }
}

bool gang_is_complete(const gang_t *gang) {
  return gang->come_count == gang->set->count;
}

int32_t gang_size(const gang_t *gang) {
  return gang->set->count;
}

gang_launch_t *gang_part(const gang_t *gang, int32_t index) {
  return gang->parts[index];
}

// --- What is told ---

static void print_launch(pod_text_t *text, const gang_launch_t *launch) {
  const int64_t number = launch->number;
  const bool is_teen = number % 100 >= 11 && number % 100 <= 13;
  pod_text_printf(text, "process %" PRId32 " launched %s as its %" PRId64 "%s",
                  launch->member, launch->name, number,
                  is_teen            ? "th"
                  : number % 10 == 1 ? "st"
                  : number % 10 == 2 ? "nd"
                  : number % 10 == 3 ? "rd"
                                     : "th");
}

// Those of the gang, and `and` among them.
static void print_parts(pod_text_t *text, const gang_t *gang, const gang_launch_t *and) {
  const gang_set_t *set = gang->set;
  int32_t printed = 0;
  for (int32_t i = 0; i < set->count; i++) {
    const gang_launch_t *part = set->members[i] == and->member ? and : gang->parts[i];
    if (part != NULL && (part == and || printed < PARTS_PRINTED_MAX)) {
      pod_text_add(text, printed++ == 0 ? "" : ", ");
      print_launch(text, part);
    }
  }
}

static pod_status_t parted_error(const gang_t *gang, const gang_launch_t *launch,
                                 const gang_launch_t *other) {
  pod_text_t text = {0};
  print_parts(&text, gang, launch);
  if (strcmp(launch->name, other->name) == 0) {
    pod_text_add(&text, " (of the same name, and another program)");
  }
  const pod_status_t status =
      pod_error(POD_FAILED_PRECONDITION,
                "the processes have parted: %s; on chips of several processes all of "
                "them have to launch the same programs in the same order",
                text.bytes);
  pod_text_deinit(&text);
  return status;
}

static pod_status_t gone_error(int32_t member, const char *name) {
  return pod_error(POD_UNAVAILABLE,
                   "%s needs the chips of process %" PRId32
                   ", which has gone: its session has ended",
                   name, member);
}

void gang_print_waiting(pod_text_t *text, const gang_t *gang) {
  const gang_set_t *set = gang->set;
  int32_t missing = 0, first = -1;
  for (int32_t i = 0; i < set->count; i++) {
    if (!gang->has_come[i]) {
      first = first < 0 ? set->members[i] : first;
      missing++;
    }
  }
  if (missing == 0) {
    return;
  }
  const bool is_absent = set->group->members[first].presence == MEMBER_ABSENT;
  pod_text_printf(text, "for process %" PRId32, first);
  if (missing > 1) {
    pod_text_printf(text, " and %" PRId32 " more, which have", missing - 1);
  } else {
    pod_text_add(text, ", which has");
  }
  pod_text_add(text, is_absent ? " not joined yet" : " not launched it yet");
}

// --- Circles ---

typedef struct search_t {
  gang_group_t *group;
  int32_t *path;  // Members, each of which waits for the next.
  int32_t length;
  uint8_t *seen;  // By member: 1: on the path, 2: no circle.
} search_t;

// The path ends where it began to repeat: at `path[length]`. Depth: a call per member.
static bool find_from(search_t *search, int32_t member) {
  const gang_launch_t *head = search->group->members[member].first;
  if (head == NULL || search->seen[member] == 2) {
    return false;
  }
  search->path[search->length] = member;
  if (search->seen[member] == 1) {
    return true;
  }
  search->seen[member] = 1;
  search->length++;
  const gang_set_t *set = head->gang->set;
  for (int32_t i = 0; i < set->count; i++) {
    const gang_launch_t *other = search->group->members[set->members[i]].first;
    if (other != NULL && other->gang != head->gang &&
        find_from(search, set->members[i])) {
      return true;
    }
  }
  search->length--;
  search->seen[member] = 2;
  return false;
}

static void print_set(pod_text_t *text, const gang_set_t *set) {
  pod_text_add(text, " (over processes ");
  for (int32_t i = 0; i < set->count && i < PARTS_PRINTED_MAX; i++) {
    pod_text_printf(text, "%s%" PRId32, i == 0 ? "" : ", ", set->members[i]);
  }
  pod_text_add(text, set->count > PARTS_PRINTED_MAX ? ", …)" : ")");
}

static void fail_circle(const search_t *search) {
  gang_group_t *group = search->group;
  int32_t first = 0;
  while (search->path[first] != search->path[search->length]) {
    first++;
  }
  pod_text_t text = {0};
  for (int32_t i = first; i < search->length && i - first < PARTS_PRINTED_MAX; i++) {
    const gang_launch_t *head = group->members[search->path[i]].first;
    pod_text_add(&text, i == first ? "" : ", ");
    print_launch(&text, head);
    print_set(&text, head->gang->set);
  }
  const pod_status_t status =
      pod_error(POD_FAILED_PRECONDITION,
                "the processes wait for each other in a circle: %s; what has processes "
                "in common has to be launched by them in the same order",
                text.bytes);
  pod_text_deinit(&text);
  int32_t count = 0;
  gang_t **gangs = pod_alloc((size_t)search->length * sizeof(gang_t *));
  for (int32_t i = first; i < search->length; i++) {
    gang_t *gang = group->members[search->path[i]].first->gang;
    int32_t at = 0;
    while (at < count && gangs[at] != gang) {
      at++;
    }
    gangs[at] = gang;
    count += at == count;
  }
  for (int32_t i = 0; i < count; i++) {
    fail_gang(gangs[i], pod_status_copy(status));
    remove_if_passed(gangs[i]);
  }
  free(gangs);
  pod_status_free(status);
}

static void break_circles(gang_group_t *group, int32_t member) {
  while (group->sets != NULL && group->sets->next != NULL) {
    const size_t count = (size_t)group->member_count;
    search_t search = {.group = group,
                       .path = pod_alloc((count + 1) * sizeof(*search.path)),
                       .seen = pod_alloc(count * sizeof(*search.seen))};
    const bool is_found = find_from(&search, member);
    if (is_found) {
      fail_circle(&search);
    }
    free(search.path);
    free(search.seen);
    if (!is_found) {
      return;
    }
  }
}

// --- Launches ---

// The gang that it belongs to; NULL: it has failed.
static gang_t *find_gang(gang_group_t *group, gang_set_t *set, gang_launch_t *launch,
                         int32_t index) {
  gang_t *gang = set->before[index];
  if (gang != NULL) {
    set->before[index] = gang->next;
    return gang;
  }
  const int32_t left = first_left(set);
  if (left >= 0) {
    fail_launch(group->groups, launch, gone_error(left, launch->name));
    return NULL;
  }
  if (group->gang_count >= GANG_WAITING_MAX) {
    fail_launch(group->groups, launch,
                pod_error(POD_RESOURCE_EXHAUSTED,
                          "%d executions wait for other processes already, which is the "
                          "most",
                          GANG_WAITING_MAX));
    return NULL;
  }
  gang = add_gang(set);
  for (int32_t i = 0; i < set->count; i++) {
    if (i != index && set->before[i] == NULL) {
      set->before[i] = gang;
    }
  }
  return gang;
}

static const gang_launch_t *any_part(const gang_t *gang) {
  for (int32_t i = 0; i < gang->set->count; i++) {
    if (gang->parts[i] != NULL) {
      return gang->parts[i];
    }
  }
  return NULL;
}

static void join_gang(gang_group_t *group, gang_t *gang, gang_launch_t *launch,
                      int32_t index) {
  const gang_launch_t *other = any_part(gang);
  come(gang, index);
  if (gang->failure == NULL && other != NULL &&
      !group->groups->same(other->program, launch->program)) {
    fail_gang(gang, parted_error(gang, launch, other));
  }
  if (gang->failure != NULL) {
    fail_launch(group->groups, launch, pod_status_copy(gang->failure));
    remove_if_passed(gang);
    return;
  }
  launch->gang = gang;
  gang->parts[index] = launch;
  member_t *member = &group->members[launch->member];
  add_last(&member->first, &member->last, launch);
}

void gang_launch(gang_group_t *group, gang_launch_t *launch, int32_t chip_count,
                 const int32_t *chips) {
  int32_t count;
  int32_t *members = list_members(group, chip_count, chips, &count);
  gang_set_t *set = find_set(group, members, count);
  const int32_t index = index_of(set, launch->member);
  launch->number = ++group->members[launch->member].launch_count;
  if (index < 0) {
    fail_launch(group->groups, launch,
                pod_error(POD_INVALID_ARGUMENT,
                          "%s runs on chips of other processes only: process %" PRId32
                          " has none of them",
                          launch->name, launch->member));
    free_set_if_empty(set);
    return;
  }
  gang_t *gang = find_gang(group, set, launch, index);
  if (gang == NULL) {
    free_set_if_empty(set);
    return;
  }
  join_gang(group, gang, launch, index);
  break_circles(group, launch->member);
}

void gang_begin(gang_t *gang) {
  POD_CHECK(gang_is_complete(gang) && gang->failure == NULL);
  gang_set_t *set = gang->set;
  gang_group_t *group = set->group;
  const int32_t count = set->count;
  int32_t *members = pod_alloc((size_t)count * sizeof(*members));
  memcpy(members, set->members, (size_t)count * sizeof(*members));
  for (int32_t i = 0; i < count; i++) {
    leave_stream(group, gang->parts[i]);
    gang->parts[i]->gang = NULL;
  }
  remove_gang(gang);
  free_set_if_empty(set);
  for (int32_t i = 0; i < count; i++) {
    break_circles(group, members[i]);
  }
  free(members);
}

void gang_forget(gang_groups_t *groups, gang_launch_t *launch, pod_status_t status) {
  gang_t *gang = launch->gang;
  if (launch->failure != NULL) {
    take_off(&groups->first_failed, &groups->last_failed, launch);
    pod_status_free(launch->failure);
    launch->failure = NULL;
  }
  if (gang == NULL) {
    return;
  }
  leave_stream(gang->set->group, launch);
  gang->parts[index_of(gang->set, launch->member)] = NULL;
  launch->gang = NULL;
  fail_gang(gang, pod_status_context(pod_status_copy(status), "process %" PRId32 ", %s",
                                     launch->member, launch->name));
  remove_if_passed(gang);
}

gang_launch_t *gang_take_failed(gang_groups_t *groups, pod_status_t *out_status) {
  gang_launch_t *launch = groups->first_failed;
  if (launch != NULL) {
    take_off(&groups->first_failed, &groups->last_failed, launch);
    *out_status = launch->failure;
    launch->failure = NULL;
  }
  return launch;
}

// --- Leaving ---

static void leave_gang(gang_t *gang, int32_t index, int32_t member) {
  const gang_launch_t *part = any_part(gang);
  come(gang, index);
  if (gang->failure == NULL) {
    fail_gang(gang, gone_error(member, part == NULL ? "the program" : part->name));
  }
  remove_if_passed(gang);
}

static void leave_set(gang_set_t *set, int32_t member) {
  const int32_t index = index_of(set, member);
  if (index < 0) {
    return;
  }
  set->before[index] = NULL;
  // The set may go with its last gang.
  gang_t *next;
  for (gang_t *gang = set->first; gang != NULL; gang = next) {
    next = gang->next;
    leave_gang(gang, index, member);
  }
}

// What has failed may still be there for those that never joined.
static void free_group(gang_group_t *group) {
  while (group->sets != NULL) {
    gang_set_t *set = group->sets;
    while (set->first != NULL) {
      POD_CHECK(set->first->failure != NULL);
      remove_gang(set->first);
    }
    free_set_if_empty(set);
  }
  if (group->previous != NULL) {
    group->previous->next = group->next;
  } else {
    group->groups->first = group->next;
  }
  if (group->next != NULL) {
    group->next->previous = group->previous;
  }
  free(group->name);
  free(group->principal);
  free(group->owners);
  free(group->members);
  free(group);
}

void gang_leave(gang_group_t *group, int32_t member) {
  group->members[member].presence = MEMBER_LEFT;
  group->joined_count--;
  gang_set_t *next;
  for (gang_set_t *set = group->sets; set != NULL; set = next) {
    next = set->next;
    leave_set(set, member);
  }
  if (group->joined_count == 0) {
    free_group(group);
  }
}
