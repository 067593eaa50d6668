// How much memory the host has, and how much of it is left: what the kernel says of the
// machine, and the limits of the control groups (v1 and v2) that this process is in.
//
// Cost: some files of /proc and /sys, 30 to 100 µs: read it for what is large, not on
// every call. Threading: pure but for the files. Errors: none: what cannot be read does
// not limit; a host that tells nothing has INT64_MAX.

#ifndef COMMON_BASE_AVAILABLE_MEMORY_H_
#define COMMON_BASE_AVAILABLE_MEMORY_H_

#include <stdbool.h>
#include <stdint.h>

typedef struct pod_available_memory_t {
  int64_t total_bytes;  // What this process could have at the most.
  int64_t left_bytes;   // Without swapping, as the kernel estimates it.
  bool is_group;        // `left_bytes` is a control group's, not the machine's.
} pod_available_memory_t;

// `root` is "" or, for tests, a folder that stands for "/": it has proc and sys in it.
void pod_available_memory_read(const char *root, pod_available_memory_t *out);

#endif  // COMMON_BASE_AVAILABLE_MEMORY_H_
