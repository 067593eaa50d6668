// The generators of tensor_fill.

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/tensor/array.h"

// Writes the first element again and again; every copy doubles what is done.
static void repeat_first(tensor_array_t *array) {
  const size_t size = (size_t)tensor_shape_bytes(&array->shape);
  size_t done = tensor_dtype_bytes(array->shape.dtype);
  while (done < size) {
    const size_t more = done < size - done ? done : size - done;
    memcpy((char *)array->data + done, array->data, more);
    done += more;
  }
}

static void fill_iota(tensor_array_t *array) {
  const tensor_dtype_t dtype = array->shape.dtype;
  const size_t element_bytes = tensor_dtype_bytes(dtype);
  const int64_t count = tensor_shape_elements(&array->shape);
  char *element = array->data;
  for (int64_t i = 0; i < count; i++, element += element_bytes) {
    tensor_element_from_int64(dtype, i, element);
  }
}

// How many random bits a float of the type takes: it becomes a multiple of 2^(1 - bits)
// in [-1, 1) that the type holds exactly, so that nothing is rounded up to 1.
static unsigned random_bits_of(tensor_dtype_t dtype) {
  switch (dtype) {
    case TENSOR_F64:
    case TENSOR_C128:
      return 54;
    case TENSOR_F32:
    case TENSOR_C64:
      return 25;
    case TENSOR_F16:
      return 12;
    case TENSOR_BF16:
      return 9;
    case TENSOR_F8E3M4:
      return 6;
    case TENSOR_F8E5M2:
    case TENSOR_F8E5M2FNUZ:
    case TENSOR_F6E2M3FN:
    case TENSOR_F6E3M2FN:
      return 4;
    case TENSOR_F4E2M1FN:
      return 2;
    default:  // The types with three bits of mantissa.
      return 5;
  }
}

static double random_float(pod_random_t *random, unsigned bits) {
  const int64_t steps = (int64_t)(pod_random_next(random) >> (64u - bits));
  const int64_t half = (int64_t)1 << (bits - 1u);
  return (double)(steps - half) / (double)half;
}

static void fill_random_floats(pod_random_t *random, tensor_array_t *array) {
  const tensor_dtype_t dtype = array->shape.dtype;
  const bool is_complex = tensor_dtype_is_complex(dtype);
  const tensor_dtype_t part = dtype == TENSOR_C64    ? TENSOR_F32
                              : dtype == TENSOR_C128 ? TENSOR_F64
                                                     : dtype;
  const size_t part_bytes = tensor_dtype_bytes(part);
  const int64_t count = tensor_shape_elements(&array->shape) * (is_complex ? 2 : 1);
  const unsigned bits = random_bits_of(part);
  char *element = array->data;
  for (int64_t i = 0; i < count; i++, element += part_bytes) {
    const double value = random_float(random, bits);
    if (part == TENSOR_F32) {
      const float narrow = (float)value;
      memcpy(element, &narrow, sizeof(narrow));
    } else if (part == TENSOR_BF16) {
      const uint16_t narrow = tensor_f32_to_bf16((float)value);
      memcpy(element, &narrow, sizeof(narrow));
    } else if (part == TENSOR_F8E8M0FNU) {  // It has no sign and no zero.
      tensor_element_from_double(part, fabs(value) / 2 + 0.25, element);
    } else {
      tensor_element_from_double(part, value, element);
    }
  }
}

static void fill_random_integers(pod_random_t *random, tensor_array_t *array) {
  const tensor_dtype_t dtype = array->shape.dtype;
  const uint64_t bound = dtype == TENSOR_PRED ? 2 : 8;
  const size_t element_bytes = tensor_dtype_bytes(dtype);
  const int64_t count = tensor_shape_elements(&array->shape);
  char *element = array->data;
  for (int64_t i = 0; i < count; i++, element += element_bytes) {
    tensor_element_from_int64(dtype, (int64_t)pod_random_below(random, bound), element);
  }
}

static pod_status_t fill_random(const char *seed_text, tensor_array_t *array) {
  char *end = NULL;
  errno = 0;
  const unsigned long long seed = strtoull(seed_text, &end, 10);
  if (errno != 0 || end == seed_text || *end != '\0' || seed_text[0] == '-') {
    return pod_error(POD_INVALID_ARGUMENT,
                     "random:%s: the seed is a whole number from 0 to 2^64 - 1",
                     seed_text);
  }
  pod_random_t random = {.state = seed};
  const tensor_dtype_t dtype = array->shape.dtype;
  if (tensor_dtype_is_float(dtype) || tensor_dtype_is_complex(dtype)) {
    fill_random_floats(&random, array);
  } else {
    fill_random_integers(&random, array);
  }
  return NULL;
}

static pod_status_t fill_constant(const char *text, tensor_array_t *array) {
  const tensor_dtype_t dtype = array->shape.dtype;
  char element[16] = {0};
  char *end = NULL;
  errno = 0;
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
    tensor_element_from_int64(dtype, text[0] == 't', element);
  } else {
    const long long integer = strtoll(text, &end, 10);
    if (errno == 0 && end != text && *end == '\0') {
      tensor_element_from_int64(dtype, integer, element);
    } else {
      const double value = strtod(text, &end);
      if (end == text || *end != '\0') {
        return pod_error(POD_INVALID_ARGUMENT, "const:%s: that is no number", text);
      }
      tensor_element_from_double(dtype, value, element);
    }
  }
  if (tensor_shape_elements(&array->shape) > 0) {
    memcpy(array->data, element, tensor_dtype_bytes(dtype));
    repeat_first(array);
  }
  return NULL;
}

static pod_status_t fill_zeros(const char *text, tensor_array_t *array) {
  (void)text;
  return fill_constant("0", array);
}

static pod_status_t fill_ones(const char *text, tensor_array_t *array) {
  (void)text;
  return fill_constant("1", array);
}

static pod_status_t fill_counting(const char *text, tensor_array_t *array) {
  (void)text;
  fill_iota(array);
  return NULL;
}

typedef struct generator_t {
  const char *name;  // With a colon: what follows goes to `fill`.
  pod_status_t (*fill)(const char *text, tensor_array_t *array);
} generator_t;

static const generator_t generators[] = {{"zeros", fill_zeros},
                                         {"ones", fill_ones},
                                         {"iota", fill_counting},
                                         {"random:", fill_random},
                                         {"const:", fill_constant}};

static const generator_t *find_generator(const char *text) {
  for (size_t i = 0; i < POD_COUNT_OF(generators); i++) {
    const char *name = generators[i].name;
    const size_t length = strlen(name);
    if (name[length - 1] == ':' ? strncmp(text, name, length) == 0
                                : strcmp(text, name) == 0) {
      return &generators[i];
    }
  }
  return NULL;
}

bool tensor_is_generator(const char *text) {
  return find_generator(text) != NULL;
}

pod_status_t tensor_fill(const char *generator, tensor_array_t *array) {
  const generator_t *found = find_generator(generator);
  if (found == NULL) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "there is no generator \"%s\"; there are zeros, ones, iota, "
                     "random:SEED and const:VALUE",
                     generator);
  }
  const char *colon = strchr(generator, ':');
  return found->fill(colon == NULL ? "" : colon + 1, array);
}
