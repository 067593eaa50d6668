// A serialized OpSharding (xla/xla_data.proto) as the string that HloSharding prints of
// it, so that one parser has to be right. JAX writes the bytes into mhlo.sharding, and
// the bytes of {replicated} are none at all.
//
// Protocol buffers: a field is a varint of number · 8 + wire type, then a varint (type 0)
// or a length and so many bytes (type 2); a list of numbers is either.

#include <inttypes.h>

#include "common/base/check.h"
#include "server/compiler/legalize/gspmd_string.h"

enum { NUMBERS_MAX = 1 << 16 };

typedef enum field_t {
  FIELD_TYPE = 1,
  FIELD_TILE_DIMS = 3,
  FIELD_TILE_DEVICES = 4,
  FIELD_REPLICATES_LAST = 6,
  FIELD_LAST_TILE_DIMS = 8,
  FIELD_IOTA_DIMS = 9,
  FIELD_IOTA_ORDER = 10,
  FIELD_IS_GROUP = 11,
  FIELD_GROUP_ID = 12,
  FIELD_GROUP_TYPE = 13,
  FIELD_COUNT,
} field_t;

typedef enum type_t {
  TYPE_REPLICATED = 0,
  TYPE_MAXIMAL,
  TYPE_TUPLE,
  TYPE_OTHER,
  TYPE_MANUAL,
  TYPE_UNKNOWN,
  TYPE_UNREDUCED,
  TYPE_COUNT,
} type_t;

static const char *const type_words[TYPE_COUNT] = {
    "replicated", "maximal", NULL, NULL, "manual", "unknown", "unreduced"};

typedef struct bytes_t {
  const unsigned char *next, *end;
} bytes_t;

// What a message holds: scalars, and lists as text "2,1,2".
typedef struct message_t {
  uint64_t scalars[FIELD_COUNT];
  pod_text_t lists[FIELD_COUNT];
  int counts[FIELD_COUNT];
} message_t;

static bool read_varint(bytes_t *bytes, uint64_t *out) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && bytes->next < bytes->end; shift += 7) {
    const unsigned char byte = *bytes->next++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      *out = value;
      return true;
    }
  }
  return false;
}

static bool is_list(uint64_t field) {
  return field == FIELD_TILE_DIMS || field == FIELD_TILE_DEVICES ||
         field == FIELD_LAST_TILE_DIMS || field == FIELD_IOTA_DIMS ||
         field == FIELD_IOTA_ORDER;
}

static bool add_number(message_t *message, uint64_t field, uint64_t value) {
  if (!is_list(field)) {
    message->scalars[field] = value;
    return true;
  }
  pod_text_t *list = &message->lists[field];
  const bool is_word = field == FIELD_LAST_TILE_DIMS;
  if (message->counts[field]++ == NUMBERS_MAX ||
      (is_word && (value >= TYPE_COUNT || type_words[value] == NULL))) {
    return false;
  }
  pod_text_add(list, list->length > 0 ? "," : "");
  if (is_word) {
    pod_text_add(list, type_words[value]);
  } else {
    pod_text_printf(list, "%" PRIu64, value);
  }
  return true;
}

static bool read_field(bytes_t *bytes, message_t *message) {
  enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };
  uint64_t key, value;
  if (!read_varint(bytes, &key) || !read_varint(bytes, &value)) {
    return false;
  }
  const uint64_t field = key >> 3, wire = key & 7;
  const bool is_known = field > 0 && field < FIELD_COUNT;
  if (wire == WIRE_VARINT) {
    return !is_known || add_number(message, field, value);
  }
  if (wire != WIRE_BYTES || value > (uint64_t)(bytes->end - bytes->next)) {
    return false;
  }
  bytes_t packed = {bytes->next, bytes->next + value};
  bytes->next = packed.end;
  while (is_known && is_list(field) && packed.next < packed.end) {
    if (!read_varint(&packed, &value) || !add_number(message, field, value)) {
      return false;
    }
  }
  return true;
}

static const char *list_text(const message_t *message, field_t field) {
  return message->lists[field].length > 0 ? message->lists[field].bytes : "";
}

static void print_tiles(const message_t *message, pod_text_t *out) {
  pod_text_printf(out, "devices=[%s]", list_text(message, FIELD_TILE_DIMS));
  if (message->counts[FIELD_IOTA_DIMS] > 0) {
    pod_text_printf(out, "<=[%s]", list_text(message, FIELD_IOTA_DIMS));
  } else {
    pod_text_add(out, list_text(message, FIELD_TILE_DEVICES));
  }
  if (message->counts[FIELD_IOTA_ORDER] > 0) {
    pod_text_printf(out, "T(%s)", list_text(message, FIELD_IOTA_ORDER));
  }
  if (message->counts[FIELD_LAST_TILE_DIMS] > 0) {
    pod_text_printf(out, " last_tile_dims={%s}",
                    list_text(message, FIELD_LAST_TILE_DIMS));
  } else if (message->scalars[FIELD_REPLICATES_LAST] != 0) {
    pod_text_add(out, " last_tile_dim_replicate");
  }
}

static bool print_message(const message_t *message, pod_text_t *out) {
  const uint64_t type = message->scalars[FIELD_TYPE];
  pod_text_add(out, "{");
  switch (type) {
    case TYPE_TUPLE:  // Its parts are nobody's business: see gspmd_is_tuple.
      pod_text_add(out, "{}}");
      return true;
    case TYPE_MAXIMAL:
      pod_text_printf(out, "maximal device=%s", list_text(message, FIELD_TILE_DEVICES));
      break;
    case TYPE_OTHER:
      print_tiles(message, out);
      break;
    default:
      if (type >= TYPE_COUNT) {
        return false;
      }
      pod_text_add(out, type_words[type]);
  }
  if (message->scalars[FIELD_IS_GROUP] != 0) {
    pod_text_printf(out, " shard_%s %" PRIu64,
                    message->scalars[FIELD_GROUP_TYPE] == 0 ? "as" : "like",
                    message->scalars[FIELD_GROUP_ID]);
  }
  pod_text_add(out, "}");
  return true;
}

pod_status_t gspmd_print_proto(const char *data, int64_t length, pod_text_t *out) {
  message_t message = {0};
  bytes_t bytes = {(const unsigned char *)data, (const unsigned char *)data + length};
  bool is_good = true;
  while (is_good && bytes.next < bytes.end) {
    is_good = read_field(&bytes, &message);
  }
  is_good = is_good && print_message(&message, out);
  for (int i = 0; i < FIELD_COUNT; i++) {
    pod_text_deinit(&message.lists[i]);
  }
  return is_good ? NULL
                 : pod_error(POD_INVALID_ARGUMENT,
                             "a sharding of %" PRId64
                             " bytes that is neither a string in braces nor a serialized "
                             "OpSharding",
                             length);
}
