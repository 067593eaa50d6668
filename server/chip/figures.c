// Figures in print: as the text that spec_file.c reads, and as JSON with their sources.

#include "server/chip/figures.h"

#include <inttypes.h>
#include <string.h>

#include "server/chip/torus.h"

enum { CORES_MAX = 64, HOST_CHIPS_MAX = 64 };

const chip_figure_t chip_figures[CHIP_FIGURE_COUNT] = {
#define FIGURE_ROW(field, kind, unit, least, most, says) \
  {#field, CHIP_FIGURE_##kind, offsetof(chip_spec_t, field), least, most, unit, says},
#include "server/chip/figures.def"
#undef FIGURE_ROW
};

const chip_figure_t *chip_figure_find(const char *key) {
  for (size_t i = 0; i < CHIP_FIGURE_COUNT; i++) {
    if (strcmp(chip_figures[i].key, key) == 0) {
      return &chip_figures[i];
    }
  }
  return NULL;
}

static void print_value(pod_text_t *text, const chip_spec_t *spec,
                        const chip_figure_t *figure, bool is_json) {
  const void *at = (const char *)spec + figure->offset;
  switch (figure->kind) {
    case CHIP_FIGURE_BOOL:
      pod_text_add(text, *(const bool *)at ? "true" : "false");
      break;
    case CHIP_FIGURE_INT32:
      pod_text_printf(text, "%" PRId32, *(const int32_t *)at);
      break;
    case CHIP_FIGURE_INT64:
    case CHIP_FIGURE_SIZE:
      pod_text_printf(text, "%" PRId64, *(const int64_t *)at);
      break;
    case CHIP_FIGURE_SIZES: {
      const int32_t *sizes = at;
      pod_text_printf(text,
                      is_json ? "[%" PRId32 ", %" PRId32 ", %" PRId32 "]"
                              : "%" PRId32 "x%" PRId32 "x%" PRId32,
                      sizes[0], sizes[1], sizes[2]);
      break;
    }
    case CHIP_FIGURE_DOUBLE:
      pod_text_printf(text, "%.17g", *(const double *)at);
      break;
  }
}

void chip_spec_print(pod_text_t *text, const chip_spec_t *spec) {
  pod_text_printf(text, "name = %s\naccelerator = %s\n", spec->name, spec->accelerator);
  for (size_t i = 0; i < CHIP_FIGURE_COUNT; i++) {
    pod_text_printf(text, "%s = ", chip_figures[i].key);
    print_value(text, spec, &chip_figures[i], false);
    pod_text_add(text, "\n");
  }
}

static void print_kind(pod_text_t *text, const chip_spec_t *spec) {
  pod_text_printf(text,
                  "{\"name\": \"%s\", \"accelerator\": \"%s\", \"device_kind\": \"%s\", "
                  "\"figures\": [",
                  spec->name, spec->accelerator, spec->device_kind);
  for (size_t i = 0; i < CHIP_FIGURE_COUNT; i++) {
    const chip_figure_t *figure = &chip_figures[i];
    pod_text_printf(text, "%s\n  {\"name\": \"%s\", \"value\": ", i == 0 ? "" : ",",
                    figure->key);
    print_value(text, spec, figure, true);
    pod_text_printf(text, ", \"unit\": \"%s\", \"says\": \"%s\", \"source\": \"%s\"}",
                    figure->unit, figure->says, chip_spec_source(spec, figure->key));
  }
  pod_text_add(text, "]}");
}

void chip_spec_list(pod_text_t *text) {
  pod_text_add(text, "{\"kinds\": [");
  for (const chip_spec_t *const *row = chip_spec_all(); *row != NULL; row++) {
    pod_text_add(text, row == chip_spec_all() ? "\n" : ",\n");
    print_kind(text, *row);
  }
  pod_text_add(text, "\n]}\n");
}
