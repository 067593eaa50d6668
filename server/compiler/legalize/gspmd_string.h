// The strings of GSPMD's shardings, over digits of a device's number. Private to
// gspmd*.c.

#ifndef SERVER_COMPILER_LEGALIZE_GSPMD_STRING_H_
#define SERVER_COMPILER_LEGALIZE_GSPMD_STRING_H_

#include "common/base/arena.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/tensor/sharding.h"

// Digit (number / (devices / (pre · size))) mod size of a device's number.
typedef struct gspmd_digit_t {
  int64_t pre, size;
} gspmd_digit_t;

enum { GSPMD_DIGITS_MAX = SHARDING_AXES_MAX };  // Digits of size 2 and more of 2^16.

typedef struct gspmd_digits_t {
  int count;
  gspmd_digit_t digits[GSPMD_DIGITS_MAX];  // Major to minor.
} gspmd_digits_t;

typedef struct gspmd_sharding_t {
  bool is_manual;        // {manual}: over all devices.
  bool is_unknown;       // {unknown}: says nothing of dimensions.
  bool is_grouped;       // shard_as: lies as the others of its group do.
  int64_t group_id;      // Of these.
  int64_t device_count;  // 0 where the string names none.
  int rank;              // Of `dims`; 0 without devices.
  gspmd_digits_t dims[TENSOR_RANK_MAX];
  gspmd_digits_t manual;  // Of last_tile_dims={manual}.
} gspmd_sharding_t;

// Errors have no place: INVALID_ARGUMENT, UNIMPLEMENTED, with the string in the message.
POD_MUST_USE pod_status_t gspmd_parse(const char *text, gspmd_sharding_t *out);

// Either a string in braces or a serialized OpSharding, of which no bytes are the one
// that is replicated.
POD_MUST_USE pod_status_t gspmd_read(const char *bytes, int64_t length,
                                     gspmd_sharding_t *out);

// Whether it is a list of shardings, in either form.
bool gspmd_is_tuple(const char *bytes, int64_t length);

// gspmd_proto.c: the string of a serialized OpSharding. Adds to `out`, also when it
// fails.
POD_MUST_USE pod_status_t gspmd_print_proto(const char *bytes, int64_t length,
                                            pod_text_t *out);

#endif  // SERVER_COMPILER_LEGALIZE_GSPMD_STRING_H_
