// PJRT's element types and libpodium's.

#include "client/pjrt/plugin.h"
#include "common/base/check.h"

static const struct {
  PJRT_Buffer_Type type;
  podium_dtype_t dtype;
} pairs[] = {
    {PJRT_Buffer_Type_PRED, PODIUM_PRED},
    {PJRT_Buffer_Type_S2, PODIUM_S2},
    {PJRT_Buffer_Type_S4, PODIUM_S4},
    {PJRT_Buffer_Type_S8, PODIUM_S8},
    {PJRT_Buffer_Type_S16, PODIUM_S16},
    {PJRT_Buffer_Type_S32, PODIUM_S32},
    {PJRT_Buffer_Type_S64, PODIUM_S64},
    {PJRT_Buffer_Type_U2, PODIUM_U2},
    {PJRT_Buffer_Type_U4, PODIUM_U4},
    {PJRT_Buffer_Type_U8, PODIUM_U8},
    {PJRT_Buffer_Type_U16, PODIUM_U16},
    {PJRT_Buffer_Type_U32, PODIUM_U32},
    {PJRT_Buffer_Type_U64, PODIUM_U64},
    {PJRT_Buffer_Type_F4E2M1FN, PODIUM_F4E2M1FN},
    {PJRT_Buffer_Type_F8E3M4, PODIUM_F8E3M4},
    {PJRT_Buffer_Type_F8E4M3, PODIUM_F8E4M3},
    {PJRT_Buffer_Type_F8E4M3FN, PODIUM_F8E4M3FN},
    {PJRT_Buffer_Type_F8E4M3FNUZ, PODIUM_F8E4M3FNUZ},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, PODIUM_F8E4M3B11FNUZ},
    {PJRT_Buffer_Type_F8E5M2, PODIUM_F8E5M2},
    {PJRT_Buffer_Type_F8E5M2FNUZ, PODIUM_F8E5M2FNUZ},
    {PJRT_Buffer_Type_F8E8M0FNU, PODIUM_F8E8M0FNU},
    {PJRT_Buffer_Type_BF16, PODIUM_BF16},
    {PJRT_Buffer_Type_F16, PODIUM_F16},
    {PJRT_Buffer_Type_F32, PODIUM_F32},
    {PJRT_Buffer_Type_F64, PODIUM_F64},
    {PJRT_Buffer_Type_C64, PODIUM_C64},
    {PJRT_Buffer_Type_C128, PODIUM_C128},
};

podium_dtype_t pjrt_dtype_of(PJRT_Buffer_Type type) {
  for (size_t i = 0; i < POD_COUNT_OF(pairs); i++) {
    if (pairs[i].type == type) {
      return pairs[i].dtype;
    }
  }
  return PODIUM_DTYPE_INVALID;
}

PJRT_Buffer_Type pjrt_buffer_type_of(podium_dtype_t dtype) {
  for (size_t i = 0; i < POD_COUNT_OF(pairs); i++) {
    if (pairs[i].dtype == dtype) {
      return pairs[i].type;
    }
  }
  return PJRT_Buffer_Type_INVALID;
}
