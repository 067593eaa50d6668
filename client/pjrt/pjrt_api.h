// The PJRT C API as Podium's plugin serves it: the public interface of openxla/xla
// (xla/pjrt/c/pjrt_c_api.h and three of its extensions), declared anew, without its
// comments, which say what each call means. Names, sizes and offsets are the interface's;
// tests/jax compares them, field by field, with the official header of a package that
// ships one.
//
// A struct begins with its size as its maker knows it: later minor versions only add
// fields at the end, so one that is smaller comes from an older caller, and what lies
// behind its size may be neither read nor written.

#ifndef CLIENT_PJRT_PJRT_API_H_
#define CLIENT_PJRT_PJRT_API_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PJRT_API_MAJOR = 0, PJRT_API_MINOR = 90 };

// clang-format off
#define PJRT_HEAD size_t struct_size; PJRT_Extension_Base *extension_start
// A call: the type of its arguments, NAME_Args, and of the function.
#define PJRT_CALL_(RESULT, NAME, ...) \
  typedef struct NAME##_Args { PJRT_HEAD; __VA_ARGS__; } NAME##_Args; \
  typedef RESULT NAME(NAME##_Args *args)
#define PJRT_CALL(NAME, ...) PJRT_CALL_(PJRT_Error *, NAME, __VA_ARGS__)
#define PJRT_VOID_CALL(NAME, ...) PJRT_CALL_(void, NAME, __VA_ARGS__)
#define PJRT_EMPTY_CALL(NAME) \
  typedef struct NAME##_Args { PJRT_HEAD; } NAME##_Args; \
  typedef PJRT_Error *NAME(NAME##_Args *args)

typedef enum {
  PJRT_Extension_Type_Gpu_Custom_Call = 0, PJRT_Extension_Type_Profiler,
  PJRT_Extension_Type_Custom_Partitioner, PJRT_Extension_Type_Stream, PJRT_Extension_Type_Layouts,
  PJRT_Extension_Type_FFI, PJRT_Extension_Type_MemoryDescriptions, PJRT_Extension_Type_Triton,
  PJRT_Extension_Type_RawBuffer, PJRT_Extension_Type_PhaseCompile, PJRT_Extension_Type_Example,
  PJRT_Extension_Type_Unknown, PJRT_Extension_Type_CrossHostTransfers,
  PJRT_Extension_Type_ExecutableMetadata, PJRT_Extension_Type_Callback,
  PJRT_Extension_Type_HostAllocator, PJRT_Extension_Type_TpuTopology, PJRT_Extension_Type_TpuExecutable,
  PJRT_Extension_Type_Megascale
} PJRT_Extension_Type;

typedef struct PJRT_Extension_Base {
  size_t struct_size; PJRT_Extension_Type type; struct PJRT_Extension_Base *next;
} PJRT_Extension_Base;

typedef struct PJRT_Api_Version {
  PJRT_HEAD; int major_version; int minor_version;
} PJRT_Api_Version;

typedef struct PJRT_Error PJRT_Error;
PJRT_VOID_CALL(PJRT_Error_Destroy, PJRT_Error *error);
PJRT_VOID_CALL(PJRT_Error_Message, const PJRT_Error *error; const char *message; size_t message_size);

typedef enum {
  PJRT_Error_Code_OK = 0, PJRT_Error_Code_CANCELLED = 1, PJRT_Error_Code_UNKNOWN = 2,
  PJRT_Error_Code_INVALID_ARGUMENT = 3, PJRT_Error_Code_DEADLINE_EXCEEDED = 4, PJRT_Error_Code_NOT_FOUND = 5, PJRT_Error_Code_ALREADY_EXISTS = 6, PJRT_Error_Code_PERMISSION_DENIED = 7,
  PJRT_Error_Code_RESOURCE_EXHAUSTED = 8, PJRT_Error_Code_FAILED_PRECONDITION = 9,
  PJRT_Error_Code_ABORTED = 10, PJRT_Error_Code_OUT_OF_RANGE = 11, PJRT_Error_Code_UNIMPLEMENTED = 12,
  PJRT_Error_Code_INTERNAL = 13, PJRT_Error_Code_UNAVAILABLE = 14, PJRT_Error_Code_DATA_LOSS = 15,
  PJRT_Error_Code_UNAUTHENTICATED = 16
} PJRT_Error_Code;

PJRT_CALL(PJRT_Error_GetCode, const PJRT_Error *error; PJRT_Error_Code code);
typedef PJRT_Error *(*PJRT_CallbackError)(PJRT_Error_Code code, const char *message, size_t message_size);

typedef enum {
  PJRT_NamedValue_kString = 0, PJRT_NamedValue_kInt64, PJRT_NamedValue_kInt64List,
  PJRT_NamedValue_kFloat, PJRT_NamedValue_kBool
} PJRT_NamedValue_Type;

typedef struct PJRT_NamedValue {
  PJRT_HEAD;
  const char *name;
  size_t name_size;
  PJRT_NamedValue_Type type;
  union {
    const char *string_value;
    int64_t int64_value;
    const int64_t *int64_array_value;
    float float_value;
    bool bool_value;
  };
  size_t value_size;
} PJRT_NamedValue;

PJRT_EMPTY_CALL(PJRT_Plugin_Initialize);
PJRT_CALL(PJRT_Plugin_Attributes, const PJRT_NamedValue *attributes; size_t num_attributes);
typedef struct PJRT_Event PJRT_Event;
PJRT_CALL(PJRT_Event_Destroy, PJRT_Event *event);
PJRT_CALL(PJRT_Event_IsReady, PJRT_Event *event; bool is_ready);
PJRT_CALL(PJRT_Event_Error, PJRT_Event *event);
PJRT_CALL(PJRT_Event_Await, PJRT_Event *event);
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error *error, void *user_arg);
PJRT_CALL(PJRT_Event_OnReady, PJRT_Event *event; PJRT_Event_OnReadyCallback callback; void *user_arg);
PJRT_CALL(PJRT_Event_Create, PJRT_Event *event);
PJRT_CALL(PJRT_Event_Set, PJRT_Event *event; PJRT_Error_Code error_code; const char *error_message;
    size_t error_message_size);
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_Memory PJRT_Memory;
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;
typedef struct PJRT_Executable PJRT_Executable;
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_FulfillAliasBufferCallback PJRT_FulfillAliasBufferCallback;
typedef struct PJRT_AsyncHostToDeviceTransferManager PJRT_AsyncHostToDeviceTransferManager;
typedef struct PJRT_PhaseCompiler PJRT_PhaseCompiler;
typedef void (*PJRT_KeyValueGetCallback_ValueDeleter)(char *value);

typedef struct PJRT_KeyValueGetCallback_Args {
  PJRT_HEAD; const char *key; size_t key_size; int timeout_in_ms; PJRT_CallbackError *callback_error;
    void *user_arg; char *value; size_t value_size;
    PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;
} PJRT_KeyValueGetCallback_Args;

typedef PJRT_Error *(*PJRT_KeyValueGetCallback)(PJRT_KeyValueGetCallback_Args *args);
typedef void (*PJRT_KeyValueTryGetCallback_ValueDeleter)(char *value);

typedef struct PJRT_KeyValueTryGetCallback_Args {
  PJRT_HEAD; const char *key; size_t key_size; PJRT_CallbackError *callback_error; void *user_arg;
    char *value; size_t value_size; PJRT_KeyValueTryGetCallback_ValueDeleter value_deleter_callback;
} PJRT_KeyValueTryGetCallback_Args;

typedef PJRT_Error *(*PJRT_KeyValueTryGetCallback)(PJRT_KeyValueTryGetCallback_Args *args);

typedef struct PJRT_KeyValuePutCallback_Args {
  PJRT_HEAD; const char *key; size_t key_size; const char *value; size_t value_size;
    PJRT_CallbackError *callback_error; void *user_arg;
} PJRT_KeyValuePutCallback_Args;

typedef PJRT_Error *(*PJRT_KeyValuePutCallback)(PJRT_KeyValuePutCallback_Args *args);
PJRT_CALL(PJRT_Client_Create, const PJRT_NamedValue *create_options; size_t num_options;
    PJRT_KeyValueGetCallback kv_get_callback; void *kv_get_user_arg;
    PJRT_KeyValuePutCallback kv_put_callback; void *kv_put_user_arg; PJRT_Client *client;
    PJRT_KeyValueTryGetCallback kv_try_get_callback; void *kv_try_get_user_arg);
PJRT_CALL(PJRT_Client_Destroy, PJRT_Client *client);
PJRT_CALL(PJRT_Client_PlatformName, PJRT_Client *client; const char *platform_name;
    size_t platform_name_size);
PJRT_CALL(PJRT_Client_ProcessIndex, PJRT_Client *client; int process_index);
PJRT_CALL(PJRT_Client_PlatformVersion, PJRT_Client *client; const char *platform_version;
    size_t platform_version_size);
PJRT_CALL(PJRT_Client_TopologyDescription, PJRT_Client *client; PJRT_TopologyDescription *topology);
PJRT_CALL(PJRT_Client_Devices, PJRT_Client *client; PJRT_Device *const *devices; size_t num_devices);
PJRT_CALL(PJRT_Client_AddressableDevices, PJRT_Client *client; PJRT_Device *const *addressable_devices;
    size_t num_addressable_devices);
PJRT_CALL(PJRT_Client_LookupDevice, PJRT_Client *client; int id; PJRT_Device *device);
PJRT_CALL(PJRT_Client_LookupAddressableDevice, PJRT_Client *client; int local_hardware_id;
    PJRT_Device *addressable_device);

typedef enum {
  PJRT_ProcessState_kUnspecified = 0, PJRT_ProcessState_kUninitialized = 1,
  PJRT_ProcessState_kDisconnected = 2, PJRT_ProcessState_kConnected = 3, PJRT_ProcessState_kError = 4
} PJRT_ProcessState;

typedef struct PJRT_ProcessInfo {
  size_t struct_size; int task_id; uint64_t incarnation_id; PJRT_ProcessState state; int error_code;
    const char *error_message; size_t error_message_size;
} PJRT_ProcessInfo;

PJRT_CALL(PJRT_Client_UpdateGlobalProcessInfo, PJRT_Client *client; PJRT_ProcessInfo *process_infos;
    size_t num_process_infos);
PJRT_CALL(PJRT_Client_AddressableMemories, PJRT_Client *client; PJRT_Memory *const *addressable_memories;
    size_t num_addressable_memories);

typedef struct PJRT_Program {
  PJRT_HEAD; char *code; size_t code_size; const char *format; size_t format_size;
} PJRT_Program;

PJRT_CALL(PJRT_Client_Compile, PJRT_Client *client; const PJRT_Program *program;
    const char *compile_options; size_t compile_options_size; PJRT_LoadedExecutable *executable);
PJRT_CALL(PJRT_Client_DefaultDeviceAssignment, PJRT_Client *client; int num_replicas; int num_partitions;
    size_t default_assignment_size; int *default_assignment);
PJRT_CALL(PJRT_Client_DmaMap, PJRT_Client *client; void *data; size_t size);
PJRT_CALL(PJRT_Client_DmaUnmap, PJRT_Client *client; void *data);
PJRT_CALL(PJRT_AsyncHostToDeviceTransferManager_Destroy,
    PJRT_AsyncHostToDeviceTransferManager *transfer_manager);
PJRT_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData,
    PJRT_AsyncHostToDeviceTransferManager *transfer_manager; int buffer_index; const void *data;
    int64_t offset; int64_t transfer_size; bool is_last_transfer; PJRT_Event *done_with_h2d_transfer);
PJRT_CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer,
    PJRT_AsyncHostToDeviceTransferManager *transfer_manager; int buffer_index; PJRT_Buffer *buffer_out);
PJRT_CALL(PJRT_AsyncHostToDeviceTransferManager_Device,
    PJRT_AsyncHostToDeviceTransferManager *transfer_manager; PJRT_Device *device_out);
PJRT_CALL(PJRT_AsyncHostToDeviceTransferManager_BufferCount,
    PJRT_AsyncHostToDeviceTransferManager *transfer_manager; size_t buffer_count);
PJRT_CALL(PJRT_AsyncHostToDeviceTransferManager_BufferSize,
    PJRT_AsyncHostToDeviceTransferManager *transfer_manager; int buffer_index; size_t buffer_size);
PJRT_CALL(PJRT_AsyncHostToDeviceTransferManager_SetBufferError,
    PJRT_AsyncHostToDeviceTransferManager *transfer_manager; int buffer_index; PJRT_Error_Code error_code;
    const char *error_message; size_t error_message_size);
PJRT_CALL(PJRT_AsyncHostToDeviceTransferManager_AddMetadata,
    PJRT_AsyncHostToDeviceTransferManager *transfer_manager; const PJRT_NamedValue *transfer_metadata;
    size_t num_metadata);

typedef enum {
  PJRT_Buffer_Type_INVALID, PJRT_Buffer_Type_PRED, PJRT_Buffer_Type_S8, PJRT_Buffer_Type_S16,
  PJRT_Buffer_Type_S32, PJRT_Buffer_Type_S64, PJRT_Buffer_Type_U8, PJRT_Buffer_Type_U16,
  PJRT_Buffer_Type_U32, PJRT_Buffer_Type_U64, PJRT_Buffer_Type_F16, PJRT_Buffer_Type_F32,
  PJRT_Buffer_Type_F64, PJRT_Buffer_Type_BF16, PJRT_Buffer_Type_C64, PJRT_Buffer_Type_C128,
  PJRT_Buffer_Type_F8E5M2, PJRT_Buffer_Type_F8E4M3FN, PJRT_Buffer_Type_F8E4M3B11FNUZ,
  PJRT_Buffer_Type_F8E5M2FNUZ, PJRT_Buffer_Type_F8E4M3FNUZ, PJRT_Buffer_Type_S4, PJRT_Buffer_Type_U4,
  PJRT_Buffer_Type_TOKEN, PJRT_Buffer_Type_S2, PJRT_Buffer_Type_U2, PJRT_Buffer_Type_F8E4M3,
  PJRT_Buffer_Type_F8E3M4, PJRT_Buffer_Type_F8E8M0FNU, PJRT_Buffer_Type_F4E2M1FN
} PJRT_Buffer_Type;

typedef enum {
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
  PJRT_HostBufferSemantics_kImmutableZeroCopy, PJRT_HostBufferSemantics_kMutableZeroCopy
} PJRT_HostBufferSemantics;

typedef enum {
  PJRT_Buffer_MemoryLayout_Type_Tiled = 0, PJRT_Buffer_MemoryLayout_Type_Strides
} PJRT_Buffer_MemoryLayout_Type;

typedef struct PJRT_Buffer_MemoryLayout_Tiled {
  PJRT_HEAD; const int64_t *minor_to_major; size_t minor_to_major_size; const int64_t *tile_dims;
    const size_t *tile_dim_sizes; size_t num_tiles;
} PJRT_Buffer_MemoryLayout_Tiled;

typedef struct PJRT_Buffer_MemoryLayout_Strides {
  PJRT_HEAD; const int64_t *byte_strides; size_t num_byte_strides;
} PJRT_Buffer_MemoryLayout_Strides;

typedef struct PJRT_Buffer_MemoryLayout {
  PJRT_HEAD;
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  PJRT_Buffer_MemoryLayout_Type type;
} PJRT_Buffer_MemoryLayout;

PJRT_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral,
    PJRT_AsyncHostToDeviceTransferManager *transfer_manager; int buffer_index; const void *data;
    const int64_t *shape_dims; size_t shape_num_dims; PJRT_Buffer_Type shape_element_type;
    PJRT_Buffer_MemoryLayout *shape_layout; PJRT_Event *done_with_h2d_transfer);
PJRT_CALL(PJRT_Client_CreateUninitializedBuffer, PJRT_Client *client; const int64_t *shape_dims;
    size_t shape_num_dims; PJRT_Buffer_Type shape_element_type; PJRT_Buffer_MemoryLayout *shape_layout;
    PJRT_Device *device; PJRT_Memory *memory; PJRT_Buffer *buffer);
PJRT_CALL(PJRT_Client_CreateErrorBuffer, PJRT_Client *client; PJRT_Error_Code error_code;
    const char *error_message; size_t error_message_size; const int64_t *shape_dims; size_t shape_num_dims;
    PJRT_Buffer_Type shape_element_type; PJRT_Buffer_MemoryLayout *shape_layout; PJRT_Memory *memory;
    PJRT_Buffer *buffer);
PJRT_CALL(PJRT_Client_CreateAliasBuffer, PJRT_Client *client; PJRT_Memory *memory;
    const int64_t *shape_dims; size_t shape_num_dims; PJRT_Buffer_Type shape_element_type;
    PJRT_Buffer_MemoryLayout *shape_layout; PJRT_Buffer *alias_buffer;
    PJRT_FulfillAliasBufferCallback *fulfill_alias_buffer_cb);
PJRT_CALL(PJRT_Client_FulfillAliasBuffer, PJRT_Client *client; PJRT_Buffer *buffer;
    PJRT_Error_Code status_code; const char *error_message; size_t error_message_size;
    PJRT_FulfillAliasBufferCallback *fulfill_alias_buffer_cb);
PJRT_CALL(PJRT_Client_BufferFromHostBuffer, PJRT_Client *client; const void *data; PJRT_Buffer_Type type;
    const int64_t *dims; size_t num_dims; const int64_t *byte_strides; size_t num_byte_strides;
    PJRT_HostBufferSemantics host_buffer_semantics; PJRT_Device *device; PJRT_Memory *memory;
    PJRT_Buffer_MemoryLayout *device_layout; PJRT_Event *done_with_host_buffer; PJRT_Buffer *buffer);
PJRT_CALL(PJRT_Client_CreateViewOfDeviceBuffer, PJRT_Client *client; void *device_buffer_ptr;
    const int64_t *dims; size_t num_dims; PJRT_Buffer_Type element_type; PJRT_Buffer_MemoryLayout *layout;
    PJRT_Device *device; void (*on_delete_callback)(void *device_buffer_ptr, void *user_arg);
    void *on_delete_callback_arg; intptr_t stream; PJRT_Buffer *buffer; PJRT_Memory *memory);

typedef struct PJRT_ShapeSpec {
  PJRT_HEAD; const int64_t *dims; size_t num_dims; PJRT_Buffer_Type element_type;
} PJRT_ShapeSpec;

PJRT_CALL(PJRT_Client_CreateBuffersForAsyncHostToDevice, PJRT_Client *client; PJRT_ShapeSpec *shape_specs;
    size_t num_shape_specs; PJRT_Buffer_MemoryLayout **device_layouts; size_t num_device_layouts;
    PJRT_Memory *memory; PJRT_AsyncHostToDeviceTransferManager *transfer_manager);
PJRT_CALL(PJRT_DeviceDescription_Id, PJRT_DeviceDescription *device_description; int id);
PJRT_CALL(PJRT_DeviceDescription_ProcessIndex, PJRT_DeviceDescription *device_description; int process_index);
PJRT_CALL(PJRT_DeviceDescription_Attributes, PJRT_DeviceDescription *device_description;
    size_t num_attributes; const PJRT_NamedValue *attributes);
PJRT_CALL(PJRT_DeviceDescription_Kind, PJRT_DeviceDescription *device_description; const char *device_kind;
    size_t device_kind_size);
PJRT_CALL(PJRT_DeviceDescription_DebugString, PJRT_DeviceDescription *device_description;
    const char *debug_string; size_t debug_string_size);
PJRT_CALL(PJRT_DeviceDescription_ToString, PJRT_DeviceDescription *device_description;
    const char *to_string; size_t to_string_size);
PJRT_CALL(PJRT_Device_GetDescription, PJRT_Device *device; PJRT_DeviceDescription *device_description);
PJRT_CALL(PJRT_Device_IsAddressable, PJRT_Device *device; bool is_addressable);
PJRT_CALL(PJRT_Device_LocalHardwareId, PJRT_Device *device; int local_hardware_id);
PJRT_CALL(PJRT_Device_AddressableMemories, PJRT_Device *device; PJRT_Memory *const *memories;
    size_t num_memories);
PJRT_CALL(PJRT_Device_DefaultMemory, PJRT_Device *device; PJRT_Memory *memory);
PJRT_CALL(PJRT_Device_MemoryStats, PJRT_Device *device; int64_t bytes_in_use; int64_t peak_bytes_in_use;
    bool peak_bytes_in_use_is_set; int64_t num_allocs; bool num_allocs_is_set; int64_t largest_alloc_size;
    bool largest_alloc_size_is_set; int64_t bytes_limit; bool bytes_limit_is_set; int64_t bytes_reserved;
    bool bytes_reserved_is_set; int64_t peak_bytes_reserved; bool peak_bytes_reserved_is_set;
    int64_t bytes_reservable_limit; bool bytes_reservable_limit_is_set; int64_t largest_free_block_bytes;
    bool largest_free_block_bytes_is_set; int64_t pool_bytes; bool pool_bytes_is_set;
    int64_t peak_pool_bytes; bool peak_pool_bytes_is_set);
PJRT_CALL(PJRT_Device_PoisonExecution, PJRT_Device *device; int32_t launch_id; PJRT_Error_Code error_code;
    const char *error_message; size_t error_message_size; bool poisoned);
typedef struct PJRT_AsyncTrackingEvent PJRT_AsyncTrackingEvent;
PJRT_CALL(PJRT_Device_CreateAsyncTrackingEvent, PJRT_Device *device; const char *description;
    size_t description_size; PJRT_AsyncTrackingEvent *event);
PJRT_CALL(PJRT_AsyncTrackingEvent_Destroy, PJRT_AsyncTrackingEvent *event);
PJRT_CALL(PJRT_Memory_Id, PJRT_Memory *memory; int id);
PJRT_CALL(PJRT_Memory_Kind, PJRT_Memory *memory; const char *kind; size_t kind_size);
PJRT_CALL(PJRT_Memory_Kind_Id, PJRT_Memory *memory; int kind_id);
PJRT_CALL(PJRT_Memory_DebugString, PJRT_Memory *memory; const char *debug_string; size_t debug_string_size);
PJRT_CALL(PJRT_Memory_ToString, PJRT_Memory *memory; const char *to_string; size_t to_string_size);
PJRT_CALL(PJRT_Memory_AddressableByDevices, PJRT_Memory *memory; PJRT_Device *const *devices;
    size_t num_devices);
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
PJRT_CALL(PJRT_ExecuteContext_Create, PJRT_ExecuteContext *context);
PJRT_CALL(PJRT_ExecuteContext_Destroy, PJRT_ExecuteContext *context);
PJRT_CALL(PJRT_Executable_Destroy, PJRT_Executable *executable);
PJRT_CALL(PJRT_LoadedExecutable_Destroy, PJRT_LoadedExecutable *executable);
PJRT_CALL(PJRT_LoadedExecutable_GetExecutable, PJRT_LoadedExecutable *loaded_executable;
    PJRT_Executable *executable);
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;
PJRT_CALL(PJRT_LoadedExecutable_GetDeviceAssignment, PJRT_LoadedExecutable *executable;
    const char *serialized_bytes; size_t serialized_bytes_size;
    PJRT_DeviceAssignmentSerialized *serialized_device_assignment;
    void (*serialized_device_assignment_deleter)(PJRT_DeviceAssignmentSerialized *da));
PJRT_CALL(PJRT_Executable_Name, PJRT_Executable *executable; const char *executable_name;
    size_t executable_name_size);
PJRT_CALL(PJRT_Executable_NumReplicas, PJRT_Executable *executable; size_t num_replicas);
PJRT_CALL(PJRT_Executable_NumPartitions, PJRT_Executable *executable; size_t num_partitions);
PJRT_CALL(PJRT_LoadedExecutable_AddressableDevices, PJRT_LoadedExecutable *executable;
    PJRT_Device *const *addressable_devices; size_t num_addressable_devices);
PJRT_CALL(PJRT_Executable_OptimizedProgram, PJRT_Executable *executable; PJRT_Program *program);
PJRT_CALL(PJRT_LoadedExecutable_Delete, PJRT_LoadedExecutable *executable);
PJRT_CALL(PJRT_LoadedExecutable_IsDeleted, PJRT_LoadedExecutable *executable; bool is_deleted);

typedef struct PJRT_Chunk {
  void *data; size_t size; void (*deleter)(void *data, void *deleter_arg); void *deleter_arg;
} PJRT_Chunk;

typedef struct PJRT_CopyToDeviceStream PJRT_CopyToDeviceStream;
typedef PJRT_Error *(*PJRT_SendCallback)(PJRT_Chunk *chunk, PJRT_CallbackError *callback_error, size_t total_size_in_bytes, bool done, void *user_arg);
typedef void (*PJRT_RecvCallback)(PJRT_CopyToDeviceStream *stream, void *user_arg);

typedef struct PJRT_SendCallbackInfo {
  int64_t channel_id; void *user_arg; PJRT_SendCallback send_callback;
} PJRT_SendCallbackInfo;

typedef struct PJRT_RecvCallbackInfo {
  int64_t channel_id; void *user_arg; PJRT_RecvCallback recv_callback;
} PJRT_RecvCallbackInfo;

typedef struct PJRT_ExecuteOptions {
  PJRT_HEAD; PJRT_SendCallbackInfo **send_callbacks; PJRT_RecvCallbackInfo **recv_callbacks;
    size_t num_send_ops; size_t num_recv_ops; int launch_id; const int64_t *non_donatable_input_indices;
    size_t num_non_donatable_input_indices; PJRT_ExecuteContext *context; const char *call_location;
    size_t num_tasks; int *task_ids; int64_t *incarnation_ids;
} PJRT_ExecuteOptions;

PJRT_CALL(PJRT_LoadedExecutable_Execute, PJRT_LoadedExecutable *executable; PJRT_ExecuteOptions *options;
    PJRT_Buffer *const *const *argument_lists; size_t num_devices; size_t num_args;
    PJRT_Buffer **const *output_lists; PJRT_Event **device_complete_events; PJRT_Device *execute_device);
PJRT_CALL(PJRT_Executable_NumOutputs, PJRT_Executable *executable; size_t num_outputs);
PJRT_CALL(PJRT_Executable_SizeOfGeneratedCodeInBytes, PJRT_Executable *executable; int64_t size_in_bytes);
PJRT_CALL(PJRT_Executable_Fingerprint, PJRT_Executable *executable; const char *executable_fingerprint;
    size_t executable_fingerprint_size);
PJRT_CALL(PJRT_Executable_GetCostAnalysis, PJRT_Executable *executable; size_t num_properties;
    const PJRT_NamedValue *properties);
PJRT_CALL(PJRT_Executable_GetCompiledMemoryStats, PJRT_Executable *executable;
    int64_t generated_code_size_in_bytes; int64_t argument_size_in_bytes; int64_t output_size_in_bytes;
    int64_t alias_size_in_bytes; int64_t temp_size_in_bytes; int64_t host_generated_code_size_in_bytes;
    int64_t host_argument_size_in_bytes; int64_t host_output_size_in_bytes;
    int64_t host_alias_size_in_bytes; int64_t host_temp_size_in_bytes; int64_t peak_memory_in_bytes;
    int64_t total_size_in_bytes);
PJRT_CALL(PJRT_Executable_OutputElementTypes, PJRT_Executable *executable; PJRT_Buffer_Type *output_types;
    size_t num_output_types);
PJRT_CALL(PJRT_Executable_OutputDimensions, PJRT_Executable *executable; size_t num_outputs;
    const int64_t *dims; const size_t *dim_sizes);
PJRT_CALL(PJRT_Executable_OutputMemoryKinds, PJRT_Executable *executable; size_t num_outputs;
    const char *const *memory_kinds; const size_t *memory_kind_sizes);
typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;
typedef struct PJRT_SerializedCompileOptions PJRT_SerializedCompileOptions;
PJRT_CALL(PJRT_Executable_Serialize, const PJRT_Executable *executable; const char *serialized_bytes;
    size_t serialized_bytes_size; PJRT_SerializedExecutable *serialized_executable;
    void (*serialized_executable_deleter)(PJRT_SerializedExecutable *exec));
PJRT_CALL(PJRT_Executable_GetCompileOptions, PJRT_Executable *executable; const char *serialized_bytes;
    size_t serialized_bytes_size; PJRT_SerializedCompileOptions *serialized_compile_options;
    void (*serialized_compile_options_deleter)(PJRT_SerializedCompileOptions *options));
PJRT_CALL(PJRT_Executable_DeserializeAndLoad, PJRT_Client *client; const char *serialized_executable;
    size_t serialized_executable_size; PJRT_LoadedExecutable *loaded_executable;
    const char *overridden_serialized_compile_options; size_t overridden_serialized_compile_options_size);
PJRT_CALL(PJRT_LoadedExecutable_Fingerprint, PJRT_LoadedExecutable *executable;
    const char *executable_fingerprint; size_t executable_fingerprint_size);
PJRT_CALL(PJRT_Buffer_Destroy, PJRT_Buffer *buffer);
PJRT_CALL(PJRT_Buffer_ElementType, PJRT_Buffer *buffer; PJRT_Buffer_Type type);
PJRT_CALL(PJRT_Buffer_Dimensions, PJRT_Buffer *buffer; const int64_t *dims; size_t num_dims);
PJRT_CALL(PJRT_Buffer_UnpaddedDimensions, PJRT_Buffer *buffer; const int64_t *unpadded_dims; size_t num_dims);
PJRT_CALL(PJRT_Buffer_DynamicDimensionIndices, PJRT_Buffer *buffer; const size_t *dynamic_dim_indices;
    size_t num_dynamic_dims);
PJRT_CALL(PJRT_Buffer_GetMemoryLayout, PJRT_Buffer *buffer; PJRT_Buffer_MemoryLayout layout);
PJRT_CALL(PJRT_Buffer_ToHostBuffer, PJRT_Buffer *src; PJRT_Buffer_MemoryLayout *host_layout; void *dst;
    size_t dst_size; PJRT_Event *event);
PJRT_CALL(PJRT_Buffer_OnDeviceSizeInBytes, PJRT_Buffer *buffer; size_t on_device_size_in_bytes);
PJRT_CALL(PJRT_Buffer_Delete, PJRT_Buffer *buffer);
PJRT_CALL(PJRT_Buffer_IsDeleted, PJRT_Buffer *buffer; bool is_deleted);
PJRT_CALL(PJRT_Buffer_CopyRawToHost, PJRT_Buffer *buffer; void *dst; int64_t offset; int64_t transfer_size;
    PJRT_Event *event);

typedef struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
  size_t struct_size; void *callback_data; PJRT_Error_Code error_code; const char *error_message;
    size_t error_message_size; void *dst;
} PJRT_Buffer_CopyRawToHostFuture_Callback_Args;

PJRT_CALL(PJRT_Buffer_CopyRawToHostFuture, PJRT_Buffer *buffer; int64_t offset; int64_t transfer_size;
    PJRT_Event *event; void *callback_data;
    void (*future_ready_callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args *args));
PJRT_CALL(PJRT_Buffer_CopyToDevice, PJRT_Buffer *buffer; PJRT_Device *dst_device; PJRT_Buffer *dst_buffer);
PJRT_CALL(PJRT_Buffer_CopyToMemory, PJRT_Buffer *buffer; PJRT_Memory *dst_memory; PJRT_Buffer *dst_buffer);
PJRT_CALL(PJRT_Buffer_IsOnCpu, PJRT_Buffer *buffer; bool is_on_cpu);
PJRT_CALL(PJRT_Buffer_Device, PJRT_Buffer *buffer; PJRT_Device *device);
PJRT_CALL(PJRT_Buffer_Memory, PJRT_Buffer *buffer; PJRT_Memory *memory);
PJRT_CALL(PJRT_Buffer_ReadyEvent, PJRT_Buffer *buffer; PJRT_Event *event);
PJRT_CALL(PJRT_Buffer_UnsafePointer, PJRT_Buffer *buffer; uintptr_t buffer_pointer);
PJRT_CALL(PJRT_Buffer_IncreaseExternalReferenceCount, PJRT_Buffer *buffer);
PJRT_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, PJRT_Buffer *buffer);
PJRT_CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, PJRT_Buffer *buffer; void *device_memory_ptr);

typedef struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
  size_t struct_size; void *callback_data; PJRT_Error_Code error_code; const char *error_message;
    size_t error_message_size;
} PJRT_Buffer_DonateWithControlDependency_Callback_Args;

PJRT_CALL(PJRT_Buffer_DonateWithControlDependency, PJRT_Buffer *buffer; void *callback_data;
    void (*dependency_ready_callback)(PJRT_Buffer_DonateWithControlDependency_Callback_Args *args);
    PJRT_Buffer *out_buffer);
PJRT_CALL(PJRT_CopyToDeviceStream_Destroy, PJRT_CopyToDeviceStream *stream);
PJRT_CALL(PJRT_CopyToDeviceStream_AddChunk, PJRT_CopyToDeviceStream *stream; PJRT_Chunk *chunk;
    PJRT_Event *transfer_complete);
PJRT_CALL(PJRT_CopyToDeviceStream_TotalBytes, PJRT_CopyToDeviceStream *stream; int64_t total_bytes);
PJRT_CALL(PJRT_CopyToDeviceStream_GranuleSize, PJRT_CopyToDeviceStream *stream;
    int64_t granule_size_in_bytes);
PJRT_CALL(PJRT_CopyToDeviceStream_CurrentBytes, PJRT_CopyToDeviceStream *stream; int64_t current_bytes);
PJRT_CALL(PJRT_TopologyDescription_Create, const char *topology_name; size_t topology_name_size;
    const PJRT_NamedValue *create_options; size_t num_options; PJRT_TopologyDescription *topology);
PJRT_CALL(PJRT_TopologyDescription_Destroy, PJRT_TopologyDescription *topology);
PJRT_CALL(PJRT_TopologyDescription_PlatformVersion, PJRT_TopologyDescription *topology;
    const char *platform_version; size_t platform_version_size);
PJRT_CALL(PJRT_TopologyDescription_PlatformName, const PJRT_TopologyDescription *topology;
    const char *platform_name; size_t platform_name_size);
PJRT_CALL(PJRT_TopologyDescription_GetDeviceDescriptions, const PJRT_TopologyDescription *topology;
    PJRT_DeviceDescription *const *descriptions; size_t num_descriptions);
typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;
PJRT_CALL(PJRT_TopologyDescription_Serialize, PJRT_TopologyDescription *topology;
    const char *serialized_bytes; size_t serialized_bytes_size;
    PJRT_SerializedTopology *serialized_topology;
    void (*serialized_topology_deleter)(PJRT_SerializedTopology *serialized_topology));
PJRT_CALL(PJRT_TopologyDescription_Deserialize, const char *serialized_topology;
    size_t serialized_topology_size; PJRT_TopologyDescription *topology);
PJRT_CALL(PJRT_TopologyDescription_Attributes, PJRT_TopologyDescription *topology;
    const PJRT_NamedValue *attributes; size_t num_attributes);
PJRT_CALL(PJRT_Compile, const PJRT_TopologyDescription *topology; const PJRT_Program *program;
    const char *compile_options; size_t compile_options_size; PJRT_Client *client;
    PJRT_Executable *executable);

typedef struct PJRT_Api {
  size_t struct_size; PJRT_Extension_Base *extension_start; PJRT_Api_Version pjrt_api_version;
#define IMPLEMENTED(NAME, FUNCTION) NAME *NAME;
#define UNIMPLEMENTED(NAME) NAME *NAME;
#include "client/pjrt/functions.def"
#undef IMPLEMENTED
#undef UNIMPLEMENTED
} PJRT_Api;

// --- Extension: layouts ---

typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;
PJRT_CALL(PJRT_Layouts_MemoryLayout_Destroy, PJRT_Layouts_MemoryLayout *layout);
PJRT_CALL(PJRT_Layouts_MemoryLayout_Serialize, PJRT_Layouts_MemoryLayout *layout; const char *serialized_bytes;
    size_t serialized_bytes_size; PJRT_Layouts_SerializedLayout *serialized_layout;
    void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout *s_layout));
PJRT_CALL(PJRT_Layouts_PJRT_Buffer_MemoryLayout, PJRT_Buffer *buffer; PJRT_Layouts_MemoryLayout *layout);
PJRT_CALL(PJRT_Layouts_PJRT_Client_GetDefaultLayout, PJRT_Client *client; PJRT_Buffer_Type type;
    const int64_t *dims; size_t num_dims; PJRT_Layouts_MemoryLayout *layout);
PJRT_CALL(PJRT_Layouts_PJRT_Topology_GetDefaultLayout, PJRT_TopologyDescription *topology_description;
    PJRT_Buffer_Type type; const int64_t *dims; size_t num_dims; PJRT_Layouts_MemoryLayout *layout);
PJRT_CALL(PJRT_Layouts_PJRT_Executable_GetOutputLayouts, PJRT_Executable *executable; size_t num_outputs;
    PJRT_Layouts_MemoryLayout **layouts);
typedef struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  PJRT_Layouts_MemoryLayout_Destroy *PJRT_Layouts_MemoryLayout_Destroy;
  PJRT_Layouts_MemoryLayout_Serialize *PJRT_Layouts_MemoryLayout_Serialize;
  PJRT_Layouts_PJRT_Client_GetDefaultLayout *PJRT_Layouts_PJRT_Client_GetDefaultLayout;
  PJRT_Layouts_PJRT_Buffer_MemoryLayout *PJRT_Layouts_PJRT_Buffer_MemoryLayout;
  PJRT_Layouts_PJRT_Topology_GetDefaultLayout *PJRT_Layouts_PJRT_Topology_GetDefaultLayout;
  PJRT_Layouts_PJRT_Executable_GetOutputLayouts *PJRT_Layouts_PJRT_Executable_GetOutputLayouts;
} PJRT_Layouts_Extension;

// --- Extension: memory descriptions ---

typedef struct PJRT_MemoryDescription PJRT_MemoryDescription;
PJRT_CALL(PJRT_DeviceDescription_MemoryDescriptions, PJRT_DeviceDescription *device_description;
    const PJRT_MemoryDescription *const *memory_descriptions; size_t num_memory_descriptions;
    size_t default_memory_index);
PJRT_CALL(PJRT_MemoryDescription_Kind, const PJRT_MemoryDescription *memory_description; const char *kind;
    size_t kind_size; int kind_id);
typedef struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_DeviceDescription_MemoryDescriptions *PJRT_DeviceDescription_MemoryDescriptions;
  PJRT_MemoryDescription_Kind *PJRT_MemoryDescription_Kind;
} PJRT_MemoryDescriptions_Extension;
// clang-format on

// The plugin's only symbol. The table is a constant of the process.
__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi(void);

#endif  // CLIENT_PJRT_PJRT_API_H_
