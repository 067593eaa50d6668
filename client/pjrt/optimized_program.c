// The partitioned program as a module that XLA's importer reads: JAX asks an executable
// for it, to show it and to learn how arguments and results are sharded.
//
// The text is libpodium's, with two attributes more on the module
// (mhlo.spmd_parameters_shardings, mhlo.spmd_output_sharding) and without those of
// dialect "podium", which no one else knows; the groups of collectives name the program's
// devices again, not the chips that stand for them. Long constants, which the text leaves
// out and no importer takes like that, are zeros: the module is not there to be run.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/hlo_sharding.h"
#include "client/pjrt/plugin.h"
#include "common/base/memory.h"
#include "common/base/text.h"

static void add_sharding(pod_text_t *text, const podium_signature_t *signature,
                         int64_t device_count) {
  hlo_sharding_t sharding = hlo_sharding_of(signature, device_count);
  hlo_sharding_print(text, &sharding);
  hlo_sharding_deinit(&sharding);
}

static void add_attributes(pod_text_t *text, const podium_program_info_t *info,
                           int64_t device_count) {
  pod_text_add(text, "mhlo.spmd_parameters_shardings = [");
  for (int i = 0; i < info->argument_count; i++) {
    pod_text_add(text, i == 0 ? "\"" : ", \"");
    add_sharding(text, &info->arguments[i], device_count);
    pod_text_add(text, "\"");
  }
  pod_text_add(text, "], mhlo.spmd_output_sharding = \"");
  const bool is_tuple = info->result_count != 1;
  pod_text_add(text, is_tuple ? "{" : "");
  for (int i = 0; i < info->result_count; i++) {
    pod_text_add(text, i == 0 ? "" : ", ");
    add_sharding(text, &info->results[i], device_count);
  }
  pod_text_add(text, is_tuple ? "}\"" : "\"");
}

static int64_t device_of(const compile_options_t *options, int64_t chip) {
  for (int64_t i = 0; options->devices != NULL && i < options->device_count; i++) {
    if (options->devices[i] == chip) {
      return i;
    }
  }
  return chip;
}

// `[[3, 1]]`: the chips of a collective, as devices of the program. Returns its end.
static const char *add_groups(pod_text_t *text, const char *at,
                              const compile_options_t *options) {
  while (*at != '\0' && *at != '>') {
    if (*at >= '0' && *at <= '9') {
      char *end;
      pod_text_add_int(text, device_of(options, strtoll(at, &end, 10)));
      at = end;
    } else {
      pod_text_add_bytes(text, at++, 1);
    }
  }
  return at;
}

static const char ELIDED_VALUE[] = "dense_resource<__elided__>";

// Zeros for a constant whose type, ` : tensor<4x8xf32>`, stands at `type`.
static void add_zeros(pod_text_t *text, const char *type) {
  const char *at = type + strcspn(type, "<");
  at += *at != '\0';
  for (size_t digits; (digits = strspn(at, "0123456789")) > 0 && at[digits] == 'x';) {
    at += digits + 1;
  }
  const char *zero = "0.0";
  if (strncmp(at, "i1>", 3) == 0) {
    zero = "false";
  } else if (*at == 'i' || *at == 'u') {
    zero = "0";
  } else if (*at == 'c') {
    zero = "(0.0, 0.0)";
  }
  pod_text_printf(text, "dense<%s>", zero);
}

typedef enum found_t {
  NOTHING,
  ATTRIBUTES,
  DONE,
  OPERATION,
  SINK,
  ELIDED,
  GROUPS
} found_t;

// The next place that must be written otherwise.
static const char *find_next(const char *from, found_t *out_found) {
  static const struct {
    const char *word;
    found_t found;
  } words[] = {
      {" {podium.", ATTRIBUTES},
      {"\"podium.async_done\"(", DONE},
      {"\"podium.dce_sink\"(", SINK},
      {"\"podium.", OPERATION},
      {ELIDED_VALUE, ELIDED},
      {"replica_groups = dense<", GROUPS},
      {"source_target_pairs = dense<", GROUPS},
  };
  const char *first = NULL;
  *out_found = NOTHING;
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
    const char *at = strstr(from, words[i].word);
    if (at != NULL && (first == NULL || at < first)) {
      first = at;
      *out_found = words[i].found;
    }
  }
  return first;
}

// `(%0, %1) <{channel = 2 : i64}>`: what a call is given, without the operation's
// attributes, which the form of a call has no place for. Returns their end.
static const char *add_operands(pod_text_t *text, const char *at) {
  static const char opened[] = ") <{", closed[] = "}>";
  const char *line_end = at + strcspn(at, "\n");
  const char *begin = strstr(at, opened);
  const char *end = begin == NULL ? NULL : strstr(begin, closed);
  if (end == NULL || end > line_end) {
    return at;
  }
  pod_text_add_bytes(text, at, (size_t)(begin - at) + 1);
  return end + strlen(closed);
}

static void add_body(pod_text_t *text, const char *from,
                     const compile_options_t *options) {
  found_t found;
  for (const char *at; (at = find_next(from, &found)) != NULL;) {
    switch (found) {
      case ATTRIBUTES:
        pod_text_add_bytes(text, from, (size_t)(at - from));
        from = at + strcspn(at, "}");
        from += *from != '\0';
        break;
      case DONE:  // Has no results.
        pod_text_add_bytes(text, from, (size_t)(at - from));
        from = at + strcspn(at, "\n");
        break;
      case SINK:  // XLA would drop a call without results, were it not for its effect.
        pod_text_add_bytes(text, from, (size_t)(at - from));
        pod_text_add(text, "stablehlo.custom_call @dce_sink");
        from = at + strcspn(at, "(");
        pod_text_add_bytes(text, from, strcspn(from, ")") + 1);
        pod_text_add(text, " {has_side_effect = true}");
        from += strcspn(from, ")") + 1;
        break;
      case OPERATION:
        pod_text_add_bytes(text, from, (size_t)(at - from));
        pod_text_add(text, "stablehlo.custom_call @");
        from = at + 1 + strcspn(at + 1, "\"");
        pod_text_add_bytes(text, at + 1, (size_t)(from - at - 1));
        from += *from != '\0';
        from = add_operands(text, from);
        break;
      case ELIDED:
        pod_text_add_bytes(text, from, (size_t)(at - from));
        from = at + strlen(ELIDED_VALUE);
        add_zeros(text, from);
        break;
      default:
        at = strchr(at, '<') + 1;
        pod_text_add_bytes(text, from, (size_t)(at - from));
        from = add_groups(text, at, options);
    }
  }
  pod_text_add(text, from);
}

char *pjrt_optimized_program(const podium_program_info_t *info,
                             const compile_options_t *options) {
  static const char attributes[] = "attributes {";
  pod_text_t text = {0};
  const char *module = info->partitioned_text;
  const char *line_end = module + strcspn(module, "\n");
  const char *at = strstr(module, attributes);
  const bool has_attributes = at != NULL && at < line_end;
  const char *split = has_attributes ? at + strlen(attributes) : strchr(module, '{');
  if (split == NULL) {
    return pod_strdup(module);
  }
  pod_text_add_bytes(&text, module, (size_t)(split - module));
  pod_text_add(&text, has_attributes ? "" : attributes);
  if (info->result_count > 0) {
    add_attributes(&text, info, options->device_count);
    pod_text_add(&text, has_attributes ? ", " : "} ");
  } else if (!has_attributes) {
    pod_text_add(&text, "} ");
  }
  add_body(&text, split, options);
  return pod_text_take(&text);
}
