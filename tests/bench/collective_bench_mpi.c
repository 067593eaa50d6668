// The rival of collective_bench: the same collectives by MPI, measured and printed in the
// same way.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 7, ITERATIONS_MAX = 5000, KINDS = 4, SIZES = 5 };

static const char *const names[KINDS] = {"allreduce", "allgather", "reducescatter",
                                         "alltoall"};
static const long sizes[SIZES] = {1 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20};

static int by_value(const void *a, const void *b) {
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static void run(int kind, const float *in, float *out, int count, int share) {
  switch (kind) {
    case 0:
      MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      return;
    case 1:
      MPI_Allgather(in, share, MPI_FLOAT, out, share, MPI_FLOAT, MPI_COMM_WORLD);
      return;
    case 2:
      MPI_Reduce_scatter_block(in, out, share, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      return;
    default:
      MPI_Alltoall(in, share, MPI_FLOAT, out, share, MPI_FLOAT, MPI_COMM_WORLD);
  }
}

static double time_of(int kind, const float *in, float *out, long bytes, int ranks,
                      int iterations) {
  const int count = (int)(bytes / 4);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < iterations; i++) {
    run(kind, in, out, count, count / ranks);
  }
  const double own = (MPI_Wtime() - start) / iterations;
  double slowest = 0;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  float *in = aligned_alloc(64, 64 << 20), *out = aligned_alloc(64, 64 << 20);
  // Not zeros: a compiler may make calloc of it, and reading pages that nobody has
  // written costs nothing.
  memset(in, 1, 64 << 20);
  memset(out, 1, 64 << 20);
  for (int kind = 0; kind < KINDS; kind++) {
    for (int size = 0; size < SIZES; size++) {
      double samples[REPETITIONS];
      int iterations = 1;
      for (int repetition = -2; repetition < REPETITIONS; repetition++) {
        const double seconds = time_of(kind, in, out, sizes[size], ranks, iterations);
        if (repetition >= 0) {
          samples[repetition] = seconds * 1e6;
        } else {
          const double fit = 0.1 / seconds;
          iterations = fit < 1 ? 1 : fit > ITERATIONS_MAX ? ITERATIONS_MAX : (int)fit;
          MPI_Bcast(&iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
      }
      if (rank == 0) {
        qsort(samples, REPETITIONS, sizeof(samples[0]), by_value);
        printf("%s %ld %.1f\n", names[kind], sizes[size], samples[REPETITIONS / 2]);
        fflush(stdout);
      }
    }
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
