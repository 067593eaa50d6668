// oneDNN's matmul primitive: a description of ours made one of oneDNN's, the choice among
// what it has, packing, running.

#include "server/worker/kernels/product/dot_onednn.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "server/worker/kernels/cpu.h"
#include "server/worker/kernels/product/onednn.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/stop.h"

typedef struct exact_way_t exact_way_t;

struct onednn_matmul_t {
  bool packs_b, is_newest;
  const exact_way_t *exact_way;  // NULL: oneDNN computes what is asked for.
  onednn_matmul_desc_t desc;     // What is asked for, and
  onednn_matmul_desc_t asked_of_onednn;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive, reorder;
  dnnl_memory_t a, b, packed_b, c;  // Without packing packed_b is NULL.
  size_t packed_bytes;
};

// Below AVX-512 there is no bf16; without VNNI sums of bytes saturate on the way.
static bool has_bf16(void) {
  return kernel_cpu() >= KERNEL_CPU_AVX512;
}

static bool has_exact_bytes(void) {
  return kernel_cpu() >= KERNEL_CPU_AVX512_VNNI;
}

bool onednn_has_types(tensor_dtype_t a, tensor_dtype_t b, tensor_dtype_t c) {
  if (a == TENSOR_F32) {
    return b == TENSOR_F32 && c == TENSOR_F32;
  }
  if (a == TENSOR_BF16) {
    return b == TENSOR_BF16 && (c == TENSOR_BF16 || c == TENSOR_F32) && has_bf16();
  }
  return (a == TENSOR_S8 || a == TENSOR_U8) && b == TENSOR_S8 && c == TENSOR_S32 &&
         has_exact_bytes();
}

// Dimensions that oneDNN sees: a batch of one is a plain matrix, for which it has more to
// choose from, and one that does not interleave is one batch.
static int rank_of(const onednn_matmul_desc_t *desc) {
  if (desc->batches[0] > 1 ||
      (desc->batches[1] > 1 && (desc->a_strides[1] != desc->m * desc->k ||
                                desc->b_strides[1] != desc->k * desc->n))) {
    return 4;
  }
  return desc->batches[1] > 1 ? 3 : 2;
}

static pod_status_t describe(dnnl_memory_desc_t *out, tensor_dtype_t dtype, int rank,
                             const int64_t sizes[4], const int64_t strides[4]) {
  dnnl_dims_t dims, steps;
  memcpy(dims, sizes + 4 - rank, (size_t)rank * sizeof(dims[0]));
  memcpy(steps, strides + 4 - rank, (size_t)rank * sizeof(steps[0]));
  if (rank == 4 && sizes[0] == 1) {
    steps[0] = sizes[1] * sizes[2] * sizes[3];
  }
  TRY_DNNL("describe a matrix", dnnl_memory_desc_init_by_strides(
                                    out, rank, dims, onednn_type_of(dtype), steps));
  return NULL;
}

static pod_status_t describe_packed(dnnl_memory_desc_t *out, tensor_dtype_t dtype,
                                    int rank, const int64_t sizes[4]) {
  dnnl_dims_t dims;
  memcpy(dims, sizes + 4 - rank, (size_t)rank * sizeof(dims[0]));
  TRY_DNNL("describe a matrix",
           dnnl_memory_desc_init_by_tag(out, rank, dims, onednn_type_of(dtype),
                                        dnnl_format_tag_any));
  return NULL;
}

// Primitive and memories from a descriptor; the memories get their bytes in every run.
static pod_status_t make_primitive(onednn_matmul_t *matmul,
                                   const_dnnl_primitive_desc_t descriptor,
                                   const dnnl_memory_desc_t *plain_b) {
  TRY_DNNL("make a matrix product",
           dnnl_primitive_create(&matmul->primitive, descriptor));
  POD_TRY(onednn_stream_create(&matmul->stream));
  const dnnl_memory_desc_t *a =
      dnnl_primitive_desc_query_md(descriptor, dnnl_query_src_md, 0);
  const dnnl_memory_desc_t *b =
      dnnl_primitive_desc_query_md(descriptor, dnnl_query_weights_md, 0);
  const dnnl_memory_desc_t *c =
      dnnl_primitive_desc_query_md(descriptor, dnnl_query_dst_md, 0);
  POD_TRY(onednn_memory_create(a, &matmul->a));
  POD_TRY(onednn_memory_create(plain_b, &matmul->b));
  POD_TRY(onednn_memory_create(c, &matmul->c));
  if (matmul->packs_b && !dnnl_memory_desc_equal(b, plain_b)) {
    matmul->packed_bytes = dnnl_memory_desc_get_size(b);
    POD_TRY(onednn_reorder_create(plain_b, b, &matmul->reorder));
    POD_TRY(onednn_memory_create(b, &matmul->packed_b));
  }
  return NULL;
}

// oneDNN 2.6 shifts signed bytes to unsigned ones where there are no tiles, corrects the
// sums for it, and passes them through f32 on the way (store_accumulators_apply_post_ops
// of jit_brgemm_kernel.cpp); what it has beside that is exact.
static bool is_rounded(const onednn_matmul_desc_t *desc) {
  return desc->a_dtype == TENSOR_S8 && desc->k > ONEDNN_EXACT_PRODUCTS &&
         kernel_cpu() < KERNEL_CPU_AMX;
}

// onednn_sound_fn_t
static bool is_exact(const void *context, const_dnnl_primitive_desc_t descriptor) {
  return !is_rounded(context) || !onednn_is_named(descriptor, "brg");
}

static pod_status_t build(const onednn_matmul_desc_t *desc, onednn_matmul_t *matmul,
                          bool *out_is_fast) {
  const int rank = rank_of(desc);
  const int64_t *const batches = desc->batches;
  const int64_t a_sizes[4] = {batches[0], batches[1], desc->m, desc->k};
  const int64_t b_sizes[4] = {batches[0], batches[1], desc->k, desc->n};
  const int64_t c_sizes[4] = {batches[0], batches[1], desc->m, desc->n};
  dnnl_memory_desc_t a, plain_b, b, c;
  POD_TRY(describe(&a, desc->a_dtype, rank, a_sizes, desc->a_strides));
  POD_TRY(describe(&plain_b, desc->b_dtype, rank, b_sizes, desc->b_strides));
  POD_TRY(describe(&c, desc->c_dtype, rank, c_sizes, desc->c_strides));
  b = plain_b;
  if (desc->packs_b) {
    POD_TRY(describe_packed(&b, desc->b_dtype, rank, b_sizes));
  }
  dnnl_matmul_desc_t operation;
  TRY_DNNL("describe a matrix product",
           dnnl_matmul_desc_init(&operation, &a, &b, NULL, &c));
  dnnl_primitive_desc_t descriptor = NULL;
  const dnnl_status_t found = onednn_choose(&operation, is_exact, desc, &descriptor);
  *out_is_fast = false;
  if (found == dnnl_unimplemented) {
    return NULL;
  }
  TRY_DNNL("find a matrix product", found);
  pod_status_t status = NULL;
  *out_is_fast = !onednn_is_named(descriptor, "ref");
  matmul->is_newest = onednn_is_named(descriptor, "brg");
  if (*out_is_fast) {
    matmul->packs_b = desc->packs_b;
    status = make_primitive(matmul, descriptor, &plain_b);
  }
  dnnl_primitive_desc_destroy(descriptor);
  return status;
}

// ----- signed bytes, exactly -----

// A product that oneDNN computes exactly, of which the one asked for is made.
struct exact_way_t {
  // Makes a description that of the other product; false when there is none.
  bool (*describe)(onednn_matmul_desc_t *desc);
  void (*write_lhs)(const onednn_matmul_t *matmul, const int8_t *a, uint8_t *to);
  void (*read_sums)(const onednn_matmul_t *matmul, const uint32_t *sums, uint32_t *c);
};

// With sizes m and k, dense, and so are the sums.
static void set_dense(onednn_matmul_desc_t *desc, int64_t m, int64_t k) {
  const int64_t n = desc->n, inner = desc->batches[1];
  const int64_t a_strides[4] = {inner * m * k, m * k, k, 1},
                c_strides[4] = {inner * m * n, m * n, n, 1};
  desc->m = m;
  desc->k = k;
  memcpy(desc->a_strides, a_strides, sizeof(a_strides));
  memcpy(desc->c_strides, c_strides, sizeof(c_strides));
}

// Some rows by a matrix that lies by rows: long sums in equal parts that are short
// enough, each a batch.
static bool describe_parts(onednn_matmul_desc_t *desc) {
  enum { ROWS_MAX = 256, PARTS_MAX = 64 };
  int64_t parts = 2;
  while (desc->k % parts != 0 || desc->k / parts > ONEDNN_EXACT_PRODUCTS) {
    if (++parts > PARTS_MAX) {
      return false;
    }
  }
  const int64_t k = desc->k / parts, n = desc->n;
  if (desc->batches[0] * desc->batches[1] > 1 || desc->m > ROWS_MAX ||
      desc->a_strides[3] != 1 || desc->b_strides[2] != n || desc->b_strides[3] != 1) {
    return false;
  }
  desc->batches[1] = parts;
  set_dense(desc, desc->m, k);
  desc->b_strides[0] = parts * k * n;
  desc->b_strides[1] = k * n;
  return true;
}

static void write_parts(const onednn_matmul_t *matmul, const int8_t *a, uint8_t *to) {
  const int64_t k = matmul->asked_of_onednn.k;
  for (int64_t part = 0; part < matmul->asked_of_onednn.batches[1]; part++) {
    for (int64_t row = 0; row < matmul->desc.m; row++, to += k) {
      memcpy(to, a + row * matmul->desc.a_strides[2] + part * k, (size_t)k);
    }
  }
}

static void add_parts(const onednn_matmul_t *matmul, const uint32_t *sums, uint32_t *c) {
  const int64_t m = matmul->desc.m, n = matmul->desc.n;
  for (int64_t part = 0; part < matmul->asked_of_onednn.batches[1]; part++) {
    for (int64_t row = 0; row < m; row++, sums += n) {
      uint32_t *to = c + row * matmul->desc.c_strides[2];
      for (int64_t j = 0; j < n; j++) {
        to[j] = part == 0 ? sums[j] : to[j] + sums[j];
      }
    }
  }
}

// Signed bytes plus 128 are unsigned ones, of which oneDNN's newest code has exact sums
// modulo 2^32. Of (a + 128) b too much is 128 times the sum of every column of b: the
// product of a row of 128, which stands below those of a, so that b is read once.
static bool describe_shifted(onednn_matmul_desc_t *desc) {
  desc->a_dtype = TENSOR_U8;
  set_dense(desc, desc->m + 1, desc->k);
  return true;
}

static void write_shifted(const onednn_matmul_t *matmul, const int8_t *a, uint8_t *to) {
  const onednn_matmul_desc_t *desc = &matmul->desc;
  const int64_t outer = desc->batches[0], inner = desc->batches[1], k = desc->k;
  const int64_t step = desc->a_strides[3];
  for (int64_t i = 0; i < outer * inner; i++, to += k) {
    const int8_t *from =
        a + i / inner * desc->a_strides[0] + i % inner * desc->a_strides[1];
    for (int64_t row = 0; row < desc->m; row++, from += desc->a_strides[2], to += k) {
      for (int64_t p = 0; step == 1 && p < k; p++) {
        to[p] = (uint8_t)from[p] ^ 128u;
      }
      for (int64_t p = 0; step != 1 && p < k; p++) {
        to[p] = (uint8_t)from[p * step] ^ 128u;
      }
    }
    memset(to, 128, (size_t)k);
  }
}

static void correct_sums(const onednn_matmul_t *matmul, const uint32_t *sums,
                         uint32_t *c) {
  const onednn_matmul_desc_t *desc = &matmul->desc;
  const int64_t outer = desc->batches[0], inner = desc->batches[1], n = desc->n;
  for (int64_t i = 0; i < outer * inner; i++, sums += n) {
    const uint32_t *excess = sums + desc->m * n;
    uint32_t *to = c + i / inner * desc->c_strides[0] + i % inner * desc->c_strides[1];
    for (int64_t row = 0; row < desc->m; row++, sums += n, to += desc->c_strides[2]) {
      for (int64_t j = 0; j < n; j++) {
        to[j] = sums[j] - excess[j];
      }
    }
  }
}

// The first that there is.
static const exact_way_t exact_ways[] = {
    {describe_parts, write_parts, add_parts},
    {describe_shifted, write_shifted, correct_sums},
};

static pod_status_t create(const onednn_matmul_desc_t *desc, const exact_way_t *exact_way,
                           onednn_matmul_t **out_matmul) {
  onednn_matmul_t *matmul = calloc(1, sizeof(*matmul));
  if (matmul == NULL) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "no host memory for a matrix product");
  }
  matmul->desc = matmul->asked_of_onednn = *desc;
  matmul->exact_way = exact_way;
  bool is_fast = exact_way == NULL || exact_way->describe(&matmul->asked_of_onednn);
  pod_status_t status =
      is_fast ? build(&matmul->asked_of_onednn, matmul, &is_fast) : NULL;
  if (status != NULL || !is_fast || (exact_way != NULL && !matmul->is_newest)) {
    onednn_matmul_destroy(matmul);
    matmul = NULL;
  }
  if (status == NULL) {
    *out_matmul = matmul;
  }
  return status;
}

pod_status_t onednn_matmul_create(const onednn_matmul_desc_t *desc,
                                  onednn_matmul_t **out_matmul) {
  dnnl_engine_t engine;
  POD_TRY(onednn_engine(&engine));
  onednn_matmul_t *matmul = NULL;
  for (size_t i = 0; is_rounded(desc) && matmul == NULL && i < POD_COUNT_OF(exact_ways);
       i++) {
    POD_TRY(create(desc, &exact_ways[i], &matmul));
  }
  if (matmul == NULL) {
    POD_TRY(create(desc, NULL, &matmul));
  }
  *out_matmul = matmul;
  return NULL;
}

bool onednn_matmul_is_newest(const onednn_matmul_t *matmul) {
  return matmul->is_newest;
}

void onednn_matmul_destroy(onednn_matmul_t *matmul) {
  if (matmul == NULL) {
    return;
  }
  dnnl_primitive_destroy(matmul->primitive);
  dnnl_primitive_destroy(matmul->reorder);
  dnnl_memory_destroy(matmul->a);
  dnnl_memory_destroy(matmul->b);
  dnnl_memory_destroy(matmul->packed_b);
  dnnl_memory_destroy(matmul->c);
  dnnl_stream_destroy(matmul->stream);
  free(matmul);
}

static pod_status_t pack(onednn_matmul_t *matmul) {
  void *packed = NULL;
  POD_TRY(kernel_scratch(KERNEL_SLOT_PACKED, matmul->packed_bytes, &packed));
  TRY_DNNL("set memory", dnnl_memory_set_data_handle(matmul->packed_b, packed));
  const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, matmul->b},
                                  {DNNL_ARG_TO, matmul->packed_b}};
  TRY_DNNL("pack a matrix",
           dnnl_primitive_execute(matmul->reorder, matmul->stream, 2, args));
  return NULL;
}

// ----- running it -----

// Packed: this primitive's run before packed the same right operand, and it is still in
// the scratch memory.
static pod_status_t run_primitive(onednn_matmul_t *matmul, const void *a, const void *b,
                                  void *c, bool is_packed) {
  dnnl_engine_t engine;
  POD_TRY(onednn_engine(&engine));
  TRY_DNNL("set memory", dnnl_memory_set_data_handle(matmul->a, onednn_reads(a)));
  TRY_DNNL("set memory", dnnl_memory_set_data_handle(matmul->b, onednn_reads(b)));
  TRY_DNNL("set memory", dnnl_memory_set_data_handle(matmul->c, c));
  dnnl_memory_t weights = matmul->b;
  if (matmul->packed_b != NULL) {
    if (!is_packed) {
      POD_TRY(pack(matmul));
    }
    weights = matmul->packed_b;
  }
  const dnnl_exec_arg_t args[] = {
      {DNNL_ARG_SRC, matmul->a}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, matmul->c}};
  TRY_DNNL("multiply",
           dnnl_primitive_execute(matmul->primitive, matmul->stream, 3, args));
  TRY_DNNL("multiply", dnnl_stream_wait(matmul->stream));
  return NULL;
}

static size_t elements_of(const onednn_matmul_desc_t *desc, int64_t rows,
                          int64_t columns) {
  return (size_t)(desc->batches[0] * desc->batches[1] * rows * columns);
}

static pod_status_t run(onednn_matmul_t *matmul, const void *a, const void *b, void *c,
                        bool is_packed) {
  const exact_way_t *way = matmul->exact_way;
  if (way == NULL) {
    return run_primitive(matmul, a, b, c, is_packed);
  }
  const onednn_matmul_desc_t *asked = &matmul->asked_of_onednn;
  void *lhs = NULL, *sums = NULL;
  POD_TRY(kernel_scratch(KERNEL_SLOT_CONVERTED_LHS,
                         elements_of(asked, asked->m, asked->k), &lhs));
  POD_TRY(kernel_scratch(KERNEL_SLOT_PART,
                         elements_of(asked, asked->m, asked->n) * sizeof(uint32_t),
                         &sums));
  way->write_lhs(matmul, a, lhs);
  POD_TRY(run_primitive(matmul, lhs, b, sums, is_packed));
  way->read_sums(matmul, sums, c);
  return NULL;
}

pod_status_t onednn_matmul_run(onednn_matmul_t *matmul, const void *a, const void *b,
                               void *c) {
  return run(matmul, a, b, c, false);
}

// ----- in pieces -----

static double products_of(const onednn_matmul_desc_t *desc) {
  return (double)(desc->batches[0] * desc->batches[1]) * (double)desc->m *
         (double)desc->k * (double)desc->n;
}

bool onednn_matmul_is_long(const onednn_matmul_desc_t *desc) {
  return products_of(desc) > onednn_products_max(desc->a_dtype);
}

// As much of *size as makes the piece short, but no less than `least`, in steps of it.
static void shorten(const onednn_matmul_desc_t *piece, int64_t *size, int64_t least) {
  const double share = onednn_products_max(piece->a_dtype) / products_of(piece);
  if (share < 1 && *size > least) {
    const int64_t steps = (int64_t)((double)*size * share) / least;
    *size = steps < 1 ? least : steps * least;
  }
}

// Batches first; then rows, as their operand and their results stay dense, which oneDNN's
// newest code wants; columns first where the left operand lies by them; and what is left
// of both where sums are very long.
static onednn_matmul_desc_t cut(const onednn_matmul_desc_t *desc) {
  onednn_matmul_desc_t piece = *desc;
  shorten(&piece, &piece.batches[0], 1);
  shorten(&piece, &piece.batches[1], 1);
  const bool is_by_rows = desc->a_strides[3] == 1;
  shorten(&piece, is_by_rows ? &piece.m : &piece.n, 256);
  shorten(&piece, is_by_rows ? &piece.n : &piece.m, 256);
  shorten(&piece, &piece.m, 16);
  shorten(&piece, &piece.n, 16);
  return piece;
}

// The piece that is made ready; it changes at the ends only.
typedef struct pieces_t {
  const onednn_matmul_desc_t *whole;
  const char *a, *b;
  char *c;
  onednn_matmul_desc_t piece;
  onednn_matmul_t *matmul;
  const char *packed;  // The right operand that it ran with, NULL: it is new.
} pieces_t;

static int64_t least_of(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t bytes_at(const int64_t *strides, tensor_dtype_t dtype, int64_t outer,
                        int64_t inner, int64_t row, int64_t column) {
  return (outer * strides[0] + inner * strides[1] + row * strides[2] +
          column * strides[3]) *
         (int64_t)tensor_dtype_bytes(dtype);
}

// The piece of `wanted` size at a place, less at the ends.
static pod_status_t run_piece(pieces_t *pieces, const onednn_matmul_desc_t *wanted,
                              const int64_t at[4]) {
  const onednn_matmul_desc_t *whole = pieces->whole;
  onednn_matmul_desc_t piece = *wanted;
  piece.batches[0] = least_of(wanted->batches[0], whole->batches[0] - at[0]);
  piece.batches[1] = least_of(wanted->batches[1], whole->batches[1] - at[1]);
  piece.m = least_of(wanted->m, whole->m - at[2]);
  piece.n = least_of(wanted->n, whole->n - at[3]);
  const onednn_matmul_desc_t *made = &pieces->piece;
  if (pieces->matmul == NULL || piece.batches[0] != made->batches[0] ||
      piece.batches[1] != made->batches[1] || piece.m != made->m || piece.n != made->n) {
    onednn_matmul_destroy(pieces->matmul);
    pieces->matmul = NULL;
    POD_TRY(onednn_matmul_create(&piece, &pieces->matmul));
    pieces->piece = piece;
    pieces->packed = NULL;
  }
  if (pieces->matmul == NULL) {
    return NULL;
  }
  const char *b =
      pieces->b + bytes_at(whole->b_strides, whole->b_dtype, at[0], at[1], 0, at[3]);
  const bool is_packed = b == pieces->packed;
  pieces->packed = b;
  return run(
      pieces->matmul,
      pieces->a + bytes_at(whole->a_strides, whole->a_dtype, at[0], at[1], at[2], 0), b,
      pieces->c + bytes_at(whole->c_strides, whole->c_dtype, at[0], at[1], at[2], at[3]),
      is_packed);
}

// The next place: rows fastest, so that a packed piece of the right operand is near.
static bool next_place(const onednn_matmul_desc_t *whole,
                       const onednn_matmul_desc_t *wanted, int64_t at[4]) {
  const int64_t sizes[4] = {whole->batches[0], whole->batches[1], whole->m, whole->n};
  const int64_t steps[4] = {wanted->batches[0], wanted->batches[1], wanted->m, wanted->n};
  static const int order[4] = {2, 3, 1, 0};
  for (int i = 0; i < 4; i++) {
    const int d = order[i];
    at[d] += steps[d];
    if (at[d] < sizes[d]) {
      return true;
    }
    at[d] = 0;
  }
  return false;
}

pod_status_t onednn_matmul_run_pieces(const onednn_matmul_desc_t *desc, const void *a,
                                      const void *b, void *c, bool *out_is_found) {
  const onednn_matmul_desc_t wanted = cut(desc);
  pieces_t pieces = {.whole = desc, .a = a, .b = b, .c = c};
  int64_t at[4] = {0};
  pod_status_t status = NULL;
  bool is_left = true;
  *out_is_found = true;
  while (is_left && status == NULL && *out_is_found && !kernel_is_stopped()) {
    status = run_piece(&pieces, &wanted, at);
    *out_is_found = pieces.matmul != NULL;
    is_left = next_place(desc, &wanted, at);
  }
  onednn_matmul_destroy(pieces.matmul);
  return status;
}
