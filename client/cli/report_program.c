// A program in the report: its signature, collectives and memory, as print.c shows them.

#include "client/cli/cli.h"
#include "client/cli/report.h"

static void add_shape(cJSON *object, const char *key, const podium_shape_t *shape) {
  pod_arena_t *arena = pod_arena_create();
  cJSON_AddStringToObject(object, key, cli_shape(arena, shape));
  pod_arena_destroy(arena);
}

static void add_signatures(cJSON *program, const char *key, int count,
                           const podium_signature_t *signatures) {
  cJSON *list = cJSON_AddArrayToObject(program, key);
  for (int i = 0; i < count; i++) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", signatures[i].name);
    add_shape(object, "shape", &signatures[i].shape);
    cJSON_AddStringToObject(object, "sharding", signatures[i].sharding);
    add_shape(object, "local_shape", &signatures[i].local_shape);
    cJSON_AddItemToArray(list, object);
  }
}

static void add_collective(cJSON *list, const podium_collective_t *collective) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "op", collective->op);
  cJSON_AddStringToObject(object, "name", collective->name);
  cJSON_AddStringToObject(object, "axes", collective->axes);
  cJSON_AddStringToObject(object, "mesh", collective->mesh);
  cJSON_AddNumberToObject(object, "groups", (double)collective->group_count);
  cJSON_AddNumberToObject(object, "group_size", (double)collective->group_size);
  add_shape(object, "operand", &collective->operand);
  add_shape(object, "result", &collective->result);
  cJSON_AddNumberToObject(object, "ici_bytes", (double)collective->ici_bytes);
  if (collective->dcn_bytes > 0) {
    cJSON_AddNumberToObject(object, "dcn_bytes", (double)collective->dcn_bytes);
  }
  cJSON_AddNumberToObject(object, "link_bytes", (double)collective->link_bytes);
  cJSON_AddNumberToObject(object, "alone_ps", (double)collective->alone_ps);
  cJSON_AddBoolToObject(object, "in_loop", collective->in_loop);
  cJSON_AddBoolToObject(object, "inserted", collective->inserted);
  cJSON_AddBoolToObject(object, "asynchronous", collective->asynchronous);
  cJSON_AddStringToObject(object, "source", collective->source);
  cJSON_AddStringToObject(object, "because", collective->because);
  cJSON_AddItemToArray(list, object);
}

void cli_report_program(const podium_program_info_t *info) {
  if (cli_report() == NULL) {
    return;
  }
  cJSON *program = cJSON_AddObjectToObject(cli_report(), "program");
  cJSON_AddStringToObject(program, "name", info->name);
  add_signatures(program, "arguments", info->argument_count, info->arguments);
  add_signatures(program, "results", info->result_count, info->results);
  cJSON *collectives = cJSON_AddArrayToObject(program, "collectives");
  for (int i = 0; i < info->collective_count; i++) {
    add_collective(collectives, &info->collectives[i]);
  }
  cJSON *memory = cJSON_AddObjectToObject(program, "memory");
  cJSON_AddNumberToObject(memory, "hbm_peak_bytes", (double)info->hbm_peak_bytes);
  cJSON_AddNumberToObject(memory, "hbm_bytes", (double)info->hbm_bytes);
  cJSON_AddNumberToObject(memory, "argument_bytes", (double)info->argument_bytes);
  cJSON_AddNumberToObject(memory, "result_bytes", (double)info->result_bytes);
  cJSON_AddNumberToObject(memory, "constant_bytes", (double)info->constant_bytes);
  cJSON_AddNumberToObject(memory, "temp_bytes", (double)info->temp_bytes);
  cJSON_AddNumberToObject(memory, "alias_bytes", (double)info->alias_bytes);
  cJSON_AddNumberToObject(memory, "host_argument_bytes",
                          (double)info->host_argument_bytes);
  cJSON_AddNumberToObject(memory, "host_result_bytes", (double)info->host_result_bytes);
  cJSON_AddNumberToObject(memory, "host_alias_bytes", (double)info->host_alias_bytes);
  cJSON_AddNumberToObject(memory, "host_temp_bytes", (double)info->host_temp_bytes);
  cJSON *aliases = cJSON_AddArrayToObject(program, "aliases");
  for (int i = 0; i < info->alias_count; i++) {
    cJSON *alias = cJSON_CreateObject();
    cJSON_AddNumberToObject(alias, "argument", info->aliases[i].argument);
    cJSON_AddNumberToObject(alias, "result", info->aliases[i].result);
    cJSON_AddItemToArray(aliases, alias);
  }
  cJSON *notes = cJSON_AddArrayToObject(program, "notes");
  for (int i = 0; i < info->note_count; i++) {
    cJSON_AddItemToArray(notes, cJSON_CreateString(info->notes[i]));
  }
}
