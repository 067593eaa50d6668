// How much HBM an array takes: XLA lays arrays out in tiles and pads them.
//
// The last two dimensions are padded to tiles of 8·(32 / bits) sublanes by 128 lanes:
// (8,128) of 32-bit, (16,128) of 16-bit, (32,128) of 8-bit elements; elements above 32
// bits are laid out as several 32-bit ones. A second-to-last dimension smaller than the
// tile gets the smallest tile of 1, 2, 4 … sublanes that holds it, as XLA chooses it
// ("T(2,128)"). A vector is padded to 128 lanes. (Source: the shapes with tiles that XLA
// prints, and the padding rule of the specifications' notes.)
//
// Threading: pure.

#ifndef SERVER_CHIP_TILES_H_
#define SERVER_CHIP_TILES_H_

#include <stdint.h>

#include "common/tensor/shape.h"

enum { CHIP_LANES = 128, CHIP_SUBLANES = 8 };

// Bytes in HBM, padding included; saturates at INT64_MAX. 0 when the array has no
// elements; a scalar takes its own bytes.
int64_t chip_tiled_bytes(const tensor_shape_t *shape);

#endif  // SERVER_CHIP_TILES_H_
