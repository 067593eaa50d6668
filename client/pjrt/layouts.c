// The extension that tells layouts, as XLA prints them: "{2,1,0}", minor to major. There
// is one for every rank.

#include <stdlib.h>
#include <string.h>

#include "client/pjrt/plugin.h"
#include "common/base/memory.h"
#include "common/base/text.h"

struct PJRT_Layouts_MemoryLayout {
  char *text;
};

static PJRT_Layouts_MemoryLayout *make(int rank) {
  PJRT_Layouts_MemoryLayout *layout = pod_alloc(sizeof(*layout));
  pod_text_t text = {0};
  pod_text_add(&text, "{");
  for (int dim = rank - 1; dim >= 0; dim--) {
    pod_text_printf(&text, dim == 0 ? "%d" : "%d,", dim);
  }
  pod_text_add(&text, "}");
  layout->text = pod_text_take(&text);
  return layout;
}

static PJRT_Error *layout_destroy(PJRT_Layouts_MemoryLayout_Destroy_Args *args) {
  if (args->layout != NULL) {
    free(args->layout->text);
    free(args->layout);
  }
  return NULL;
}

static void keep_serialized(PJRT_Layouts_SerializedLayout *serialized) {
  (void)serialized;
}

// The bytes are the layout's own.
static PJRT_Error *layout_serialize(PJRT_Layouts_MemoryLayout_Serialize_Args *args) {
  args->serialized_bytes = args->layout->text;
  args->serialized_bytes_size = strlen(args->layout->text);
  args->serialized_layout = (PJRT_Layouts_SerializedLayout *)args->layout;
  args->serialized_layout_deleter = keep_serialized;
  return NULL;
}

static PJRT_Error *of_buffer(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args *args) {
  args->layout = make(args->buffer->shape.rank);
  return NULL;
}

static PJRT_Error *of_client(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args *args) {
  args->layout = make((int)args->num_dims);
  return NULL;
}

static PJRT_Error *of_topology(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args *args) {
  args->layout = make((int)args->num_dims);
  return NULL;
}

// The list belongs to the executable, its layouts to the caller.
static PJRT_Error *of_results(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args *args) {
  PJRT_Executable *executable = args->executable;
  const size_t count = (size_t)executable->info->result_count;
  for (size_t i = 0; i < count; i++) {
    executable->result_layouts[i] = make(executable->info->results[i].shape.rank);
  }
  args->num_outputs = count;
  args->layouts = executable->result_layouts;
  return NULL;
}

PJRT_Layouts_Extension pjrt_layouts_extension = {
    .base = {.struct_size = sizeof(PJRT_Layouts_Extension),
             .type = PJRT_Extension_Type_Layouts},
    .PJRT_Layouts_MemoryLayout_Destroy = layout_destroy,
    .PJRT_Layouts_MemoryLayout_Serialize = layout_serialize,
    .PJRT_Layouts_PJRT_Client_GetDefaultLayout = of_client,
    .PJRT_Layouts_PJRT_Buffer_MemoryLayout = of_buffer,
    .PJRT_Layouts_PJRT_Topology_GetDefaultLayout = of_topology,
    .PJRT_Layouts_PJRT_Executable_GetOutputLayouts = of_results,
};
