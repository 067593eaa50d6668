// podium run, simulate and compile: from a module's text to its results and profile.

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/explain.h"
#include "client/cli/report.h"
#include "client/cli/report_page.h"
#include "client/cli/run.h"
#include "client/cli/run_options.h"
#include "client/cli/streams.h"
#include "client/cli/terminal.h"
#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/base/memory.h"

enum {
  EVENTS_MAX = 1 << 20,
  // Of a pod that is made larger so that it has the chips named.
  CHIPS_STARTED_MAX = 64,
};

// --- The pod ---

// Only then does it need workers.
static bool is_running(const cli_run_t *run) {
  return run->is_executed && !run->time_only;
}

// As many chips as the program needs, or to the highest that it is to run on.
static int64_t chips_needed(const cli_run_t *run) {
  int64_t chips = cli_chips_of(run->text, run->length);
  chips = chips > run->chips_least ? chips : run->chips_least;
  chips = run->given.mesh == NULL ? chips : cli_given_devices(&run->given);
  for (int i = 0; i < run->given.device_order.count; i++) {
    const int64_t chip = run->given.device_order.items[i];
    chips = chip >= chips && chip < CHIPS_STARTED_MAX ? chip + 1 : chips;
  }
  return chips;
}

static pod_status_t start_local_pod(cli_run_t *run) {
  char *topology = run->topology != NULL ? pod_strdup(run->topology)
                   : run->slice != NULL  ? pod_strdup(run->slice)
                                         : cli_topology_for(chips_needed(run));
  const pod_status_t status =
      cli_pod_start(&(cli_pod_options_t){.chip = run->chip,
                                         .topology = topology,
                                         .timeout_ms = run->timeout_ms,
                                         .has_no_workers = !is_running(run),
                                         .progress = run->progress},
                    &run->local);
  free(topology);
  return status;
}

// On the library's thread, which ends with the session, and before the progress does.
static void note_waiting(void *context, const char *for_what) {
  const cli_run_t *run = context;
  cli_progress_note(run->progress, for_what);
  if (!cli_progress_is_live(run->progress) && !run->quiet && *for_what != '\0') {
    fprintf(stderr, "waiting %s\n", for_what);
  }
}

static pod_status_t connect_pod(cli_run_t *run) {
  const int64_t started_ns = pod_clock_now_ns();
  char *address = NULL;
  if (run->pod != NULL) {
    POD_TRY(cli_pod_address(run->pod, &address));
  } else {
    POD_TRY(start_local_pod(run));
    address = pod_strdup(run->local->address);
  }
  const podium_connect_options_t options = {.timeout_ms = run->timeout_ms,
                                            .client_name = "podium run",
                                            .do_not_wait = !is_running(run),
                                            .retries = (int)run->retries,
                                            .on_waiting = note_waiting,
                                            .on_waiting_context = run};
  pod_status_t status = cli_status_of(podium_connect(address, &options, &run->session));
  free(address);
  if (status != NULL && run->local != NULL) {
    return cli_pod_explain(run->local, status);
  }
  POD_TRY(status);
  POD_TRY(cli_status_of(podium_pod(run->session, 10000, &run->pod_info)));
  if (run->local != NULL && !run->quiet && is_running(run)) {
    fprintf(stderr, "pod of %d %s chip%s, %s, ready after %.2f s\n",
            run->pod_info->device_count, run->pod_info->chip_kind,
            run->pod_info->device_count == 1 ? "" : "s", run->pod_info->topology,
            (double)(pod_clock_now_ns() - started_ns) / 1e9);
  }
  return NULL;
}

static void release(cli_run_t *run) {
  cli_shapes_deinit(&run->shapes);
  cli_given_deinit(&run->given);
  cli_bindings_deinit(&run->inputs);
  cli_bindings_deinit(&run->outputs);
  cli_bindings_deinit(&run->expected);
  podium_close(run->session);        // Frees arrays, execution and executable with it.
  cli_progress_stop(run->progress);  // Behind the session, whose thread notes waits.
  podium_pod_free(run->pod_info);
  cli_pod_stop(run->local);
  free(run->arguments);
  free(run->uploads);
  free(run->kept);
  free(run->results);
  free(run->text);
  free(run->expectations);
  free(run);
}

// What is not executed is compiled for any pod: one of another kind or size than the one
// that is asked.
pod_status_t cli_run_compile(cli_run_t *run) {
  podium_executable_free(run->executable);
  run->executable = NULL;
  const bool only = !is_running(run);
  const bool is_elsewhere = only && run->pod != NULL;
  podium_compile_options_t options = {
      .timeout_ms = run->timeout_ms,
      .only = only,
      .after = run->after,
      .wants_values = run->wants_values || run->report != NULL,
      .ignore_hbm = run->ignores_hbm,
      .estimate = run->estimates,
      .argument_type_count = run->shapes.types.count,
      .argument_types = run->shapes.types.items,
      .chip_kind = is_elsewhere ? run->chip : NULL,
      .topology = is_elsewhere ? run->topology : NULL};
  cli_given_fill(&run->given, &options);
  const pod_status_t status = cli_status_of(podium_compile(
      run->session, run->program, run->text, run->length, &options, &run->executable));
  return run->compares ? cli_diff_name(run, status) : status;
}

// What it runs on is chosen once: it stays there if it is run again.
static pod_status_t find_slice(cli_run_t *run) {
  podium_slice_t *slice;
  POD_TRY(pod_status_context(
      cli_status_of(podium_find_slice(run->session, run->slice, !is_running(run),
                                      run->timeout_ms, &slice)),
      "--slice"));
  for (int i = 0; i < slice->chip_count; i++) {
    *pod_list_add(&run->given.device_order) = slice->chips[i];
  }
  if (!run->quiet && is_running(run)) {
    fprintf(stderr, "on a slice of %s at (%d,%d,%d)%s\n", slice->size, slice->origin[0],
            slice->origin[1], slice->origin[2],
            slice->is_shared ? ", where others run too: they take turns" : "");
  }
  if (cli_report() != NULL) {
    cJSON *object = cJSON_AddObjectToObject(cli_report(), "slice");
    cJSON_AddStringToObject(object, "size", slice->size);
    cJSON_AddBoolToObject(object, "shared", slice->is_shared);
    cJSON *chips = cJSON_AddArrayToObject(object, "chips");
    for (int i = 0; i < slice->chip_count; i++) {
      cJSON_AddItemToArray(chips, cJSON_CreateNumber((double)slice->chips[i]));
    }
  }
  podium_slice_free(slice);
  return NULL;
}

pod_status_t cli_run_prepare(cli_run_t *run) {
  run->progress = cli_progress_start(run->quiet);
  POD_TRY(cli_read_program(run->program, (int)run->vjp_order, &run->text, &run->length));
  POD_TRY(cli_run_check_files(run));
  POD_TRY(cli_run_find_shapes(run));
  cli_progress_step(run->progress, "starting the pod", 0);
  POD_TRY(connect_pod(run));
  if (run->slice != NULL) {
    POD_TRY(find_slice(run));
  }
  cli_progress_step(run->progress, "compiling", 0);
  if (run->fit.label != NULL) {
    cli_progress_step(run->progress, NULL, 0);
    return cli_run_fit(run);
  }
  return cli_run_compile(run);
}

// --- What it tells ---

static pod_status_t show_profile(cli_run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  const bool wants_events =
      run->profile != NULL || run->xplane != NULL || run->report != NULL;
  const podium_profile_options_t options = cli_simulation_options(
      &run->simulation, run->timeout_ms, wants_events ? EVENTS_MAX : 0);
  podium_profile_t *profile;
  cli_progress_step(run->progress, "simulating", 0);
  POD_TRY(cli_status_of(run->time_only
                            ? podium_simulate(run->executable, &options, &profile)
                            : podium_profile(run->execution, &options, &profile)));
  cli_progress_step(run->progress, NULL, 0);
  cli_report_profile(info, profile, run->model_flop);
  if (!run->quiet) {
    cli_print_profile(info, profile, run->model_flop);
  }
  pod_status_t status = NULL;
  if (run->profile != NULL) {
    status = cli_write_trace(run->profile, false, info, profile);
  }
  if (status == NULL && run->host_profile != NULL) {
    status = cli_write_host_trace(run->host_profile, info, profile);
  }
  if (status == NULL && run->xplane != NULL) {
    status = cli_write_xplane(run->xplane, info, profile);
  }
  if (status == NULL && run->report != NULL) {
    status = cli_write_report(
        run->report, &(profile_report_t){.made_by = run->time_only ? "simulate" : "run",
                                         .file = run->program,
                                         .info = info,
                                         .profile = profile});
  }
  podium_profile_free(profile);
  return status;
}

static pod_status_t execute(cli_run_t *run) {
  const podium_program_info_t *info = podium_executable_info(run->executable);
  run->results = pod_alloc((size_t)info->result_count * sizeof(podium_array_t *));
  run->kept = pod_alloc((size_t)info->alias_count * sizeof(int));
  for (int i = 0; i < info->alias_count; i++) {
    run->kept[i] = info->aliases[i].argument;
  }
  for (int64_t i = 0; i < run->repeat; i++) {
    const bool is_last = i == run->repeat - 1;
    const podium_execute_options_t options = {
        .timeout_ms = run->timeout_ms,
        .profile = run->host_profile != NULL,
        .kept_count = is_last ? 0 : info->alias_count,
        .kept = run->kept};
    for (int r = 0; r < info->result_count; r++) {
      podium_array_free(run->results[r]);
      run->results[r] = NULL;
    }
    podium_execution_free(run->execution);
    run->execution = NULL;
    cli_progress_step(run->progress, "executing", 0);
    POD_TRY(cli_status_of(podium_execute(run->executable, info->argument_count,
                                         run->arguments, &options, run->results,
                                         &run->execution)));
  }
  return NULL;
}

// What run_program prints of a program, but for its results.
static pod_status_t simulate_program(cli_run_t *run) {
  POD_TRY(cli_run_prepare(run));
  const podium_program_info_t *info = podium_executable_info(run->executable);
  cli_progress_step(run->progress, NULL, 0);
  cli_report_program(info);
  if (!run->quiet) {
    cli_print_signatures(info);
    cli_print_collectives(info);
    cli_print_memory(info);
  }
  return show_profile(run);
}

static pod_status_t run_program(cli_run_t *run) {
  if (run->time_only) {
    return simulate_program(run);
  }
  POD_TRY(cli_run_prepare(run));
  const podium_program_info_t *info = podium_executable_info(run->executable);
  cli_report_program(info);
  POD_TRY(cli_run_check_arrays(run));
  POD_TRY(cli_run_put_inputs(run));
  POD_TRY(execute(run));
  cli_progress_step(run->progress, NULL, 0);
  if (!run->quiet) {
    cli_print_signatures(info);
  }
  POD_TRY(cli_run_fetch_results(run));
  if (!run->quiet) {
    cli_print_collectives(info);
    cli_print_memory(info);
  }
  return show_profile(run);
}

static cli_run_t *create(void) {
  cli_run_t *run = pod_alloc(sizeof(*run));
  run->inputs.option = "input";
  run->outputs.option = "output";
  run->expected.option = "expect";
  run->pod = cli_pod_default();
  return run;
}

static int finish(cli_run_t *run, pod_status_t status) {
  cli_progress_step(run->progress, NULL, 0);
  (void)cli_output_is_lost();  // Before what goes to standard error.
  const bool differs = pod_status_code(status) == POD_DATA_LOSS;  // As a check says.
  int result = status == NULL ? CLI_OK : cli_fail(status);
  result = differs ? CLI_FAILED : result;
  release(run);
  return result;
}

int cli_run(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_POD_OPTIONS,
      {"input", 'i', "NAME=VALUE", 0,
       "An argument, by name or number: FILE.npy, random:SEED, ones, zeros, iota or "
       "const:VALUE. Without one an argument is random:ITS NUMBER",
       2},
      {"output", 'o', "NAME=FILE.npy", 0, "Write a result, by name or number", 2},
      {"expect", CLI_RUN_EXPECT, "NAME=FILE.npy", 0,
       "Compare a result; the exit status is 1 when it differs", 2},
      {"tolerance", CLI_RUN_TOLERANCE, "REL", 0,
       "For --expect: difference allowed, relative to the largest expected value (0.01)",
       2},
      CLI_SHAPE_OPTIONS,
      CLI_GIVEN_OPTIONS,
      CLI_PROFILE_OPTIONS,
      CLI_REPORT_OPTION,
      CLI_SIMULATION_OPTIONS,
      CLI_TURNS_OPTION,
      {"time-only", CLI_RUN_TIME_ONLY, NULL, 0,
       "Compute no values, start no worker: tell only the time. The same as podium "
       "simulate",
       4},
      {"cast", CLI_RUN_CAST, NULL, 0,
       "Convert files of another dtype than the argument or the result has, such as f32 "
       "for bf16, which NumPy does not know",
       2},
      {"host-profile", CLI_RUN_HOST_PROFILE, "FILE.json", 0,
       "Write a trace of the time that was measured on the workers' hosts", 2},
      {"repeat", CLI_RUN_REPEAT, "N", 0, "Execute N times; the last one is shown", 3},
      {"retry", CLI_RUN_RETRY, "N", 0,
       "When the coordinator or a worker dies, wait for the pod and run what was lost "
       "again, each call at most N times (0)",
       3},
      {"quiet", 'q', NULL, 0, "Print only checks and errors", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = cli_run_parse,
      .args_doc = "PROGRAM",
      .doc =
          "Run PROGRAM, StableHLO text as jax.jit(f).lower(...).as_text() prints it, a "
          "portable artifact, or what jax.export.export(f)(...).serialize() writes (- "
          "for "
          "standard input), and print its results, collectives, memory and profile.\v"
          "Examples:\n  podium run mm.mlir --chip v5e --topology 2x2\n"
          "  podium run mm.mlir -i arg0=x.npy -i arg1=random:7 -o 0=y.npy --profile "
          "trace.json"};
  cli_run_t *run = create();
  run->repeat = 1;
  run->tolerance = 0.01;
  run->is_executed = true;
  cli_parse(&argp, argc, argv, run);
  return finish(run, run_program(run));
}

int cli_simulate(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      CLI_GIVEN_OPTIONS,
      CLI_PROFILE_OPTIONS,
      CLI_REPORT_OPTION,
      CLI_SIMULATION_OPTIONS,
      CLI_TURNS_OPTION,
      {"fit", CLI_RUN_FIT, "LABEL=ARG0.0[,ARG1.0…]", 0,
       "Find the largest size of these dimensions of arguments (dimension 0 of "
       "argument 0) with which the program fits the HBM. The program leaves them open "
       "(jax.export.symbolic_shape)",
       2},
      {"quiet", 'q', NULL, 0, "Print only errors", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = cli_run_parse,
      .args_doc = "PROGRAM",
      .doc =
          "Tell how long PROGRAM would take on a pod of any kind and size, without "
          "running "
          "it: no values are computed and no worker is started. Prints the profile that "
          "`podium run` prints.\v"
          "Examples:\n  podium simulate step.mlir --chip v5p --topology 16x16x16\n"
          "  podium simulate step.mlir --slow chip=3:1.5 --slow-link '(0,0)-(1,0):0.5'\n"
          "  podium simulate step.mlirbc --fit batch=ARG1.0,ARG2.0"};
  cli_run_t *run = create();
  run->time_only = true;
  cli_parse(&argp, argc, argv, run);
  return finish(run, run_program(run));
}

pod_status_t cli_run_predict(cli_run_t *run, podium_profile_t **out_profile,
                             char **out_unknown) {
  const podium_profile_options_t options = cli_simulation_options(
      &run->simulation, run->timeout_ms, run->report != NULL ? EVENTS_MAX : 0);
  *out_profile = NULL;
  *out_unknown = NULL;
  podium_status_t *failed = podium_simulate(run->executable, &options, out_profile);
  if (failed == NULL || podium_status_code(failed) != PODIUM_FAILED_PRECONDITION) {
    return cli_status_of(failed);
  }
  *out_unknown = pod_strdup(podium_status_message(failed));
  podium_status_free(failed);
  return NULL;
}

// With the times as far as they can be told: a loop whose turns depend on values has
// none.
static pod_status_t report_compiled(cli_run_t *run) {
  podium_profile_t *profile;
  char *unknown;
  POD_TRY(cli_run_predict(run, &profile, &unknown));
  const profile_report_t report = {.made_by = "compile",
                                   .file = run->program,
                                   .info = podium_executable_info(run->executable),
                                   .profile = profile,
                                   .no_times = unknown};
  const pod_status_t status = cli_write_report(run->report, &report);
  free(unknown);
  podium_profile_free(profile);
  return status;
}

static pod_status_t compile_program(cli_run_t *run) {
  POD_TRY(cli_run_prepare(run));
  cli_progress_step(run->progress, NULL, 0);
  const podium_program_info_t *info = podium_executable_info(run->executable);
  cli_report_program(info);
  if (cli_report() != NULL) {
    cJSON_AddStringToObject(cli_report(), "partitioned_text", info->partitioned_text);
  }
  cli_print_whole("%s", info->partitioned_text);
  if (!run->only_text) {
    cli_print("\n");
    cli_print_signatures(info);
    cli_print_collectives(info);
    cli_print_memory(info);
  }
  return run->report == NULL ? NULL : report_compiled(run);
}

int cli_compile(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      CLI_GIVEN_OPTIONS,
      {"text", CLI_RUN_TEXT, NULL, 0, "Print only the partitioned program", 2},
      CLI_REPORT_OPTION,
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = cli_run_parse,
      .args_doc = "PROGRAM",
      .doc =
          "Compile PROGRAM and print what one chip runs, as StableHLO text, with its "
          "collectives and the HBM it needs. Nothing is executed.\v"
          "Example:\n  podium compile mm.mlir --chip v5e --topology 2x2"};
  cli_run_t *run = create();
  cli_parse(&argp, argc, argv, run);
  return finish(run, compile_program(run));
}

int cli_explain(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      CLI_GIVEN_OPTIONS,
      CLI_SIMULATION_OPTIONS,
      CLI_TURNS_OPTION,
      {"expect", CLI_RUN_EXPECTATIONS, "MEASURE<=N,…", 0,
       "What the program shall keep to; the exit status is 1 when it does not. Measures: "
       "all_gather, all_reduce, reduce_scatter, all_to_all, collective_permute, "
       "collectives (how many), peak_hbm, ici_bytes, link_bytes (12GiB), step, "
       "in_flight, "
       "exposed (3ms); with <=, <, ==, !=, >= or >. May be given again",
       2},
      {"shardings", CLI_RUN_SHARDINGS, NULL, 0,
       "Tell instead how every value lies after propagation", 2},
      {"what-if", CLI_RUN_WHAT_IF, NULL, 0,
       "Try every other sharding of one argument, result or constraint within, and of "
       "the largest values that have none, and tell which would save time",
       2},
      {"after", CLI_RUN_AFTER, "PASS", 0,
       "Print instead the program as this pass of the compiler leaves it: propagate "
       "shows the sharding of every value, partition what one chip runs, before it is "
       "optimised. A wrong name lists them all",
       2},
      CLI_REPORT_OPTION,
      {"quiet", 'q', NULL, 0, "Print only expectations that do not hold, and errors", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = cli_run_parse,
      .args_doc = "PROGRAM",
      .doc =
          "Tell what the partitioner did with PROGRAM, why, and what that costs on a pod "
          "of "
          "any kind and size: every collective with its axes, bytes, predicted time, "
          "what "
          "hides it, the line it serves and why it is there; what every chip holds "
          "whole. "
          "Nothing is executed and no worker is started.\v"
          "Examples:\n  podium explain step.mlir --chip v5e --topology 4x4\n"
          "  podium explain step.mlir --expect "
          "'all_gather<=2,all_to_all==0,peak_hbm<=12GiB,step<=3ms'"};
  cli_run_t *run = create();
  cli_parse(&argp, argc, argv, run);
  bool is_met = true;
  const pod_status_t status = cli_explain_program(run, &is_met);
  const int result = finish(run, status);
  return result == CLI_OK && !is_met ? CLI_FAILED : result;
}

int cli_diff(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_POD_OPTIONS,        CLI_SHAPE_OPTIONS, CLI_GIVEN_OPTIONS,
      CLI_SIMULATION_OPTIONS, CLI_TURNS_OPTION,  {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = cli_run_parse,
      .args_doc = "PROGRAM PROGRAM",
      .doc =
          "Tell what two programs cost on the same pod, side by side: collectives, HBM, "
          "load of the links, step. Nothing is executed.\v"
          "Example:\n  podium diff before.mlir after.mlir --chip v5e --topology 4x4"};
  cli_run_t *run = create();
  run->compares = true;
  cli_parse(&argp, argc, argv, run);
  return finish(run, cli_diff_programs(run));
}

int cli_search(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      CLI_GIVEN_OPTIONS,
      CLI_SIMULATION_OPTIONS,
      CLI_TURNS_OPTION,
      {"budget", CLI_RUN_BUDGET, "N", 0, "Compile at most N times (400)", 2},
      {"seconds", CLI_RUN_SECONDS, "SECONDS", 0,
       "Begin no trial after so long; what is found then depends on the machine", 2},
      {"quiet", 'q', NULL, 0, "Print only errors", 3},
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = cli_run_parse,
      .args_doc = "PROGRAM",
      .doc =
          "Find how the arguments of PROGRAM should lie, and on which mesh, for the "
          "shortest predicted step that fits the HBM: data parallel, FSDP, tensor "
          "parallel, 2D weight-stationary on every mesh of one or two axes, then changes "
          "of the best of them. Prints what was tried and the best. Arguments that "
          "--in-sharding names lie as it says. Nothing is executed and no worker is "
          "started.\v"
          "Examples:\n  podium search step.mlir --chip v5e --topology 4x4\n"
          "  podium search step.mlir --mesh data=4,model=4 --budget 1000"};
  cli_run_t *run = create();
  cli_parse(&argp, argc, argv, run);
  return finish(run, cli_search_program(run));
}

int cli_sharding(int argc, char **argv) {
  static const struct argp_option options[] = {
      CLI_POD_OPTIONS,
      CLI_SHAPE_OPTIONS,
      CLI_GIVEN_OPTIONS,
      {0},
  };
  static const struct argp argp = {
      .options = options,
      .parser = cli_run_parse,
      .args_doc = "PROGRAM [NAME]\nDTYPE[SIZES] SPEC",
      .doc =
          "Draw how the arguments and results of PROGRAM lie on the chips, or one of "
          "them, "
          "by name or number; or an array that is given by its shape and a "
          "PartitionSpec. "
          "Every box is a part of the array, with the chips that hold it; of arrays of "
          "more than two dimensions the last two, slice by slice.\v"
          "Examples:\n  podium sharding step.mlir arg0\n"
          "  podium sharding 'f32[64,128]' 'P(\"x\", \"y\")' --mesh x=2,y=4"};
  cli_run_t *run = create();
  run->draws = true;
  cli_parse(&argp, argc, argv, run);
  return finish(run, cli_sharding_program(run));
}
