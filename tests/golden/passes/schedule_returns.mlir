// passes: place tasks=v5e:1x1
// What was brought to the host's memory comes back in the order in which it is read, two ahead: not a layer that is read last as soon as
// it has arrived there.
module {
  func.func @main(%x: tensor<8192x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16> {
    %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %ah = stablehlo.custom_call @MoveToHost(%a) : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %bh = stablehlo.custom_call @MoveToHost(%b) : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %c = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %ch = stablehlo.custom_call @MoveToHost(%c) : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %d = stablehlo.dot_general %c, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %cd = stablehlo.custom_call @MoveToDevice(%ch) : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %bd = stablehlo.custom_call @MoveToDevice(%bh) : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %ad = stablehlo.custom_call @MoveToDevice(%ah) : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %e = stablehlo.multiply %d, %cd : tensor<8192x1024xbf16>
    %f = stablehlo.dot_general %e, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %g = stablehlo.multiply %f, %bd : tensor<8192x1024xbf16>
    %h = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %i = stablehlo.multiply %h, %ad : tensor<8192x1024xbf16>
    return %i : tensor<8192x1024xbf16>
  }
}
// -----
module {
  func.func @main(%x: tensor<8192x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16> {
    %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %ah = "podium.to_host"(%a) {podium.async} : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %bh = "podium.to_host"(%b) {podium.async} : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %c = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %ch = "podium.to_host"(%c) {podium.async} : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %d = stablehlo.dot_general %c, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    "podium.async_done"(%ah, %a) : (tensor<8192x1024xbf16>, tensor<8192x1024xbf16>) -> ()
    "podium.async_done"(%bh, %b) : (tensor<8192x1024xbf16>, tensor<8192x1024xbf16>) -> ()
    "podium.async_done"(%ch, %c) : (tensor<8192x1024xbf16>, tensor<8192x1024xbf16>) -> ()
    %cd = "podium.to_device"(%ch) {podium.async} : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %bd = "podium.to_device"(%bh) {podium.async} : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    "podium.async_done"(%cd, %ch) : (tensor<8192x1024xbf16>, tensor<8192x1024xbf16>) -> ()
    %ad = "podium.to_device"(%ah) {podium.async} : (tensor<8192x1024xbf16>) -> tensor<8192x1024xbf16>
    %e = stablehlo.multiply %d, %cd : tensor<8192x1024xbf16>
    "podium.async_done"(%bd, %bh) : (tensor<8192x1024xbf16>, tensor<8192x1024xbf16>) -> ()
    %f = stablehlo.dot_general %e, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %g = stablehlo.multiply %f, %bd : tensor<8192x1024xbf16>
    "podium.async_done"(%ad, %ah) : (tensor<8192x1024xbf16>, tensor<8192x1024xbf16>) -> ()
    %h = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<8192x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<8192x1024xbf16>
    %i = stablehlo.multiply %h, %ad : tensor<8192x1024xbf16>
    return %i : tensor<8192x1024xbf16>
  }
}
tasks @main {
  dot_general.0: compute, mxu 17179869184, reads 18874368, writes 16777216
  to_host_start.0: transfer start, host 16777216, reads 16777216
  dot_general.1: compute, mxu 17179869184, reads 16777216, writes 16777216, vmem 2097152
  to_host_start.1: transfer start, host 16777216, reads 16777216
  dot_general.2: compute, mxu 17179869184, reads 16777216, writes 16777216, vmem 2097152
  to_host_start.2: transfer start, host 16777216, reads 16777216
  dot_general.3: compute, mxu 17179869184, reads 16777216, vmem 18874368
  to_host_done.0: transfer done for to_host.0
  to_host_done.1: transfer done for to_host.1
  to_host_done.2: transfer done for to_host.2
  to_device_start.0: transfer start, host 16777216, writes 16777216
  to_device_start.1: transfer start, host 16777216, writes 16777216
  to_device_done.0: transfer done for to_device.0
  to_device_start.2: transfer start, host 16777216, writes 16777216
  multiply.0: compute, vpu 8388608, reads 16777216, vmem 33554432
  to_device_done.1: transfer done for to_device.1
  fusion.0: compute of dot_general.4 multiply.1, mxu 17179869184, vpu 8388608, reads 16777216, beside 16777216, vmem 35651584
  to_device_done.2: transfer done for to_device.2
  fusion.1: compute of dot_general.5 multiply.2, mxu 17179869184, vpu 8388608, reads 16777216, beside 16777216, writes 16777216, vmem 18874368
}
