// A disk that has bad luck: what the process does to files below a folder goes through
// here (the linker lets the test's functions stand before libc's, for SQLite too), is
// counted, and fails or ends the process at the step that was asked for.
//
// What is not followed by fsync may be lost: per file, any of the writes since the last
// fsync, whole or in part, in sectors of 512 bytes; per folder, the last of what was
// made, renamed and removed in it since its last fsync.
//
// Threading: one thread. State is the process': a child begins with its parent's.

#ifndef TESTS_UNIT_SERVER_JOBS_DISK_H_
#define TESTS_UNIT_SERVER_JOBS_DISK_H_

#include <stdbool.h>
#include <stdint.h>

typedef enum disk_luck_t {
  DISK_GOOD,
  DISK_KILL,   // SIGKILL before step N.
  DISK_TORN,   // Half of the write of step N, or all of another step, then SIGKILL.
  DISK_POWER,  // SIGKILL before step N, and what was not on the disk is lost.
  DISK_FULL,   // From step N on nothing can be written, but what the reserve frees.
  DISK_ERROR,  // Step N fails with EIO.
} disk_luck_t;

// From now on. `grave`: a folder of the same file system, for what was removed. The seed
// decides what is lost.
void disk_arm(const char *folder, const char *grave, disk_luck_t luck, int step,
              uint64_t seed);

// Good luck again.
void disk_mend(void);

// Steps so far.
int disk_steps(void);

// What the step before the last was, for messages. A literal.
const char *disk_last(void);

#endif  // TESTS_UNIT_SERVER_JOBS_DISK_H_
