// Long convolutions, cut into images, and images into bands of their outermost dimension
// that has more than one element. What is computed says how a band is found:
//
//   destination   rows [first, end) of it, and the rows of the source that they see
//   weights       the same; the results of bands are added up, in f32
//   source        rows [first, end) of it, and the rows of the destination that see them
//
// Padding is what a band's windows reach beyond the source, and no more.

#include <string.h>

#include "server/worker/kernels/loops/loops.h"
#include "server/worker/kernels/product/convolution_onednn.h"
#include "server/worker/kernels/scratch.h"
#include "server/worker/kernels/stop.h"
#include "server/worker/kernels/storage.h"

// Whether some of `count` steps of `step` from `start` falls into [0, size).
static bool reaches(int64_t start, int64_t step, int64_t count, int64_t size) {
  const int64_t skipped = start < 0 ? (-start + step - 1) / step : 0;
  return skipped < count && start + skipped * step < size;
}

bool onednn_convolution_is_all_seen(const onednn_convolution_desc_t *desc) {
  for (int d = 0; d < desc->rank; d++) {
    const int64_t size = desc->source_sizes[d];
    for (int64_t o = 0; o < desc->destination_sizes[d]; o++) {
      if (!reaches(o * desc->strides[d] - desc->low[d], desc->dilations[d],
                   desc->kernel_sizes[d], size)) {
        return false;
      }
    }
    for (int64_t k = 0; k < desc->kernel_sizes[d]; k++) {
      if (!reaches(k * desc->dilations[d] - desc->low[d], desc->strides[d],
                   desc->destination_sizes[d], size)) {
        return false;
      }
    }
  }
  return true;
}

static double products_of(const onednn_convolution_desc_t *desc) {
  double products = (double)(desc->batch * desc->groups) *
                    (double)(desc->in_features * desc->out_features);
  for (int d = 0; d < desc->rank; d++) {
    products *= (double)(desc->destination_sizes[d] * desc->kernel_sizes[d]);
  }
  return products;
}

bool onednn_convolution_is_long(const onednn_convolution_desc_t *desc) {
  return products_of(desc) > KERNEL_STOP_PRODUCTS;
}

// ----- bands -----

// Images of a piece; or one image, of which a piece has `rows` rows of dimension `d`.
typedef struct cut_t {
  int64_t images, rows, size;  // `size`: the rows of all bands.
  int d;
} cut_t;

static int64_t extent(const onednn_convolution_desc_t *desc, int d) {
  return (desc->kernel_sizes[d] - 1) * desc->dilations[d] + 1;
}

// Bands are no thinner than a window reaches, so that every place of the kernel is over
// an element in each.
static cut_t cut(const onednn_convolution_desc_t *desc) {
  cut_t cut = {.images = desc->batch};
  const double image = products_of(desc) / (double)desc->batch;
  if (image <= KERNEL_STOP_PRODUCTS) {
    cut.images = (int64_t)(KERNEL_STOP_PRODUCTS / image);
    cut.images = cut.images > desc->batch ? desc->batch : cut.images;
    return cut;
  }
  const bool is_source = desc->kind == ONEDNN_BACKWARD_DATA;
  const int64_t *sizes = is_source ? desc->source_sizes : desc->destination_sizes;
  cut.images = 1;
  while (cut.d + 1 < desc->rank && desc->source_sizes[cut.d] == 1 &&
         desc->destination_sizes[cut.d] == 1) {
    cut.d++;
  }
  const int64_t stride = desc->strides[cut.d], reach = extent(desc, cut.d);
  const int64_t least = is_source && reach < stride ? stride : reach;
  cut.size = sizes[cut.d];
  cut.rows = (int64_t)(KERNEL_STOP_PRODUCTS / image * (double)cut.size);
  cut.rows = (cut.rows < least ? least : cut.rows) / stride * stride;
  cut.rows = cut.rows < 1 ? 1 : cut.rows;
  return cut;
}

// The band of rows [first, end); where its rows of the source and of the destination
// begin. False when oneDNN has no such convolution.
static bool band_of(const onednn_convolution_desc_t *desc, int d, int64_t first,
                    int64_t end, onednn_convolution_desc_t *out_band, int64_t *out_source,
                    int64_t *out_destination) {
  const int64_t stride = desc->strides[d], reach = extent(desc, d);
  onednn_convolution_desc_t band = *desc;
  band.batch = 1;
  int64_t source = first, destination = first;
  if (desc->kind == ONEDNN_BACKWARD_DATA) {
    const int64_t below = first + desc->low[d] - reach + 1;
    const int64_t last = (end - 1 + desc->low[d]) / stride;
    destination = below > 0 ? (below + stride - 1) / stride : 0;
    band.destination_sizes[d] =
        (last < desc->destination_sizes[d] ? last + 1 : desc->destination_sizes[d]) -
        destination;
    band.source_sizes[d] = end - first;
    band.low[d] = desc->low[d] + first - destination * stride;
    band.high[d] =
        (band.destination_sizes[d] - 1) * stride + reach - (end - first) - band.low[d];
    if (band.high[d] < 0 && band.high[d] > -stride) {
      band.high[d] = 0;
    }
  } else {
    const int64_t from = first * stride - desc->low[d];
    const int64_t to = (end - 1) * stride - desc->low[d] + reach;
    const int64_t size = desc->source_sizes[d];
    source = from > 0 ? from : 0;
    band.destination_sizes[d] = end - first;
    band.source_sizes[d] = (to < size ? to : size) - source;
    band.low[d] = source - from;
    band.high[d] = to > size ? to - size : 0;
  }
  *out_band = band;
  *out_source = source;
  *out_destination = destination;
  return band.source_sizes[d] > 0 && band.destination_sizes[d] > 0 && band.low[d] >= 0 &&
         band.high[d] >= 0 && band.high[d] < reach && band.low[d] < reach &&
         onednn_convolution_is_all_seen(&band);
}

// The end of the band that starts at `first`: a last one that would be thin belongs to
// the one before.
static int64_t band_end(const cut_t *cut, int64_t first) {
  return cut->size - first < 2 * cut->rows ? cut->size : first + cut->rows;
}

bool onednn_convolution_can_be_cut(const onednn_convolution_desc_t *desc) {
  const cut_t bands = cut(desc);
  if (bands.rows > 0 && desc->is_features_second) {
    return false;
  }
  for (int64_t first = 0; first < bands.size; first = band_end(&bands, first)) {
    onednn_convolution_desc_t band;
    int64_t source, destination;
    if (!band_of(desc, bands.d, first, band_end(&bands, first), &band, &source,
                 &destination)) {
      return false;
    }
  }
  return true;
}

// ----- running -----

// Of a whole convolution: its operands in the order source, weights, destination, and
// what an image and a row of the cut dimension have in bytes.
typedef struct run_t {
  const onednn_convolution_desc_t *desc;
  char *operands[3];
  int64_t image_bytes[3], row_bytes[3];
  float *sums, *part;  // Of the weights, when they are computed.
  int64_t weights_count;
  bool is_first, is_found;
} run_t;

static void measure(run_t *run, int d) {
  const onednn_convolution_desc_t *desc = run->desc;
  int64_t source =
      desc->groups * desc->in_features * (int64_t)tensor_dtype_bytes(desc->source_dtype);
  int64_t destination = desc->groups * desc->out_features *
                        (int64_t)tensor_dtype_bytes(desc->destination_dtype);
  for (int i = desc->rank - 1; i >= 0; i--) {
    if (i == d) {
      run->row_bytes[0] = source;
      run->row_bytes[2] = destination;
    }
    source *= desc->source_sizes[i];
    destination *= desc->destination_sizes[i];
  }
  run->image_bytes[0] = source;
  run->image_bytes[2] = destination;
}

// `piece` with its activations that far into those of the whole.
static pod_status_t run_piece(run_t *run, const onednn_convolution_desc_t *piece,
                              int64_t source_at, int64_t destination_at) {
  onednn_convolution_t *convolution = NULL;
  POD_TRY(onednn_convolution_create(piece, &convolution));
  if (convolution == NULL) {
    run->is_found = false;
    return NULL;
  }
  char *source = run->operands[0] + source_at;
  char *destination = run->operands[2] + destination_at;
  float *weights = run->is_first ? run->sums : run->part;
  pod_status_t status = NULL;
  switch (piece->kind) {
    case ONEDNN_FORWARD:
      status = onednn_convolution_run(convolution, source, run->operands[1], destination);
      break;
    case ONEDNN_BACKWARD_DATA:
      status = onednn_convolution_run(convolution, run->operands[1], destination, source);
      break;
    case ONEDNN_BACKWARD_WEIGHTS:
      status = onednn_convolution_run(convolution, source, destination, weights);
      if (status == NULL && !run->is_first) {
        kernel_binary_loop(CHIP_OP_ADD, TENSOR_F32)(run->sums, run->part, run->sums,
                                                    (size_t)run->weights_count);
      }
      run->is_first = false;
      break;
  }
  onednn_convolution_destroy(convolution);
  return status;
}

static pod_status_t run_image(run_t *run, const onednn_convolution_desc_t *wanted,
                              const cut_t *bands, int64_t image) {
  pod_status_t status = NULL;
  for (int64_t first = 0;
       first < bands->size && status == NULL && run->is_found && !kernel_is_stopped();
       first = band_end(bands, first)) {
    onednn_convolution_desc_t band;
    int64_t source, destination;
    run->is_found = band_of(wanted, bands->d, first, band_end(bands, first), &band,
                            &source, &destination);
    if (run->is_found) {
      status =
          run_piece(run, &band, image * run->image_bytes[0] + source * run->row_bytes[0],
                    image * run->image_bytes[2] + destination * run->row_bytes[2]);
    }
  }
  return status;
}

// Room for the sums of the weights and for those of a piece, in f32.
static pod_status_t make_sums(run_t *run) {
  const onednn_convolution_desc_t *desc = run->desc;
  run->weights_count = desc->groups * desc->in_features * desc->out_features;
  for (int d = 0; d < desc->rank; d++) {
    run->weights_count *= desc->kernel_sizes[d];
  }
  void *memory = NULL;
  POD_TRY(kernel_scratch(KERNEL_SLOT_PART, 2 * (size_t)run->weights_count * sizeof(float),
                         &memory));
  run->sums = memory;
  run->part = run->sums + run->weights_count;
  return NULL;
}

static void *mutable_of(const void *bytes) {
  union {
    const void *in;
    void *out;
  } pointer = {.in = bytes};
  return pointer.out;
}

pod_status_t onednn_convolution_run_pieces(const onednn_convolution_desc_t *desc,
                                           const void *first, const void *second,
                                           void *result, bool *out_is_found) {
  const cut_t pieces = cut(desc);
  run_t run = {.desc = desc, .is_first = true, .is_found = true};
  char *const a = mutable_of(first), *const b = mutable_of(second);
  onednn_convolution_desc_t wanted = *desc;
  measure(&run, pieces.d);
  if (desc->kind == ONEDNN_FORWARD) {
    memcpy(run.operands, (char *[]){a, b, result}, sizeof(run.operands));
  } else if (desc->kind == ONEDNN_BACKWARD_DATA) {
    memcpy(run.operands, (char *[]){result, a, b}, sizeof(run.operands));
  } else {
    memcpy(run.operands, (char *[]){a, result, b}, sizeof(run.operands));
    wanted.weights_dtype = TENSOR_F32;
    POD_TRY(make_sums(&run));
  }
  pod_status_t status = NULL;
  for (int64_t image = 0;
       image < desc->batch && status == NULL && run.is_found && !kernel_is_stopped();
       image += pieces.images) {
    if (pieces.rows > 0) {
      status = run_image(&run, &wanted, &pieces, image);
      continue;
    }
    const int64_t left = desc->batch - image;
    wanted.batch = left < pieces.images ? left : pieces.images;
    status =
        run_piece(&run, &wanted, image * run.image_bytes[0], image * run.image_bytes[2]);
  }
  if (status == NULL && run.is_found && desc->kind == ONEDNN_BACKWARD_WEIGHTS) {
    kernel_convert_elements(TENSOR_F32, run.sums, desc->weights_dtype, result,
                            (size_t)run.weights_count);
  }
  *out_is_found = run.is_found;
  return status;
}
