// Elements that lie anywhere, collected into a vector.

#ifndef SERVER_WORKER_KERNELS_REGION_COLLECT_H_
#define SERVER_WORKER_KERNELS_REGION_COLLECT_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KERNEL_COLLECT_CASE(bytes, type)                    \
  case bytes:                                               \
    for (size_t i = 0; i < count; i++) {                    \
      ((type *)out)[i] = *((const type *)from + places[i]); \
    }                                                       \
    return;

// Defines a function that makes out[i] the element `places[i]` elements behind `from`,
// for i < count.
#define KERNEL_COLLECT(name, place_type)                                           \
  static inline void name(size_t element_bytes, const void *from,                  \
                          const place_type *places, size_t count, void *out) {     \
    switch (element_bytes) {                                                       \
      KERNEL_COLLECT_CASE(1, uint8_t)                                              \
      KERNEL_COLLECT_CASE(2, uint16_t)                                             \
      KERNEL_COLLECT_CASE(4, uint32_t)                                             \
      KERNEL_COLLECT_CASE(8, uint64_t)                                             \
      default:                                                                     \
        for (size_t i = 0; i < count; i++) {                                       \
          memcpy((char *)out + i * element_bytes,                                  \
                 (const char *)from + (int64_t)places[i] * (int64_t)element_bytes, \
                 element_bytes);                                                   \
        }                                                                          \
    }                                                                              \
  }

#endif  // SERVER_WORKER_KERNELS_REGION_COLLECT_H_
