// NumPy's .npy files; the format is described in NumPy's lib/format documentation:
// "\x93NUMPY", two version bytes, the header's length (16 bits, from 2.0 on 32), the
// header as a Python dictionary, the elements.

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/output_file.h"
#include "common/tensor/array.h"

enum { PREFIX_BYTES_MAX = 12, HEADER_BYTES_MAX = 1 << 20 };

typedef struct npy_header_t {
  tensor_shape_t shape;  // Of the file; dtype is TENSOR_INVALID for an unnamed type.
  size_t void_bytes;     // Size of an element of an unnamed type.
  bool is_fortran, is_big_endian;
  bool has_type, has_shape, has_order;
} npy_header_t;

typedef struct npy_cursor_t {
  const char *at, *end;
  const char *name;
} npy_cursor_t;

static pod_status_t malformed(const char *name, const char *why) {
  return pod_error(POD_INVALID_ARGUMENT, "%s is no .npy file: %s", name, why);
}

// ----- the dictionary -----

static void skip_space(npy_cursor_t *cursor) {
  while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at) != NULL &&
         *cursor->at != '\0') {
    cursor->at++;
  }
}

static bool accept(npy_cursor_t *cursor, char c) {
  skip_space(cursor);
  if (cursor->at < cursor->end && *cursor->at == c) {
    cursor->at++;
    return true;
  }
  return false;
}

static bool accept_word(npy_cursor_t *cursor, const char *word) {
  skip_space(cursor);
  const size_t length = strlen(word);
  if ((size_t)(cursor->end - cursor->at) < length ||
      memcmp(cursor->at, word, length) != 0) {
    return false;
  }
  cursor->at += length;
  return true;
}

// A quoted text without escapes, as NumPy writes them.
static pod_status_t read_string(npy_cursor_t *cursor, const char **out_text,
                                size_t *out_length) {
  skip_space(cursor);
  if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"')) {
    return malformed(cursor->name,
                     "its header has no text where one is expected "
                     "(structured types are not supported)");
  }
  const char quote = *cursor->at++;
  const char *close = memchr(cursor->at, quote, (size_t)(cursor->end - cursor->at));
  if (close == NULL) {
    return malformed(cursor->name, "a text in its header does not end");
  }
  *out_text = cursor->at;
  *out_length = (size_t)(close - cursor->at);
  cursor->at = close + 1;
  return NULL;
}

static pod_status_t read_size(npy_cursor_t *cursor, int64_t *out_size) {
  skip_space(cursor);
  int64_t size = 0;
  const char *start = cursor->at;
  while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9') {
    if (__builtin_mul_overflow(size, 10, &size) ||
        __builtin_add_overflow(size, *cursor->at - '0', &size)) {
      return malformed(cursor->name, "a size in its header exceeds 2^63 - 1");
    }
    cursor->at++;
  }
  if (cursor->at == start) {
    return malformed(cursor->name, "its shape holds something else than sizes");
  }
  if (cursor->at < cursor->end && *cursor->at == 'L') {
    cursor->at++;  // Python 2 wrote long integers so.
  }
  *out_size = size;
  return NULL;
}

static pod_status_t read_shape(npy_cursor_t *cursor, npy_header_t *header) {
  if (!accept(cursor, '(')) {
    return malformed(cursor->name, "its shape is no tuple");
  }
  header->shape.rank = 0;
  while (!accept(cursor, ')')) {
    if (header->shape.rank == TENSOR_RANK_MAX) {
      return pod_error(POD_INVALID_ARGUMENT, "%s has more than %d dimensions",
                       cursor->name, TENSOR_RANK_MAX);
    }
    POD_TRY(read_size(cursor, &header->shape.dims[header->shape.rank++]));
    if (!accept(cursor, ',') && !(cursor->at < cursor->end && *cursor->at == ')')) {
      return malformed(cursor->name, "its shape does not end");
    }
  }
  header->has_shape = true;
  return NULL;
}

typedef struct npy_type_t {
  const char *code;  // Without byte order.
  tensor_dtype_t dtype;
} npy_type_t;

static const npy_type_t npy_types[] = {
    {"b1", TENSOR_PRED}, {"i1", TENSOR_S8},    {"i2", TENSOR_S16}, {"i4", TENSOR_S32},
    {"i8", TENSOR_S64},  {"u1", TENSOR_U8},    {"u2", TENSOR_U16}, {"u4", TENSOR_U32},
    {"u8", TENSOR_U64},  {"f2", TENSOR_F16},   {"f4", TENSOR_F32}, {"f8", TENSOR_F64},
    {"c8", TENSOR_C64},  {"c16", TENSOR_C128},
};

// Names that ml_dtypes registers with NumPy.
static const npy_type_t ml_types[] = {
    {"bfloat16", TENSOR_BF16},
    {"float8_e3m4", TENSOR_F8E3M4},
    {"float8_e4m3", TENSOR_F8E4M3},
    {"float8_e4m3fn", TENSOR_F8E4M3FN},
    {"float8_e4m3fnuz", TENSOR_F8E4M3FNUZ},
    {"float8_e4m3b11fnuz", TENSOR_F8E4M3B11FNUZ},
    {"float8_e5m2", TENSOR_F8E5M2},
    {"float8_e5m2fnuz", TENSOR_F8E5M2FNUZ},
    {"float8_e8m0fnu", TENSOR_F8E8M0FNU},
    {"float6_e2m3fn", TENSOR_F6E2M3FN},
    {"float6_e3m2fn", TENSOR_F6E3M2FN},
    {"float4_e2m1fn", TENSOR_F4E2M1FN},
    {"int2", TENSOR_S2},
    {"int4", TENSOR_S4},
    {"uint2", TENSOR_U2},
    {"uint4", TENSOR_U4},
};

static tensor_dtype_t find_type(const npy_type_t *types, size_t count, const char *text,
                                size_t length) {
  for (size_t i = 0; i < count; i++) {
    if (strlen(types[i].code) == length && memcmp(types[i].code, text, length) == 0) {
      return types[i].dtype;
    }
  }
  return TENSOR_INVALID;
}

static pod_status_t read_type(npy_cursor_t *cursor, npy_header_t *header) {
  const char *text;
  size_t length;
  POD_TRY(read_string(cursor, &text, &length));
  header->has_type = true;
  header->shape.dtype = find_type(ml_types, POD_COUNT_OF(ml_types), text, length);
  if (header->shape.dtype != TENSOR_INVALID) {
    return NULL;
  }
  const char *code = text;
  size_t code_length = length;
  if (length > 0 && strchr("<>|=", text[0]) != NULL && text[0] != '\0') {
    header->is_big_endian = text[0] == '>';
    code++;
    code_length--;
  }
  header->shape.dtype = find_type(npy_types, POD_COUNT_OF(npy_types), code, code_length);
  if (header->shape.dtype != TENSOR_INVALID) {
    return NULL;
  }
  // What NumPy cannot name: void of one or two bytes; "f1" is float8_e5m2.
  if (code_length == 2 && (code[0] == 'V' || code[0] == 'f') &&
      (code[1] == '1' || code[1] == '2')) {
    header->void_bytes = (size_t)(code[1] - '0');
    return NULL;
  }
  return pod_error(POD_INVALID_ARGUMENT,
                   "%s holds elements of type \"%.*s\", which has no "
                   "counterpart here",
                   cursor->name, (int)(length < 64 ? length : 64), text);
}

static pod_status_t read_order(npy_cursor_t *cursor, npy_header_t *header) {
  header->is_fortran = accept_word(cursor, "True");
  if (!header->is_fortran && !accept_word(cursor, "False")) {
    return malformed(cursor->name, "fortran_order is neither True nor False");
  }
  header->has_order = true;
  return NULL;
}

static pod_status_t read_dictionary(npy_cursor_t *cursor, npy_header_t *header) {
  if (!accept(cursor, '{')) {
    return malformed(cursor->name, "its header is no dictionary");
  }
  while (!accept(cursor, '}')) {
    const char *key;
    size_t length;
    POD_TRY(read_string(cursor, &key, &length));
    if (!accept(cursor, ':')) {
      return malformed(cursor->name, "a key in its header has no value");
    }
    if (length == 5 && memcmp(key, "descr", 5) == 0) {
      POD_TRY(read_type(cursor, header));
    } else if (length == 5 && memcmp(key, "shape", 5) == 0) {
      POD_TRY(read_shape(cursor, header));
    } else if (length == 13 && memcmp(key, "fortran_order", 13) == 0) {
      POD_TRY(read_order(cursor, header));
    } else {
      return malformed(cursor->name, "its header has a key of its own");
    }
    if (!accept(cursor, ',') && !(cursor->at < cursor->end && *cursor->at == '}')) {
      return malformed(cursor->name, "its header does not end");
    }
  }
  if (!header->has_type || !header->has_shape || !header->has_order) {
    return malformed(cursor->name, "its header lacks descr, fortran_order or shape");
  }
  return NULL;
}

// ----- the file -----

// Where the dictionary starts, and its length, from the first bytes of a file.
static pod_status_t read_prefix(const char *name, const unsigned char *bytes, size_t size,
                                size_t *out_start, size_t *out_length) {
  if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0) {
    return malformed(name, "it does not begin with \\x93NUMPY");
  }
  const unsigned version = bytes[6];
  if (version < 1 || version > 3 || bytes[7] != 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s has .npy version %u.%u; 1.0, 2.0 and 3.0 can be read", name,
                     version, bytes[7]);
  }
  *out_start = version == 1 ? 10 : 12;
  if (size < *out_start) {
    return malformed(name, "it ends within its header");
  }
  *out_length = version == 1 ? bytes[8] | (size_t)bytes[9] << 8
                             : bytes[8] | (size_t)bytes[9] << 8 |
                                   (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
  if (*out_length > HEADER_BYTES_MAX) {
    return malformed(name, "its header exceeds 1 MiB");
  }
  return NULL;
}

static pod_status_t mismatch(const char *name, const tensor_shape_t *found,
                             size_t void_bytes, const tensor_shape_t *expected) {
  pod_text_t text = {0};
  tensor_shape_print(&text, found);
  if (void_bytes > 0) {
    pod_text_printf(&text, " with an unnamed type of %zu bytes", void_bytes);
  }
  pod_text_add(&text, expected == NULL ? ", say what it is" : ", expected was ");
  if (expected != NULL) {
    tensor_shape_print(&text, expected);
  }
  const pod_status_t status =
      pod_error(POD_INVALID_ARGUMENT, "%s holds %s", name, text.bytes);
  pod_text_deinit(&text);
  return status;
}

static bool has_numpy_name(tensor_dtype_t dtype) {
  for (size_t i = 0; i < POD_COUNT_OF(npy_types); i++) {
    if (npy_types[i].dtype == dtype) {
      return true;
    }
  }
  return false;
}

// Decides what an unnamed type is, and compares with what is expected.
static pod_status_t settle_type(const char *name, const tensor_shape_t *expected,
                                npy_header_t *header) {
  tensor_shape_t *shape = &header->shape;
  if (shape->dtype == TENSOR_INVALID) {
    if (expected != NULL && !has_numpy_name(expected->dtype) &&
        tensor_dtype_bytes(expected->dtype) == header->void_bytes) {
      shape->dtype = expected->dtype;
    } else if (expected == NULL && header->void_bytes == 2) {
      shape->dtype = TENSOR_BF16;
    } else {
      return mismatch(name, shape, header->void_bytes, expected);
    }
  }
  if (expected != NULL && !tensor_shape_equal(shape, expected)) {
    return mismatch(name, shape, 0, expected);
  }
  return pod_status_context(tensor_shape_check(shape), "%s", name);
}

static pod_status_t parse_header(const char *name, const char *text, size_t length,
                                 const tensor_shape_t *expected, uint64_t data_bytes,
                                 npy_header_t *header) {
  npy_cursor_t cursor = {text, text + length, name};
  POD_TRY(read_dictionary(&cursor, header));
  POD_TRY(settle_type(name, expected, header));
  const uint64_t needed = (uint64_t)tensor_shape_bytes(&header->shape);
  if (needed != data_bytes) {
    pod_text_t shape = {0};
    tensor_shape_print(&shape, &header->shape);
    const pod_status_t status =
        pod_error(POD_INVALID_ARGUMENT,
                  "%s announces %s, which is %" PRIu64 " bytes, but holds %" PRIu64, name,
                  shape.bytes, needed, data_bytes);
    pod_text_deinit(&shape);
    return status;
  }
  return NULL;
}

// ----- the elements -----

static void swap_bytes(const npy_header_t *header, char *data, size_t size) {
  size_t part = tensor_dtype_bytes(header->shape.dtype);
  part = tensor_dtype_is_complex(header->shape.dtype) ? part / 2 : part;
  for (size_t at = 0; part > 1 && at < size; at += part) {
    for (size_t i = 0; i < part / 2; i++) {
      const char byte = data[at + i];
      data[at + i] = data[at + part - 1 - i];
      data[at + part - 1 - i] = byte;
    }
  }
}

// Walks the target in row-major order; a step along dimension d moves the source by the
// product of the sizes before d.
static void copy_from_fortran(const tensor_shape_t *shape, const char *source,
                              char *target) {
  const size_t element = tensor_dtype_bytes(shape->dtype);
  size_t steps[TENSOR_RANK_MAX];
  size_t step = element;
  for (int i = 0; i < shape->rank; i++) {
    steps[i] = step;
    step *= (size_t)shape->dims[i];
  }
  int64_t index[TENSOR_RANK_MAX] = {0};
  const int64_t count = tensor_shape_elements(shape);
  for (int64_t n = 0; n < count; n++, target += element) {
    memcpy(target, source, element);
    for (int i = shape->rank - 1; i >= 0; i--) {
      source += steps[i];
      if (++index[i] < shape->dims[i]) {
        break;
      }
      source -= steps[i] * (size_t)shape->dims[i];
      index[i] = 0;
    }
  }
}

// Bytes from outside are brought to the forms that dtype.h promises.
static void normalise(tensor_array_t *array) {
  const tensor_dtype_t dtype = array->shape.dtype;
  const unsigned bits = tensor_dtype_device_bits(dtype);
  if (dtype != TENSOR_PRED && bits >= 8) {
    return;
  }
  unsigned char *bytes = array->data;
  const int64_t count = tensor_shape_elements(&array->shape);
  for (int64_t i = 0; i < count; i++) {
    if (tensor_dtype_is_float(dtype)) {
      bytes[i] &= (unsigned char)((1u << bits) - 1u);
    } else {
      tensor_element_from_int64(dtype, bytes[i], &bytes[i]);
    }
  }
}

// Turns the bytes of the file, which `array` holds, into ours.
static pod_status_t convert(const npy_header_t *header, tensor_array_t *array) {
  if (header->is_big_endian) {
    swap_bytes(header, array->data, (size_t)tensor_shape_bytes(&array->shape));
  }
  if (header->is_fortran && array->shape.rank > 1) {
    tensor_array_t row_major = {0};
    POD_TRY(tensor_array_init(&row_major, &array->shape));
    copy_from_fortran(&array->shape, array->data, row_major.data);
    tensor_array_deinit(array);
    *array = row_major;
  }
  normalise(array);
  return NULL;
}

pod_status_t tensor_npy_parse(const char *name, const void *bytes, size_t size_bytes,
                              const tensor_shape_t *expected, tensor_array_t *out_array) {
  size_t start, length;
  POD_TRY(read_prefix(name, bytes, size_bytes, &start, &length));
  if (size_bytes - start < length) {
    return malformed(name, "it ends within its header");
  }
  npy_header_t header = {0};
  const size_t data_bytes = size_bytes - start - length;
  POD_TRY(parse_header(name, (const char *)bytes + start, length, expected, data_bytes,
                       &header));
  tensor_array_t array = {0};
  POD_TRY(pod_status_context(tensor_array_init(&array, &header.shape), "%s", name));
  if (data_bytes > 0) {
    memcpy(array.data, (const char *)bytes + start + length, data_bytes);
  }
  const pod_status_t status = convert(&header, &array);
  if (status != NULL) {
    tensor_array_deinit(&array);
    return pod_status_context(status, "%s", name);
  }
  *out_array = array;
  return NULL;
}

static pod_status_t system_error(const char *path, const char *what) {
  const int error = errno;
  const pod_code_t code = error == ENOENT   ? POD_NOT_FOUND
                          : error == EACCES ? POD_PERMISSION_DENIED
                                            : POD_INVALID_ARGUMENT;
  return pod_error(code, "cannot %s %s: %s", what, path, strerror(error));
}

static pod_status_t read_fully(int fd, const char *path, void *target, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = read(fd, (char *)target + done, size - done);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return system_error(path, "read");
    }
    if (got == 0) {
      return pod_error(POD_INVALID_ARGUMENT, "%s became shorter while it was read", path);
    }
    done += (size_t)got;
  }
  return NULL;
}

// The dictionary, returned owned, and where the elements begin.
static pod_status_t read_header_text(int fd, const char *path, uint64_t file_bytes,
                                     char **out_text, size_t *out_length,
                                     uint64_t *out_data_start) {
  unsigned char prefix[PREFIX_BYTES_MAX] = {0};
  const size_t prefix_bytes =
      file_bytes < sizeof(prefix) ? (size_t)file_bytes : sizeof(prefix);
  POD_TRY(read_fully(fd, path, prefix, prefix_bytes));
  size_t start, length;
  POD_TRY(read_prefix(path, prefix, prefix_bytes, &start, &length));
  if (file_bytes - start < length) {
    return malformed(path, "it ends within its header");
  }
  if (lseek(fd, (off_t)start, SEEK_SET) < 0) {
    return system_error(path, "read");
  }
  char *text = malloc(length + 1);
  if (text == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "%s: no memory for its header", path);
  }
  const pod_status_t status = read_fully(fd, path, text, length);
  if (status != NULL) {
    free(text);
    return status;
  }
  *out_text = text;
  *out_length = length;
  *out_data_start = start + length;
  return NULL;
}

static pod_status_t open_file(const char *path, int *out_fd, uint64_t *out_bytes) {
  // A FIFO is refused below, not waited for.
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  pod_status_t status = NULL;
  if (fd < 0) {
    return system_error(path, "open");
  }
  if (fstat(fd, &info) != 0) {
    status = system_error(path, "read");
  } else if (!S_ISREG(info.st_mode)) {
    status = pod_error(POD_INVALID_ARGUMENT, "%s is not a regular file", path);
  }
  if (status != NULL) {
    close(fd);
    return status;
  }
  *out_fd = fd;
  *out_bytes = (uint64_t)info.st_size;
  return NULL;
}

static pod_status_t read_header(int fd, const char *path, uint64_t file_bytes,
                                const tensor_shape_t *expected,
                                npy_header_t *out_header) {
  char *text;
  size_t length;
  uint64_t data_start;
  POD_TRY(read_header_text(fd, path, file_bytes, &text, &length, &data_start));
  const pod_status_t status =
      parse_header(path, text, length, expected, file_bytes - data_start, out_header);
  free(text);
  return status;
}

static pod_status_t read_from(int fd, const char *path, uint64_t file_bytes,
                              const tensor_shape_t *expected, tensor_array_t *out_array) {
  npy_header_t header = {0};
  POD_TRY(read_header(fd, path, file_bytes, expected, &header));
  tensor_array_t array = {0};
  POD_TRY(pod_status_context(tensor_array_init(&array, &header.shape), "%s", path));
  pod_status_t status =
      read_fully(fd, path, array.data, (size_t)tensor_shape_bytes(&header.shape));
  if (status == NULL) {
    status = pod_status_context(convert(&header, &array), "%s", path);
  }
  if (status != NULL) {
    tensor_array_deinit(&array);
    return status;
  }
  *out_array = array;
  return NULL;
}

pod_status_t tensor_npy_read(const char *path, const tensor_shape_t *expected,
                             tensor_array_t *out_array) {
  int fd;
  uint64_t file_bytes;
  POD_TRY(open_file(path, &fd, &file_bytes));
  const pod_status_t status = read_from(fd, path, file_bytes, expected, out_array);
  close(fd);
  return status;
}

pod_status_t tensor_npy_check(const char *path, const tensor_shape_t *expected) {
  int fd;
  uint64_t file_bytes;
  npy_header_t header = {0};
  POD_TRY(open_file(path, &fd, &file_bytes));
  const pod_status_t status = read_header(fd, path, file_bytes, expected, &header);
  close(fd);
  return status;
}

pod_status_t tensor_npy_shape(const char *path, tensor_shape_t *out_shape) {
  int fd;
  uint64_t file_bytes, data_start;
  char *text;
  size_t length;
  POD_TRY(open_file(path, &fd, &file_bytes));
  pod_status_t status =
      read_header_text(fd, path, file_bytes, &text, &length, &data_start);
  close(fd);
  POD_TRY(status);
  npy_header_t header = {0};
  npy_cursor_t cursor = {text, text + length, path};
  status = read_dictionary(&cursor, &header);
  free(text);
  POD_TRY(status);
  *out_shape = header.shape;
  return NULL;
}

// ----- writing -----

static void print_type(pod_text_t *text, tensor_dtype_t dtype) {
  const size_t bytes = tensor_dtype_bytes(dtype);
  for (size_t i = 0; i < POD_COUNT_OF(npy_types); i++) {
    if (npy_types[i].dtype == dtype) {
      pod_text_printf(text, "%c%s", bytes == 1 ? '|' : '<', npy_types[i].code);
      return;
    }
  }
  pod_text_printf(text, "%cV%zu", bytes == 1 ? '|' : '<', bytes);
}

// At most 16 sizes of 19 digits: always short enough for the 16-bit length of 1.0.
void tensor_npy_print_header(pod_text_t *text, const tensor_shape_t *shape) {
  enum { ALIGNMENT_BYTES = 64, PREFIX_BYTES = 10 };
  pod_text_t dictionary = {0};
  pod_text_add(&dictionary, "{'descr': '");
  print_type(&dictionary, shape->dtype);
  pod_text_add(&dictionary, "', 'fortran_order': False, 'shape': (");
  for (int i = 0; i < shape->rank; i++) {
    pod_text_printf(&dictionary, "%s%" PRId64, i == 0 ? "" : ", ", shape->dims[i]);
  }
  pod_text_add(&dictionary, shape->rank == 1 ? ",), }" : "), }");
  while ((PREFIX_BYTES + dictionary.length + 1) % ALIGNMENT_BYTES != 0) {
    pod_text_add(&dictionary, " ");
  }
  pod_text_add(&dictionary, "\n");
  const unsigned char length[2] = {(unsigned char)(dictionary.length & 0xff),
                                   (unsigned char)(dictionary.length >> 8)};
  pod_text_add_bytes(text, "\x93NUMPY\x01\x00", 8);
  pod_text_add_bytes(text, length, 2);
  pod_text_add_bytes(text, dictionary.bytes, dictionary.length);
  pod_text_deinit(&dictionary);
}

pod_status_t tensor_npy_write(const char *path, const tensor_array_t *array) {
  pod_output_file_t *file;
  POD_TRY(pod_output_file_open(path, &file));
  pod_text_t header = {0};
  tensor_npy_print_header(&header, &array->shape);
  pod_status_t status = pod_output_file_write(file, header.bytes, header.length);
  pod_text_deinit(&header);
  if (status == NULL) {
    status = pod_output_file_write(file, array->data,
                                   (size_t)tensor_shape_bytes(&array->shape));
  }
  return pod_output_file_close(file, status);
}
