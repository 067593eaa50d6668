#include "server/chip/product.h"

#include <math.h>

enum { SUM_BYTES = 4 };  // f32.

static double whole(double value) {
  return value < 9e18 ? value : 9e18;
}

static double parts(int64_t extent, int64_t tile) {
  return ceil((double)extent / (double)tile);
}

static double tile_bytes(const chip_product_t *p, const chip_tile_t *tile) {
  const double m = (double)tile->m, n = (double)tile->n, k = (double)tile->k;
  const double operands = m * k * p->left_bytes + k * n * p->right_bytes;
  const double sums = tile->k < p->k ? m * n * SUM_BYTES : 0;
  const double beside = p->result_bytes + p->epilogue_bytes;
  return 2 * operands + 2 * m * n * beside + sums;
}

// Seconds; fills what follows from the tile.
static double time_of(const chip_spec_t *spec, const chip_product_t *p,
                      chip_tile_t *tile) {
  const double rate = spec->hbm_bytes_per_s * spec->hbm_fraction;
  const double m = (double)p->m, n = (double)p->n, k = (double)p->k;
  const double batch = (double)p->batch;
  const double along_m = parts(p->m, tile->m), along_n = parts(p->n, tile->n);
  const double steps = batch * along_m * along_n * parts(p->k, tile->k);
  const double tile_m = fmin(m, (double)tile->m), tile_n = fmin(n, (double)tile->n);
  const double tile_k = fmin(k, (double)tile->k);
  const double first = tile_m * tile_k * p->left_bytes + tile_k * tile_n * p->right_bytes;
  const double last = tile_m * tile_n * p->result_bytes;
  const double streamed =
      batch * (m * k * p->left_bytes * along_n + k * n * p->right_bytes * along_m +
               m * n * (p->result_bytes + p->epilogue_bytes));
  const double mxu = (double)p->busy_flop / (spec->bf16_flop_per_s * spec->mxu_fraction);
  const double results = batch * along_m * along_n;
  const double epilogue = tile_m * tile_n * p->epilogue_bytes / rate;
  const double beside = fmax(fmin(first / rate + epilogue - mxu / steps, epilogue), 0);
  tile->steps = (int64_t)whole(steps);
  tile->results = (int64_t)whole(results);
  tile->first_bytes = (int64_t)whole(first);
  tile->last_bytes = (int64_t)whole(last);
  return fmax(
      fmax(mxu + (first + last) / rate + results * beside, streamed / rate + mxu / steps),
      steps * (double)spec->dma_latency_ps * 1e-12);
}

// Whether there is a larger tile along an extent that has `tile` already.
static bool may_grow(int64_t tile, int64_t extent) {
  return tile < extent && tile < INT64_MAX / 4;
}

chip_tile_t chip_product_tile(const chip_spec_t *spec, const chip_product_t *product) {
  const int64_t unit = spec->mxu_size;
  const double room = (double)spec->kernel_vmem_bytes;
  chip_tile_t best = {.m = unit, .n = unit, .k = unit};
  double best_s = time_of(spec, product, &best);
  for (int64_t m = unit;; m *= 2) {
    for (int64_t n = unit;; n *= 2) {
      for (int64_t k = unit;; k *= 2) {
        chip_tile_t tile = {.m = m, .n = n, .k = k};
        if (tile_bytes(product, &tile) > room) {
          break;
        }
        const double s = time_of(spec, product, &tile);
        if (s < best_s) {
          best = tile;
          best_s = s;
        }
        if (!may_grow(k, product->k)) {
          break;
        }
      }
      chip_tile_t least = {.m = m, .n = n, .k = unit};
      if (!may_grow(n, product->n) || tile_bytes(product, &least) > room) {
        break;
      }
    }
    chip_tile_t least = {.m = m, .n = unit, .k = unit};
    if (!may_grow(m, product->m) || tile_bytes(product, &least) > room) {
      break;
    }
  }
  return best;
}
