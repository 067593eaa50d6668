// The products that dot_bench measures: what language and vision programs have, and the
// shapes that are easily forgotten.

#ifndef TESTS_BENCH_DOT_CASES_H_
#define TESTS_BENCH_DOT_CASES_H_

#include "common/tensor/dtype.h"

// An einsum: letters that both operands have are batches where the result has them too,
// and are contracted otherwise.
typedef struct dot_case_t {
  const char *title;
  tensor_dtype_t dtype, result_dtype;
  const char *lhs, *rhs, *out, *sizes;
} dot_case_t;

#define F32 TENSOR_F32, TENSOR_F32
#define BF16 TENSOR_BF16, TENSOR_BF16
#define S8 TENSOR_S8, TENSOR_S32

static const dot_case_t dot_cases[] = {
    // Squares, and every combination of transposed operands.
    {"bf16 512^3", BF16, "mk", "kn", "mn", "m512 k512 n512"},
    {"bf16 1024^3", BF16, "mk", "kn", "mn", "m1024 k1024 n1024"},
    {"bf16 2048^3", BF16, "mk", "kn", "mn", "m2048 k2048 n2048"},
    {"bf16 4096^3", BF16, "mk", "kn", "mn", "m4096 k4096 n4096"},
    {"f32 512^3", F32, "mk", "kn", "mn", "m512 k512 n512"},
    {"f32 1024^3", F32, "mk", "kn", "mn", "m1024 k1024 n1024"},
    {"f32 2048^3", F32, "mk", "kn", "mn", "m2048 k2048 n2048"},
    {"bf16 rhs transposed", BF16, "mk", "nk", "mn", "m1024 k1024 n1024"},
    {"bf16 lhs transposed", BF16, "km", "kn", "mn", "m1024 k1024 n1024"},
    {"bf16 both transposed", BF16, "km", "nk", "mn", "m1024 k1024 n1024"},
    {"f32 rhs transposed", F32, "mk", "nk", "mn", "m1024 k1024 n1024"},
    {"f32 lhs transposed", F32, "km", "kn", "mn", "m1024 k1024 n1024"},
    {"f32 both transposed", F32, "km", "nk", "mn", "m1024 k1024 n1024"},
    {"bf16 256^3 rhs transposed", BF16, "mk", "nk", "mn", "m256 k256 n256"},
    {"bf16 256^3 lhs transposed", BF16, "km", "kn", "mn", "m256 k256 n256"},
    // Decoding: a few rows by weights, from memory and within the caches.
    {"bf16 1 row", BF16, "mk", "kn", "mn", "m1 k2048 n8192"},
    {"bf16 8 rows", BF16, "mk", "kn", "mn", "m8 k2048 n8192"},
    {"bf16 16 rows", BF16, "mk", "kn", "mn", "m16 k2048 n8192"},
    {"bf16 32 rows", BF16, "mk", "kn", "mn", "m32 k2048 n8192"},
    {"bf16 64 rows", BF16, "mk", "kn", "mn", "m64 k2048 n8192"},
    {"f32 1 row", F32, "mk", "kn", "mn", "m1 k2048 n8192"},
    {"f32 8 rows", F32, "mk", "kn", "mn", "m8 k2048 n8192"},
    {"f32 16 rows", F32, "mk", "kn", "mn", "m16 k2048 n8192"},
    {"f32 64 rows", F32, "mk", "kn", "mn", "m64 k2048 n8192"},
    {"bf16 1 row, rhs transposed", BF16, "mk", "nk", "mn", "m1 k2048 n8192"},
    {"bf16 8 rows, rhs transposed", BF16, "mk", "nk", "mn", "m8 k2048 n8192"},
    {"bf16 16 rows, rhs transposed", BF16, "mk", "nk", "mn", "m16 k2048 n8192"},
    {"bf16 64 rows, rhs transposed", BF16, "mk", "nk", "mn", "m64 k2048 n8192"},
    {"f32 8 rows, rhs transposed", F32, "mk", "nk", "mn", "m8 k2048 n8192"},
    {"f32 64 rows, rhs transposed", F32, "mk", "nk", "mn", "m64 k2048 n8192"},
    {"bf16 4 rows in the cache", BF16, "mk", "kn", "mn", "m4 k512 n512"},
    {"bf16 16 rows in the cache", BF16, "mk", "kn", "mn", "m16 k512 n512"},
    {"f32 4 rows in the cache", F32, "mk", "kn", "mn", "m4 k512 n512"},
    {"f32 16 rows in the cache", F32, "mk", "kn", "mn", "m16 k512 n512"},
    {"bf16 few columns", BF16, "mk", "kn", "mn", "m8192 k2048 n8"},
    {"f32 few columns", F32, "mk", "kn", "mn", "m8192 k2048 n8"},
    {"bf16 2 rows", BF16, "mk", "kn", "mn", "m2 k2048 n8192"},
    {"bf16 4 rows", BF16, "mk", "kn", "mn", "m4 k2048 n8192"},
    {"bf16 24 rows", BF16, "mk", "kn", "mn", "m24 k2048 n8192"},
    {"bf16 48 rows", BF16, "mk", "kn", "mn", "m48 k2048 n8192"},
    {"bf16 128 rows", BF16, "mk", "kn", "mn", "m128 k2048 n8192"},
    {"bf16 256 rows", BF16, "mk", "kn", "mn", "m256 k2048 n8192"},
    {"bf16 16 rows, lhs transposed", BF16, "km", "kn", "mn", "m16 k2048 n8192"},
    {"bf16 16 rows, both transposed", BF16, "km", "nk", "mn", "m16 k2048 n8192"},
    {"bf16 16 rows, odd depth", BF16, "mk", "kn", "mn", "m16 k2047 n8192"},
    {"bf16 16 rows, odd columns", BF16, "mk", "kn", "mn", "m16 k2048 n8191"},
    {"bf16 32 rows in the cache", BF16, "mk", "kn", "mn", "m32 k512 n512"},
    {"bf16 128 rows in the cache", BF16, "mk", "kn", "mn", "m128 k512 n512"},
    {"bf16 32 columns", BF16, "mk", "kn", "mn", "m8192 k2048 n32"},
    {"f32 2 rows", F32, "mk", "kn", "mn", "m2 k2048 n8192"},
    {"f32 4 rows", F32, "mk", "kn", "mn", "m4 k2048 n8192"},
    {"f32 12 rows", F32, "mk", "kn", "mn", "m12 k2048 n8192"},
    {"f32 24 rows", F32, "mk", "kn", "mn", "m24 k2048 n8192"},
    {"f32 48 rows", F32, "mk", "kn", "mn", "m48 k2048 n8192"},
    {"f32 16 rows, rhs transposed", F32, "mk", "nk", "mn", "m16 k2048 n8192"},
    {"f32 16 rows, lhs transposed", F32, "km", "kn", "mn", "m16 k2048 n8192"},
    {"f32 16 rows, odd columns", F32, "mk", "kn", "mn", "m16 k2048 n8191"},
    {"f32 32 rows in the cache", F32, "mk", "kn", "mn", "m32 k512 n512"},
    {"bf16 to f32 1024^3", TENSOR_BF16, TENSOR_F32, "mk", "kn", "mn",
     "m1024 k1024 n1024"},
    {"bf16 to f32 16 rows", TENSOR_BF16, TENSOR_F32, "mk", "kn", "mn", "m16 k2048 n8192"},
    // Attention: batches of heads before, between and behind.
    {"bf16 scores", BF16, "hsd", "htd", "hst", "h16 s512 d64 t512"},
    {"bf16 values", BF16, "hst", "htd", "hsd", "h16 s512 d64 t512"},
    {"f32 scores", F32, "hsd", "htd", "hst", "h16 s512 d64 t512"},
    {"f32 values", F32, "hst", "htd", "hsd", "h16 s512 d64 t512"},
    {"bf16 scores, interleaved", BF16, "bshd", "bthd", "bhst", "b2 h16 s512 d64 t512"},
    {"bf16 values, interleaved", BF16, "bhst", "bthd", "bhsd", "b2 h16 s512 d64 t512"},
    {"f32 scores, interleaved", F32, "bshd", "bthd", "bhst", "b2 h16 s512 d64 t512"},
    {"f32 values, interleaved", F32, "bhst", "bthd", "bhsd", "b2 h16 s512 d64 t512"},
    {"bf16 scores, 128 wide", BF16, "bshd", "bthd", "bhst", "b2 h8 s512 d128 t512"},
    {"bf16 scores of one row", BF16, "bshd", "bthd", "bhst", "b8 h16 s1 d128 t1024"},
    {"bf16 values of one row", BF16, "bhst", "bthd", "bhsd", "b8 h16 s1 d128 t1024"},
    {"f32 scores of one row", F32, "bshd", "bthd", "bhst", "b8 h16 s1 d128 t1024"},
    {"bf16 8 rows of heads", BF16, "bmk", "bkn", "bmn", "b64 m8 k64 n512"},
    {"bf16 batches", BF16, "bmk", "bkn", "bmn", "b64 m256 k64 n256"},
    {"bf16 batch in the middle", BF16, "mbk", "kbn", "bmn", "b16 m256 k256 n256"},
    {"f32 batch in the middle", F32, "mbk", "kbn", "bmn", "b16 m256 k256 n256"},
    // Several contracting dimensions: the projections of heads, and their gradients.
    {"bf16 heads to model", BF16, "bshd", "hde", "bse", "b2 s512 h16 d64 e1024"},
    {"f32 heads to model", F32, "bshd", "hde", "bse", "b2 s512 h16 d64 e1024"},
    {"bf16 gradient of weights", BF16, "bse", "bsf", "ef", "b2 s512 e1024 f1024"},
    {"f32 gradient of weights", F32, "bse", "bsf", "ef", "b2 s512 e1024 f1024"},
    {"f32 contracted out of order", F32, "mkl", "lkn", "mn", "m512 k16 l64 n512"},
    {"bf16 contracted out of order", BF16, "mkl", "lkn", "mn", "m512 k16 l64 n512"},
    // Tiny matrices in large batches.
    {"f32 tiny 8x8", F32, "bmk", "bkn", "bmn", "b4096 m8 k8 n8"},
    {"bf16 tiny 8x8", BF16, "bmk", "bkn", "bmn", "b4096 m8 k8 n8"},
    {"f32 tiny 8x8, rhs transposed", F32, "bmk", "bnk", "bmn", "b4096 m8 k8 n8"},
    {"f32 tiny 16x64x16", F32, "bmk", "bkn", "bmn", "b4096 m16 k64 n16"},
    {"bf16 tiny 16x64x16", BF16, "bmk", "bkn", "bmn", "b4096 m16 k64 n16"},
    {"f32 tiny 16x64x16, rhs transposed", F32, "bmk", "bnk", "bmn", "b4096 m16 k64 n16"},
    {"bf16 tiny 16x64x16, rhs transposed", BF16, "bmk", "bnk", "bmn",
     "b4096 m16 k64 n16"},
    {"f32 tiny 4x4", F32, "bmk", "bkn", "bmn", "b4096 m4 k4 n4"},
    {"f32 single 8x8", F32, "mk", "kn", "mn", "m8 k8 n8"},
    {"f32 single 64x64", F32, "mk", "kn", "mn", "m64 k64 n64"},
    {"bf16 single 64x64", BF16, "mk", "kn", "mn", "m64 k64 n64"},
    // Vectors.
    {"f32 matrix by vector", F32, "mk", "k", "m", "m4096 k4096"},
    {"bf16 matrix by vector", BF16, "mk", "k", "m", "m4096 k4096"},
    {"f32 vector by matrix", F32, "k", "kn", "n", "k4096 n4096"},
    {"bf16 vector by matrix", BF16, "k", "kn", "n", "k4096 n4096"},
    {"f32 transposed matrix by vector", F32, "km", "k", "m", "m4096 k4096"},
    {"f32 outer product", F32, "m", "n", "mn", "m2048 n2048"},
    {"bf16 outer product", BF16, "m", "n", "mn", "m2048 n2048"},
    {"f32 dot product", F32, "k", "k", "", "k1048576"},
    {"bf16 dot product", BF16, "k", "k", "", "k1048576"},
    {"f32 batch of dot products", F32, "bk", "bk", "b", "b4096 k256"},
    // Primes.
    {"f32 primes", F32, "mk", "kn", "mn", "m509 k521 n523"},
    {"bf16 primes", BF16, "mk", "kn", "mn", "m509 k521 n523"},
    {"bf16 primes, rhs transposed", BF16, "mk", "nk", "mn", "m509 k521 n523"},
    {"f32 small primes", F32, "mk", "kn", "mn", "m37 k41 n43"},
    {"bf16 prime rows", BF16, "mk", "kn", "mn", "m509 k512 n512"},
    {"bf16 prime depth", BF16, "mk", "kn", "mn", "m512 k521 n512"},
    {"bf16 prime columns", BF16, "mk", "kn", "mn", "m512 k512 n523"},
    {"bf16 small primes", BF16, "mk", "kn", "mn", "m37 k41 n43"},
    {"f32 batched primes", F32, "bmk", "bkn", "bmn", "b61 m37 k41 n43"},
    // Bytes.
    {"s8 1024^3", S8, "mk", "kn", "mn", "m1024 k1024 n1024"},
    {"s8 rhs transposed", S8, "mk", "nk", "mn", "m1024 k1024 n1024"},
    {"s8 lhs transposed", S8, "km", "kn", "mn", "m1024 k1024 n1024"},
    {"s8 8 rows", S8, "mk", "kn", "mn", "m8 k2048 n8192"},
    {"s8 1 row", S8, "mk", "kn", "mn", "m1 k2048 n8192"},
    {"s8 16 rows", S8, "mk", "kn", "mn", "m16 k2048 n8192"},
    {"s8 64 rows", S8, "mk", "kn", "mn", "m64 k2048 n8192"},
    {"s8 primes", S8, "mk", "kn", "mn", "m509 k521 n523"},
    {"s8 8 rows, rhs transposed", S8, "mk", "nk", "mn", "m8 k2048 n8192"},
    // Types that oneDNN does not have, beside its f32.
    {"f16 512^3", TENSOR_F16, TENSOR_F16, "mk", "kn", "mn", "m512 k512 n512"},
    {"f16 8 rows", TENSOR_F16, TENSOR_F16, "mk", "kn", "mn", "m8 k2048 n8192"},
    {"f64 512^3", TENSOR_F64, TENSOR_F64, "mk", "kn", "mn", "m512 k512 n512"},
    {"f64 rhs transposed", TENSOR_F64, TENSOR_F64, "mk", "nk", "mn", "m512 k512 n512"},
    {"s32 512^3", TENSOR_S32, TENSOR_S32, "mk", "kn", "mn", "m512 k512 n512"},
    {"s64 512^3", TENSOR_S64, TENSOR_S64, "mk", "kn", "mn", "m512 k512 n512"},
    {"c64 512^3", TENSOR_C64, TENSOR_C64, "mk", "kn", "mn", "m512 k512 n512"},
    {"c128 512^3", TENSOR_C128, TENSOR_C128, "mk", "kn", "mn", "m512 k512 n512"},
};

#undef F32
#undef BF16
#undef S8

#endif  // TESTS_BENCH_DOT_CASES_H_
