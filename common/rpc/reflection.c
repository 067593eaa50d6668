// grpc.reflection.v1.ServerReflection and its older name v1alpha, which differ in nothing
// but the package: the messages of v1 serve both.

#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/rpc/server.h"
#include "proto/descriptors.h"
#include "proto/grpc/reflection/v1/reflection.pb-c.h"

typedef Grpc__Reflection__V1__ServerReflectionRequest request_t;
typedef Grpc__Reflection__V1__ServerReflectionResponse response_t;

#define MESSAGE_CASE(name) \
  GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_##name

enum { REQUEST_BYTES_MAX = 16 << 10 };  // The name of a file or of a symbol.

static const proto_file_t *find_file(const char *name) {
  for (size_t i = 0; i < proto_file_count; i++) {
    if (strcmp(proto_files[i].name, name) == 0) {
      return &proto_files[i];
    }
  }
  return NULL;
}

static int compare_symbol(const void *name, const void *symbol) {
  return strcmp(name, ((const proto_symbol_t *)symbol)->name);
}

static const proto_file_t *find_symbol(const char *name) {
  const proto_symbol_t *symbol = bsearch(name, proto_symbols, proto_symbol_count,
                                         sizeof(proto_symbols[0]), compare_symbol);
  return symbol != NULL ? &proto_files[symbol->file_index] : NULL;
}

static void answer_error(rpc_call_t *call, response_t *response, pod_code_t code,
                         const char *message) {
  Grpc__Reflection__V1__ErrorResponse error = GRPC__REFLECTION__V1__ERROR_RESPONSE__INIT;
  error.error_code = (int32_t)code;
  error.error_message = (char *)(uintptr_t)message;
  response->message_response_case = MESSAGE_CASE(ERROR_RESPONSE);
  response->error_response = &error;
  rpc_call_send(call, &response->base);
}

// A file with all that it imports, the imports first.
static void answer_file(rpc_call_t *call, response_t *response,
                        const proto_file_t *file) {
  if (file == NULL) {
    answer_error(call, response, POD_NOT_FOUND, "no such file or symbol here");
    return;
  }
  bool *wanted = pod_alloc(proto_file_count * sizeof(*wanted));
  ProtobufCBinaryData *data = pod_alloc(proto_file_count * sizeof(*data));
  size_t last = (size_t)(file - proto_files);
  wanted[last] = true;
  // A file comes after its imports, so one walk from the end finds them all.
  for (size_t i = last + 1; i-- > 0;) {
    for (size_t j = 0; wanted[i] && j < proto_files[i].import_count; j++) {
      wanted[proto_files[i].imports[j]] = true;
    }
  }
  Grpc__Reflection__V1__FileDescriptorResponse files =
      GRPC__REFLECTION__V1__FILE_DESCRIPTOR_RESPONSE__INIT;
  files.file_descriptor_proto = data;
  for (size_t i = 0; i <= last; i++) {
    if (wanted[i]) {
      data[files.n_file_descriptor_proto++] = (ProtobufCBinaryData){
          proto_files[i].size_bytes, (uint8_t *)(uintptr_t)proto_files[i].data};
    }
  }
  response->message_response_case = MESSAGE_CASE(FILE_DESCRIPTOR_RESPONSE);
  response->file_descriptor_response = &files;
  rpc_call_send(call, &response->base);
  free(data);
  free(wanted);
}

static void answer_services(rpc_call_t *call, response_t *response,
                            const rpc_server_t *server) {
  size_t count = 0;
  for (const rpc_service_t *service = server->services; service != NULL;
       service = service->next) {
    count++;
  }
  Grpc__Reflection__V1__ServiceResponse *names = pod_alloc(count * sizeof(*names));
  Grpc__Reflection__V1__ServiceResponse **list = pod_alloc(count * sizeof(*list));
  Grpc__Reflection__V1__ListServiceResponse services =
      GRPC__REFLECTION__V1__LIST_SERVICE_RESPONSE__INIT;
  services.service = list;
  for (rpc_service_t *service = server->services; service != NULL;
       service = service->next) {
    if (service->is_listed) {
      grpc__reflection__v1__service_response__init(&names[services.n_service]);
      names[services.n_service].name = service->name;
      list[services.n_service] = &names[services.n_service];
      services.n_service++;
    }
  }
  response->message_response_case = MESSAGE_CASE(LIST_SERVICES_RESPONSE);
  response->list_services_response = &services;
  rpc_call_send(call, &response->base);
  free(list);
  free(names);
}

// Our .proto files have no extensions.
static void answer_extensions(rpc_call_t *call, response_t *response, char *type) {
  if (find_symbol(type) == NULL) {
    answer_error(call, response, POD_NOT_FOUND, "no such type here");
    return;
  }
  Grpc__Reflection__V1__ExtensionNumberResponse numbers =
      GRPC__REFLECTION__V1__EXTENSION_NUMBER_RESPONSE__INIT;
  numbers.base_type_name = type;
  response->message_response_case = MESSAGE_CASE(ALL_EXTENSION_NUMBERS_RESPONSE);
  response->all_extension_numbers_response = &numbers;
  rpc_call_send(call, &response->base);
}

static void on_message(rpc_call_t *call, const void *message, void *context) {
  // Packing does not change what the response refers to.
  request_t *request = (request_t *)(uintptr_t)message;
  response_t response = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__INIT;
  response.valid_host = request->host;
  response.original_request = request;
  switch (request->message_request_case) {
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
      answer_file(call, &response, find_file(request->file_by_filename));
      break;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
      answer_file(call, &response, find_symbol(request->file_containing_symbol));
      break;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
      answer_services(call, &response, context);
      break;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
      answer_extensions(call, &response, request->all_extension_numbers_of_type);
      break;
    case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
      answer_error(call, &response, POD_NOT_FOUND, "no extensions here");
      break;
    default:
      answer_error(call, &response, POD_INVALID_ARGUMENT, "the request asks for nothing");
      break;
  }
  if (!rpc_call_is_writable(call)) {
    rpc_call_pause(call);  // A caller that asks and does not read waits.
  }
}

static void on_writable(rpc_call_t *call, void *context) {
  (void)context;
  rpc_call_resume(call);
}

static void on_half_close(rpc_call_t *call, void *context) {
  (void)context;
  rpc_call_finish(call, NULL);
}

void rpc_reflection_add(rpc_server_t *server) {
#define REFLECTION_METHODS(version)                                                \
  {                                                                                \
    {.path = "/grpc.reflection." version ".ServerReflection/ServerReflectionInfo", \
     .request = &grpc__reflection__v1__server_reflection_request__descriptor,      \
     .response = &grpc__reflection__v1__server_reflection_response__descriptor,    \
     .events = {.on_message = on_message,                                          \
                .on_half_close = on_half_close,                                    \
                .on_writable = on_writable},                                       \
     .is_idle = true,                                                              \
     .message_bytes_max = REQUEST_BYTES_MAX},                                      \
        {0},                                                                       \
  }
  static const rpc_method_t v1[] = REFLECTION_METHODS("v1");
  static const rpc_method_t v1alpha[] = REFLECTION_METHODS("v1alpha");
#undef REFLECTION_METHODS
  rpc_server_add_service(server, "grpc.reflection.v1.ServerReflection", v1, server);
  rpc_server_add_service(server, "grpc.reflection.v1alpha.ServerReflection", v1alpha,
                         server);
}
