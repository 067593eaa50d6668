// The arrays of a run. Everything that can be known to be wrong is told before the
// program runs: files before a pod is started, names, shapes and dtypes as soon as the
// program is compiled.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/cli/cast.h"
#include "client/cli/elements.h"
#include "client/cli/report.h"
#include "client/cli/run.h"
#include "client/cli/terminal.h"
#include "common/base/memory.h"
#include "common/base/output_file.h"
#include "common/tensor/array.h"

enum { VALUES_SHOWN = 8 };

// --- Before it runs ---

static pod_status_t check_inputs(const cli_bindings_t *bindings) {
  for (int i = 0; i < bindings->list.count; i++) {
    const cli_binding_t *binding = &bindings->list.items[i];
    tensor_shape_t shape;
    if (!tensor_is_generator(binding->value)) {
      POD_TRY(pod_status_context(tensor_npy_shape(binding->value, &shape), "--%s %.*s",
                                 bindings->option, binding->name_length, binding->name));
    }
  }
  return NULL;
}

static pod_status_t check_expectations(const cli_bindings_t *bindings) {
  for (int i = 0; i < bindings->list.count; i++) {
    const cli_binding_t *binding = &bindings->list.items[i];
    tensor_shape_t shape;
    POD_TRY(pod_status_context(tensor_npy_shape(binding->value, &shape), "--%s %.*s",
                               bindings->option, binding->name_length, binding->name));
  }
  return NULL;
}

// Both would be written, and only the last be kept; a device may take several.
static bool is_kept(const char *path) {
  struct stat info;
  return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

static pod_status_t check_outputs(const cli_bindings_t *bindings) {
  for (int i = 0; i < bindings->list.count; i++) {
    const cli_binding_t *binding = &bindings->list.items[i];
    for (int before = 0; before < i; before++) {
      if (strcmp(bindings->list.items[before].value, binding->value) == 0 &&
          is_kept(binding->value)) {
        return pod_error(POD_INVALID_ARGUMENT, "--%s: two results go to %s",
                         bindings->option, binding->value);
      }
    }
    POD_TRY(pod_status_context(pod_output_file_check(binding->value), "--%s %.*s",
                               bindings->option, binding->name_length, binding->name));
  }
  return NULL;
}

pod_status_t cli_run_check_files(cli_run_t *run) {
  POD_TRY(check_inputs(&run->inputs));
  POD_TRY(check_expectations(&run->expected));
  POD_TRY(check_outputs(&run->outputs));
  if (run->profile != NULL) {
    POD_TRY(pod_status_context(pod_output_file_check(run->profile), "--profile"));
  }
  if (run->host_profile != NULL) {
    POD_TRY(
        pod_status_context(pod_output_file_check(run->host_profile), "--host-profile"));
  }
  if (run->report != NULL) {
    POD_TRY(pod_status_context(pod_output_file_check(run->report), "--report"));
  }
  return run->xplane == NULL ? NULL : cli_check_folder("--xplane", run->xplane);
}

pod_status_t cli_run_find_shapes(cli_run_t *run) {
  if (!cli_has_open_sizes(run->text, run->length)) {
    return NULL;
  }
  for (int i = 0; i < run->inputs.list.count; i++) {
    const cli_binding_t *input = &run->inputs.list.items[i];
    tensor_shape_t shape;
    if (!tensor_is_generator(input->value)) {
      POD_TRY(pod_status_context(tensor_npy_shape(input->value, &shape), "input %.*s",
                                 input->name_length, input->name));
      cli_shapes_add(&run->shapes, input->name, (size_t)input->name_length, &shape);
    }
  }
  return NULL;
}

static tensor_shape_t tensor_of(const podium_shape_t *shape) {
  return tensor_shape_make((tensor_dtype_t)shape->dtype, shape->rank, shape->dims);
}

// A seed or value that is none shows on a single element.
static pod_status_t check_generator(const char *value, tensor_dtype_t dtype) {
  const tensor_shape_t scalar = {.dtype = dtype};
  tensor_array_t array = {0};
  POD_TRY(tensor_array_init(&array, &scalar));
  const pod_status_t status = tensor_fill(value, &array);
  tensor_array_deinit(&array);
  return status;
}

static pod_status_t check_file(const cli_run_t *run, const char *path,
                               const tensor_shape_t *shape) {
  const pod_status_t with_cast = cli_cast_check(path, shape);
  if (run->casts) {
    return with_cast;
  }
  const bool is_castable = with_cast == NULL;
  pod_status_free(with_cast);
  const pod_status_t status = tensor_npy_check(path, shape);
  if (status == NULL || !is_castable) {
    return status;
  }
  const pod_status_t advised = pod_error(
      pod_status_code(status), "%s; --cast converts it", pod_status_message(status));
  pod_status_free(status);
  return advised;
}

static pod_status_t read_file(const cli_run_t *run, const char *path,
                              const tensor_shape_t *shape, tensor_array_t *array) {
  return run->casts ? cli_cast_read(path, shape, array)
                    : tensor_npy_read(path, shape, array);
}

static pod_status_t check_values(const cli_run_t *run, const cli_bindings_t *bindings,
                                 const char *what, const podium_signature_t *signatures) {
  for (int i = 0; i < bindings->list.count; i++) {
    const cli_binding_t *binding = &bindings->list.items[i];
    const podium_signature_t *signature = &signatures[binding->index];
    const tensor_shape_t shape = tensor_of(&signature->shape);
    // Only inputs come from generators; a file of such a name has been found already.
    const bool is_generated =
        strcmp(what, "input") == 0 && tensor_is_generator(binding->value);
    POD_TRY(pod_status_context(is_generated ? check_generator(binding->value, shape.dtype)
                                            : check_file(run, binding->value, &shape),
                               "%s %s", what, signature->name));
  }
  return NULL;
}

pod_status_t cli_run_check_arrays(cli_run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  POD_TRY(cli_bindings_resolve(&run->inputs, "argument", info->argument_count,
                               info->arguments));
  POD_TRY(
      cli_bindings_resolve(&run->outputs, "result", info->result_count, info->results));
  POD_TRY(
      cli_bindings_resolve(&run->expected, "result", info->result_count, info->results));
  POD_TRY(check_values(run, &run->inputs, "input", info->arguments));
  return check_values(run, &run->expected, "expected result", info->results);
}

// --- Inputs ---

pod_status_t cli_run_make_input(cli_run_t *run, int index, tensor_array_t *array) {
  const podium_signature_t *signature =
      &podium_executable_info(run->executable)->arguments[index];
  const tensor_shape_t shape = tensor_of(&signature->shape);
  char generator[CLI_GENERATOR_SIZE];
  const char *value = cli_bindings_value(&run->inputs, index);
  if (value == NULL) {
    cli_default_generator(&run->shapes, signature->name, index, generator);
    value = generator;
  }
  pod_status_t status;
  if (tensor_is_generator(value)) {
    status = tensor_array_init(array, &shape);
    if (status == NULL) {
      status = tensor_fill(value, array);
    }
  } else {
    status = read_file(run, value, &shape, array);
  }
  return pod_status_context(status, "input %s", signature->name);
}

// An argument, which is made when it is sent: again after a loss, with --retry.
struct cli_upload_t {
  cli_run_t *run;
  int argument;
  tensor_array_t array;  // Empty but while it is sent.
  int64_t done;
};

static int64_t rewind_input(cli_upload_t *upload) {
  tensor_array_deinit(&upload->array);
  upload->done = 0;
  const pod_status_t status =
      cli_run_make_input(upload->run, upload->argument, &upload->array);
  const bool is_made = status == NULL;
  pod_status_free(status);
  return is_made ? 0 : -1;
}

static int64_t read_array(void *context, void *buffer, size_t size) {
  cli_upload_t *upload = context;
  if (buffer == NULL) {
    return rewind_input(upload);
  }
  memcpy(buffer, (const char *)upload->array.data + upload->done, size);
  upload->done += (int64_t)size;
  cli_progress_advance(upload->run->progress, upload->done);
  if (upload->done == tensor_shape_bytes(&upload->array.shape)) {
    tensor_array_deinit(&upload->array);
  }
  return (int64_t)size;
}

static pod_status_t put_input(cli_run_t *run, int argument) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  cli_upload_t *upload = &run->uploads[argument];
  upload->run = run;
  upload->argument = argument;
  POD_TRY(cli_run_make_input(run, argument, &upload->array));
  cli_progress_step(run->progress, "sending inputs",
                    tensor_shape_bytes(&upload->array.shape));
  const podium_layout_t layout = {
      .executable = run->executable, .argument = argument, .keep = PODIUM_KEEP_SOURCE};
  const pod_status_t status =
      cli_status_of(podium_put_stream(run->session, &layout, read_array, upload,
                                      run->timeout_ms, &run->arguments[argument]));
  tensor_array_deinit(&upload->array);
  return pod_status_context(status, "input %s", info->arguments[argument].name);
}

pod_status_t cli_run_put_inputs(cli_run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  run->arguments = pod_alloc((size_t)info->argument_count * sizeof(podium_array_t *));
  run->uploads = pod_alloc((size_t)info->argument_count * sizeof(*run->uploads));
  for (int i = 0; i < info->argument_count; i++) {
    POD_TRY(put_input(run, i));
  }
  return NULL;
}

// --- Results ---

void cli_result_print(const char *name, const podium_shape_t *shape,
                      const tensor_array_t *array) {
  pod_arena_t *arena = pod_arena_create();
  pod_text_t values = {0};
  pod_text_t odd = {0};
  cli_elements_print(&values, array, VALUES_SHOWN);
  const cli_odd_t counted = cli_elements_count_odd(array);
  if (counted.nan > 0 || counted.infinite > 0) {
    pod_text_printf(&odd, "  (NaN %lld, Inf %lld of %lld)", (long long)counted.nan,
                    (long long)counted.infinite,
                    (long long)tensor_shape_elements(&array->shape));
  }
  cli_print_whole("%s = %s%s%s%s\n", name, cli_shape(arena, shape),
                  values.length == 0 ? "" : " ", values.length == 0 ? "" : values.bytes,
                  odd.length == 0 ? "" : odd.bytes);
  pod_text_deinit(&odd);
  pod_text_deinit(&values);
  pod_arena_destroy(arena);
}

void cli_result_report(const char *name, const tensor_array_t *array,
                       const char *output) {
  if (cli_report() == NULL) {
    return;
  }
  cJSON *results = cJSON_GetObjectItem(cli_report(), "results");
  if (results == NULL) {
    results = cJSON_AddArrayToObject(cli_report(), "results");
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", name);
  pod_text_t values = {0};
  cli_elements_print(&values, array, VALUES_SHOWN);
  const cli_odd_t odd = cli_elements_count_odd(array);
  cJSON_AddStringToObject(object, "values", values.length == 0 ? "" : values.bytes);
  cJSON_AddNumberToObject(object, "elements",
                          (double)tensor_shape_elements(&array->shape));
  cJSON_AddNumberToObject(object, "nan", (double)odd.nan);
  cJSON_AddNumberToObject(object, "inf", (double)odd.infinite);
  if (output == NULL) {
    cJSON_AddNullToObject(object, "file");
  } else {
    cJSON_AddStringToObject(object, "file", output);
  }
  pod_text_deinit(&values);
  cJSON_AddItemToArray(results, object);
}

// JSON has no infinite numbers: null for those.
static void report_check(const char *name, const cli_difference_t *difference,
                         bool passes) {
  if (cli_report() == NULL) {
    return;
  }
  cJSON *checks = cJSON_GetObjectItem(cli_report(), "checks");
  if (checks == NULL) {
    checks = cJSON_AddArrayToObject(cli_report(), "checks");
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", name);
  cJSON_AddBoolToObject(object, "ok", passes);
  cJSON_AddNumberToObject(object, "largest_difference", difference->largest);
  cJSON_AddNumberToObject(object, "relative_difference",
                          cli_difference_error(difference));
  cJSON_AddNumberToObject(object, "nan_result_only", (double)difference->nan_result);
  cJSON_AddNumberToObject(object, "nan_file_only", (double)difference->nan_expected);
  cJSON_AddItemToArray(checks, object);
}

static void print_check(const char *name, const cli_difference_t *difference,
                        int64_t count, bool passes) {
  cli_print_whole(
      "check %s: largest difference %.3g (%.3g of the largest value) over %lld "
      "elements",
      name, difference->largest, cli_difference_error(difference), (long long)count);
  if (difference->nan_alike > 0) {
    cli_print_whole(", NaN in both %lld", (long long)difference->nan_alike);
  }
  if (difference->nan_result > 0) {
    cli_print_whole(", NaN in the result only %lld", (long long)difference->nan_result);
  }
  if (difference->nan_expected > 0) {
    cli_print_whole(", NaN in the file only %lld", (long long)difference->nan_expected);
  }
  cli_print_whole(": %s\n", passes ? "ok" : "WRONG");
}

static pod_status_t differs(const tensor_array_t *array,
                            const cli_difference_t *difference, double tolerance) {
  pod_text_t place = {0};
  cli_element_print_index(&place, &array->shape, difference->worst);
  const int64_t nan_count = difference->nan_result + difference->nan_expected;
  const pod_status_t status =
      nan_count > 0
          ? pod_error(POD_DATA_LOSS,
                      "differs from what was expected: NaN on one side only %lld times, "
                      "first at element %s",
                      (long long)nan_count, place.bytes)
          : pod_error(POD_DATA_LOSS,
                      "differs from what was expected at element %s: difference %g of "
                      "%g, tolerance %g",
                      place.bytes, difference->largest, difference->scale, tolerance);
  pod_text_deinit(&place);
  return status;
}

static pod_status_t compare(const cli_run_t *run, const char *name, const char *path,
                            const tensor_array_t *array) {
  tensor_array_t expected = {0};
  POD_TRY(read_file(run, path, &array->shape, &expected));
  const cli_difference_t difference = cli_elements_compare(array, &expected);
  tensor_array_deinit(&expected);
  const bool passes = cli_difference_passes(&difference, run->tolerance);
  report_check(name, &difference, passes);
  print_check(name, &difference, tensor_shape_elements(&array->shape), passes);
  return passes ? NULL : differs(array, &difference, run->tolerance);
}

static pod_status_t use_result(cli_run_t *run, int index, const tensor_array_t *array) {
  const podium_signature_t *signature =
      &podium_executable_info(run->executable)->results[index];
  const char *output = cli_bindings_value(&run->outputs, index);
  const char *expected = cli_bindings_value(&run->expected, index);
  cli_result_report(signature->name, array, output);
  if (!run->quiet) {
    cli_result_print(signature->name, &signature->shape, array);
  }
  if (output != NULL) {
    fflush(stdout);  // The file may be /dev/stdout.
    POD_TRY(tensor_npy_write(output, array));
  }
  return expected == NULL ? NULL : compare(run, signature->name, expected, array);
}

static pod_status_t fetch_result(cli_run_t *run, int index) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  const tensor_shape_t shape = tensor_of(&info->results[index].shape);
  tensor_array_t array;
  POD_TRY(tensor_array_init(&array, &shape));
  cli_progress_step(run->progress, "fetching results", 0);
  pod_status_t status =
      cli_status_of(podium_fetch(run->results[index], array.data,
                                 (size_t)tensor_shape_bytes(&shape), run->timeout_ms));
  cli_progress_step(run->progress, NULL, 0);
  if (status == NULL) {
    status = use_result(run, index, &array);
  }
  tensor_array_deinit(&array);
  return pod_status_context(status, "result %s", info->results[index].name);
}

pod_status_t cli_run_fetch_results(cli_run_t *run) {
  pod_status_t first_wrong = NULL;
  const int count = podium_executable_info(run->executable)->result_count;
  for (int i = 0; i < count; i++) {
    const pod_status_t status = fetch_result(run, i);
    if (pod_status_code(status) == POD_DATA_LOSS && first_wrong == NULL) {
      first_wrong = status;
    } else if (pod_status_code(status) == POD_DATA_LOSS) {
      pod_status_free(status);
    } else if (status != NULL) {
      pod_status_free(first_wrong);
      return status;
    }
  }
  return first_wrong;
}
