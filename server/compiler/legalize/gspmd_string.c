// Recursive descent over HloSharding's text form (xla/hlo/parser/hlo_parser.cc); iota
// lists [a,b]<=[n]T(p) are kept as strides, never written out.

#include "server/compiler/legalize/gspmd_string.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

enum { TILE_DIMS_MAX = TENSOR_RANK_MAX + 4 };

typedef struct reader_t {
  const char *text, *next;
} reader_t;

typedef struct tiles_t {
  int count;  // Dimensions of the assignment: of the array, then of groups.
  int64_t sizes[TILE_DIMS_MAX];
  int groups;  // How many of the last are groups,
  bool is_manual[TILE_DIMS_MAX];
} tiles_t;

static pod_status_t bad(const reader_t *reader, const char *what) {
  return pod_error(POD_INVALID_ARGUMENT, "sharding \"%.200s\": %s at character %d",
                   reader->text, what, (int)(reader->next - reader->text));
}

static bool accept(reader_t *reader, const char *word) {
  while (*reader->next == ' ') {
    reader->next++;
  }
  const size_t length = strlen(word);
  if (strncmp(reader->next, word, length) != 0) {
    return false;
  }
  reader->next += length;
  return true;
}

static pod_status_t read_number(reader_t *reader, int64_t *out) {
  int64_t value = 0;
  accept(reader, "");
  if (!isdigit((unsigned char)*reader->next)) {
    return bad(reader, "expected a number");
  }
  while (isdigit((unsigned char)*reader->next)) {
    value = 10 * value + (*reader->next++ - '0');
    if (value > SHARDING_DEVICES_MAX) {
      return bad(reader, "a number that is too large");
    }
  }
  *out = value;
  return NULL;
}

// 2,1,2 and the bracket behind it.
static pod_status_t read_numbers(reader_t *reader, const char *end, int limit,
                                 int *out_count, int64_t *out) {
  int count = 0;
  do {
    if (count == limit) {
      return bad(reader, "too many numbers");
    }
    POD_TRY(read_number(reader, &out[count++]));
  } while (accept(reader, ","));
  *out_count = count;
  return accept(reader, end) ? NULL : bad(reader, "expected the end of a list");
}

// Their product; sizes of 0 and products out of range are refused.
static pod_status_t multiply(const reader_t *reader, int count, const int64_t *sizes,
                             int64_t *out) {
  int64_t product = 1;
  for (int i = 0; i < count; i++) {
    product *= sizes[i];
    if (product < 1 || product > SHARDING_DEVICES_MAX) {
      return bad(reader, "a number of devices out of range");
    }
  }
  *out = product;
  return NULL;
}

static pod_status_t add_digit(const reader_t *reader, gspmd_digits_t *list, int64_t pre,
                              int64_t size) {
  if (size > 1) {
    if (list->count == GSPMD_DIGITS_MAX) {
      return bad(reader, "too many dimensions");
    }
    list->digits[list->count++] = (gspmd_digit_t){pre, size};
  }
  return NULL;
}

// <=[2,4]T(1,0): the numbers counted up over [2,4], transposed.
static pod_status_t read_iota(reader_t *reader, int64_t devices, gspmd_digits_t *out) {
  int64_t sizes[GSPMD_DIGITS_MAX], order[GSPMD_DIGITS_MAX], product = 0, pre = 1;
  gspmd_digit_t digits[GSPMD_DIGITS_MAX];
  int count = 0, order_count = 0;
  POD_TRY(read_numbers(reader, "]", GSPMD_DIGITS_MAX, &count, sizes));
  POD_TRY(multiply(reader, count, sizes, &product));
  if (product != devices) {
    return bad(reader, "as many devices as the tiles need must stand");
  }
  bool seen[GSPMD_DIGITS_MAX] = {false};
  for (int i = 0; i < count; i++) {
    digits[i] = (gspmd_digit_t){pre, sizes[i]};
    pre *= sizes[i];
    order[i] = i;
  }
  if (accept(reader, "T(")) {
    POD_TRY(read_numbers(reader, ")", GSPMD_DIGITS_MAX, &order_count, order));
    if (order_count != count) {
      return bad(reader, "expected a permutation");
    }
  }
  for (int i = 0; i < count; i++) {
    if (order[i] >= count || seen[order[i]]) {
      return bad(reader, "expected a permutation");
    }
    seen[order[i]] = true;
    const gspmd_digit_t digit = digits[order[i]];
    POD_TRY(add_digit(reader, out, digit.pre, digit.size));
  }
  return NULL;
}

// The digits of a list of numbers, from the minor end: steps of `stride` as long as they
// go on. False when the list is no such table.
static bool find_digits(int64_t devices, const int64_t *ids, gspmd_digits_t *out) {
  gspmd_digit_t minor_first[GSPMD_DIGITS_MAX];
  int count = 0;
  for (int64_t block = 1; block < devices;) {
    const int64_t stride = ids[block] - ids[0];
    int64_t size = 1;
    while (size * block < devices && ids[size * block] == ids[0] + size * stride) {
      size++;
    }
    if (stride < 1 || devices % (stride * size) != 0 || devices % (block * size) != 0 ||
        count == GSPMD_DIGITS_MAX) {
      return false;
    }
    minor_first[count++] = (gspmd_digit_t){devices / (stride * size), size};
    block *= size;
  }
  for (int i = 0; i < count; i++) {
    out->digits[i] = minor_first[count - 1 - i];
  }
  out->count = count;
  for (int64_t i = 0; i < devices; i++) {
    int64_t rest = i, id = 0;
    for (int d = 0; d < count; d++) {
      id += rest % minor_first[d].size *
            (devices / (minor_first[d].pre * minor_first[d].size));
      rest /= minor_first[d].size;
    }
    if (ids[i] != id) {
      return false;
    }
  }
  return true;
}

// 0,2,1,3
static pod_status_t read_list(reader_t *reader, int64_t devices, gspmd_digits_t *out) {
  int64_t *ids = pod_alloc((size_t)devices * sizeof(*ids));
  pod_status_t status = NULL;
  for (int64_t i = 0; i < devices && status == NULL; i++) {
    status = i > 0 && !accept(reader, ",")
                 ? bad(reader, "as many devices as the tiles need must stand")
                 : read_number(reader, &ids[i]);
  }
  bool *seen = pod_alloc((size_t)devices * sizeof(*seen));
  for (int64_t i = 0; i < devices && status == NULL; i++) {
    if (ids[i] >= devices || seen[ids[i]]) {
      status = pod_error(POD_INVALID_ARGUMENT,
                         "sharding \"%.200s\": names device %" PRId64 " %s", reader->text,
                         ids[i], ids[i] >= devices ? "and has fewer devices" : "twice");
    } else {
      seen[ids[i]] = true;
    }
  }
  free(seen);
  if (status == NULL && !find_digits(devices, ids, out)) {
    status = pod_error(POD_UNIMPLEMENTED,
                       "sharding \"%.200s\": its devices are not in the order of a mesh",
                       reader->text);
  }
  free(ids);
  return status;
}

static pod_status_t read_groups(reader_t *reader, tiles_t *tiles) {
  if (accept(reader, "last_tile_dim_replicate")) {
    tiles->groups = 1;
  } else if (accept(reader, "last_tile_dims={")) {
    do {
      if (tiles->groups == tiles->count) {
        return bad(reader, "more groups than dimensions");
      }
      const bool is_manual = accept(reader, "manual");
      if (!is_manual && !accept(reader, "replicated") && !accept(reader, "unreduced")) {
        return bad(reader, "expected manual, replicated or unreduced");
      }
      tiles->is_manual[tiles->groups++] = is_manual;
    } while (accept(reader, ","));
    if (!accept(reader, "}")) {
      return bad(reader, "expected }");
    }
  }
  return tiles->groups <= tiles->count ? NULL : bad(reader, "no dimension for groups");
}

// Takes digits from the front of `rest` that together have `size` values.
static pod_status_t take(const reader_t *reader, gspmd_digits_t *rest, int64_t size,
                         gspmd_digits_t *out) {
  while (size > 1) {
    gspmd_digit_t *first = &rest->digits[0];
    const int64_t part = first->size < size ? first->size : size;
    if (rest->count == 0 || size % part != 0 || first->size % part != 0) {
      return pod_error(POD_UNIMPLEMENTED,
                       "sharding \"%.200s\": a tile is no whole number of devices of a "
                       "mesh's axes",
                       reader->text);
    }
    POD_TRY(add_digit(reader, out, first->pre, part));
    first->pre *= part;
    first->size /= part;
    size /= part;
    if (first->size == 1) {
      rest->count--;
      memmove(first, first + 1, (size_t)rest->count * sizeof(*first));
    }
  }
  return NULL;
}

static pod_status_t read_devices(reader_t *reader, gspmd_sharding_t *out) {
  tiles_t tiles = {0};
  gspmd_digits_t digits = {0};
  POD_TRY(read_numbers(reader, "]", TILE_DIMS_MAX, &tiles.count, tiles.sizes));
  POD_TRY(multiply(reader, tiles.count, tiles.sizes, &out->device_count));
  POD_TRY(accept(reader, "<=[") ? read_iota(reader, out->device_count, &digits)
                                : read_list(reader, out->device_count, &digits));
  POD_TRY(read_groups(reader, &tiles));
  out->rank = tiles.count - tiles.groups;
  if (out->rank > TENSOR_RANK_MAX) {
    return bad(reader, "too many dimensions");
  }
  gspmd_digits_t replicated = {0};
  for (int i = 0; i < tiles.count; i++) {
    const bool is_manual = i >= out->rank && tiles.is_manual[i - out->rank];
    gspmd_digits_t *to = i < out->rank ? &out->dims[i]
                         : is_manual   ? &out->manual
                                       : &replicated;
    POD_TRY(take(reader, &digits, tiles.sizes[i], to));
  }
  return NULL;
}

// metadata={op_name="f{" …}: braces in quotes do not count.
static bool skip_braces(reader_t *reader) {
  int depth = 0;
  bool is_quoted = false;
  for (; *reader->next != '\0'; reader->next++) {
    const char c = *reader->next;
    if (is_quoted && c == '\\' && reader->next[1] != '\0') {
      reader->next++;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted) {
      depth += (c == '{') - (c == '}');
      if (depth == 0) {
        reader->next++;
        return true;
      }
    }
  }
  return false;
}

// What stands before the last brace: shard_as 3, shard_like 3, metadata={…}.
static pod_status_t read_rest(reader_t *reader, gspmd_sharding_t *out) {
  int64_t group_id;
  if (accept(reader, "shard_as ")) {
    POD_TRY(read_number(reader, &out->group_id));
    out->is_grouped = true;
  } else if (accept(reader, "shard_like ")) {  // A hint.
    POD_TRY(read_number(reader, &group_id));
  }
  if (accept(reader, "metadata=") && !skip_braces(reader)) {
    return bad(reader, "expected } behind metadata");
  }
  return accept(reader, "}") && *reader->next == '\0' ? NULL : bad(reader, "expected }");
}

pod_status_t gspmd_parse(const char *text, gspmd_sharding_t *out) {
  reader_t reader = {text, text};
  gspmd_sharding_t sharding = {0};
  int64_t device;
  if (!accept(&reader, "{")) {
    return bad(&reader, "expected {");
  }
  if (accept(&reader, "devices=[")) {
    POD_TRY(read_devices(&reader, &sharding));
  } else if (accept(&reader, "manual")) {
    sharding.is_manual = true;
  } else if (accept(&reader, "unknown") || accept(&reader, "unreduced")) {
    sharding.is_unknown = true;
  } else if (accept(&reader, "maximal device=")) {
    POD_TRY(read_number(&reader, &device));
  } else if (!accept(&reader, "replicated")) {
    return bad(&reader,
               "expected devices=[…], replicated, manual, unknown or maximal device=…");
  }
  POD_TRY(read_rest(&reader, &sharding));
  *out = sharding;
  return NULL;
}

static bool is_text(const char *bytes, int64_t length) {
  return length > 0 && bytes[0] == '{';
}

pod_status_t gspmd_read(const char *bytes, int64_t length, gspmd_sharding_t *out) {
  if (is_text(bytes, length)) {
    return gspmd_parse(bytes, out);
  }
  pod_text_t text = {0};
  pod_status_t status = gspmd_print_proto(bytes, length, &text);
  if (status == NULL) {
    status = gspmd_parse(text.bytes, out);
  } else if (bytes[0] >= ' ' && bytes[0] <= '~') {  // Somebody wrote it.
    pod_status_free(status);
    status = gspmd_parse(bytes, out);
  }
  pod_text_deinit(&text);
  return status;
}

bool gspmd_is_tuple(const char *bytes, int64_t length) {
  static const char proto[] = {'\x08', '\x02'};  // Field 1, the type: TUPLE.
  return length >= 2 &&
         (is_text(bytes, length) ? bytes[1] == '{' : memcmp(bytes, proto, 2) == 0);
}
