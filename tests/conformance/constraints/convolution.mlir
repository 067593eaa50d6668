// constraints: 34
// C28-C34: quantized types are UNIMPLEMENTED

// -----
// accepted: windows of every kind
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// accepted: only what there must be
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x3x7x8xf32>
  return
}

// -----
// accepted: groups of features
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x3x8xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x3x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// accepted: groups of the batch
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<1x7x4x8xf32>
  return
}

// -----
// C1: rank(lhs) = rank(rhs)
func.func @main(%a: tensor<2x4x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the operands have rank 3 and 4; they must be the same}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C1: N is at least 2
func.func @main(%a: tensor<6xf32>, %b: tensor<6xf32>) {
  // expected-error@+1 {{has rank 1; it needs at least 2}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----
// C2: size(window_strides) = N - 2
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'window_strides' has 1 values; 2 are needed}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C3: 0 < window_strides
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'window_strides' is 0 in dimension 1; it must be positive}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 0>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C4: shape(padding) = [N - 2, 2]: rows
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'padding' is tensor<1x2xi64>; it must be 2x2}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C4: shape(padding) = [N - 2, 2]: columns
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'padding' is tensor<2x1xi64>; it must be 2x2}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1], [0]]> : tensor<2x1xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C4: shape(padding) = [N - 2, 2]: not flat
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'padding' is tensor<4xi64>; it must be 2x2}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[1, 0, 0, 2]> : tensor<4xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C5: size(lhs_dilation) = N - 2
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'lhs_dilation' has 1 values; 2 are needed}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C6: 0 < lhs_dilation
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'lhs_dilation' is 0 in dimension 1; it must be positive}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 0>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C7: size(rhs_dilation) = N - 2
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'rhs_dilation' has 1 values; 2 are needed}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C8: 0 < rhs_dilation
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'rhs_dilation' is 0 in dimension 1; it must be positive}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 0>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C9: size(window_reversal) = N - 2
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'window_reversal' has 1 values; 2 are needed}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C10: dim(lhs, input_batch_dimension) % batch_group_count = 0
func.func @main(%a: tensor<3x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{dimension 0 of the left operand, the batch, has size 3, which batch_group_count 2 does not divide}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<3x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<1x7x4x8xf32>
  return
}

// -----
// C11: dim(lhs, input_feature_dimension) % feature_group_count = 0
func.func @main(%a: tensor<2x4x9x5xf32>, %b: tensor<2x3x2x8xf32>) {
  // expected-error@+1 {{dimension 3 of the left operand, the features, has size 5, which feature_group_count 2 does not divide}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x5xf32>, tensor<2x3x2x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C12: size(input_spatial_dimensions) = N - 2
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{has 1 spatial dimensions of the input; the kernel has rank 4}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C13: is_unique(input_dimensions)
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the dimensions of the input are no permutation of its 4: dimension 1 comes twice}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C13: 0 <= input_dimensions
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the dimensions of the input are no permutation of its 4: there is no dimension -1}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = -1, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C13: input_dimensions < N
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the dimensions of the input are no permutation of its 4: there is no dimension 4}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 4, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C14: dim(rhs, kernel_input_feature_dimension) = dim(lhs, input_feature_dimension) / feature_group_count
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x5x8xf32>) {
  // expected-error@+1 {{the kernel takes 5 input features (its dimension 2), a group has 6}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x5x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C15: dim(rhs, kernel_output_feature_dimension) % batch_group_count = 0
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x7xf32>) {
  // expected-error@+1 {{dimension 3 of the kernel, the output features, has size 7, which batch_group_count 2 does not divide}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x7xf32>) -> tensor<1x7x4x7xf32>
  return
}

// -----
// C16: dim(rhs, kernel_output_feature_dimension) % feature_group_count = 0
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x3x7xf32>) {
  // expected-error@+1 {{dimension 3 of the kernel, the output features, has size 7, which feature_group_count 2 does not divide}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x3x7xf32>) -> tensor<2x7x4x7xf32>
  return
}

// -----
// C17: size(kernel_spatial_dimensions) = N - 2
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{has 1 spatial dimensions of the kernel; the kernel has rank 4}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C18: is_unique(kernel_dimensions)
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the dimensions of the kernel are no permutation of its 4: dimension 0 comes twice}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C18: 0 <= kernel_dimensions
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the dimensions of the kernel are no permutation of its 4: there is no dimension -1}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = -1, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C18: kernel_dimensions < N
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the dimensions of the kernel are no permutation of its 4: there is no dimension 4}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 4, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C19: size(output_spatial_dimensions) = N - 2
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{has 3 spatial dimensions of the output; the kernel has rank 4}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2, 3]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C20: is_unique(output_dimensions)
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the dimensions of the output are no permutation of its 4: dimension 2 comes twice}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 2, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C20: 0 <= output_dimensions
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the dimensions of the output are no permutation of its 4: there is no dimension -1}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = -1, output_spatial_dimensions = [1, 2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C20: output_dimensions < N
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{the dimensions of the output are no permutation of its 4: there is no dimension 4}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 4]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C21: 0 < feature_group_count
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{feature_group_count 0 and batch_group_count 1 must be positive}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 0 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C22: 0 < batch_group_count
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{feature_group_count 1 and batch_group_count 0 must be positive}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 0 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C23: feature_group_count = 1 or batch_group_count = 1
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x3x8xf32>) {
  // expected-error@+1 {{feature_group_count 2 and batch_group_count 2 must be positive, and one of them 1}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x3x8xf32>) -> tensor<1x7x4x8xf32>
  return
}

// -----
// C24: size(precision_config) = 2
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{precision}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C24: size(precision_config) = 2: one is too few
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'precision_config' has 1 precision}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C25: dim(result, output_batch_dimension) = dim(lhs, input_batch_dimension) / batch_group_count
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{but it is tensor<2x7x4x8xf32>: dimension 0 is 2, not 1}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<1x7x4x8xf32>
  return
}

// -----
// C25: dim(result, output_feature_dimension) = dim(rhs, kernel_output_feature_dimension)
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{but it is tensor<2x7x4x8xf32>: dimension 3 is 8, not 6}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x6xf32>
  return
}

// -----
// C25: dim(result, result_dim) = num_windows
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{but it is tensor<2x7x4x8xf32>: dimension 1 is 7, not 4}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x4x4x8xf32>
  return
}

// -----
// C26: rank(result) = N
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{declared as tensor<2x7x32xf32>, but it is tensor<2x7x4x8xf32>}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x32xf32>
  return
}

// -----
// C27: element_type(lhs) = element_type(rhs)
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xi32>) {
  // expected-error@+1 {{the operands are of f32 and i32}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xi32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// C27: element_type(lhs) = element_type(result)
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{result 0 is of i32}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xi32>
  return
}

// -----
// I3: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'window_strides' is no list of integers}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = "1", padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// I5: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'lhs_dilation' is no list of integers}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = "1", rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// I6: 1-dimensional tensor constant of type si64
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'rhs_dilation' is no list of integers}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = "1", window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// I7: 1-dimensional tensor constant of type i1
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'window_reversal' is no list of integers}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = "1", dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// I4: 2-dimensional tensor constant of type si64
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'padding' is no list of integers}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// I17: constant of type si64
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'feature_group_count' is no integer}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = "1", batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// I18: constant of type si64
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{'batch_group_count' is no integer}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = "1", precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// I19: variadic number of enums of DEFAULT, HIGH, and HIGHEST
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{expected a precision: DEFAULT, HIGH or HIGHEST}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision LOW>, #stablehlo<precision HIGH>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// T: has dimension_numbers
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{lacks the attribute 'dimension_numbers'}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// T: has feature_group_count
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{lacks the attribute 'feature_group_count'}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// T: has batch_group_count
func.func @main(%a: tensor<2x4x9x6xf32>, %b: tensor<2x3x6x8xf32>) {
  // expected-error@+1 {{lacks the attribute 'batch_group_count'}}
  %0 = "stablehlo.convolution"(%a, %b) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>, tensor<2x3x6x8xf32>) -> tensor<2x7x4x8xf32>
  return
}

// -----
// T: two operands
func.func @main(%a: tensor<2x4x9x6xf32>) {
  // expected-error@+1 {{has 1 operands; it takes 2}}
  %0 = "stablehlo.convolution"(%a) <{window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, true>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4x9x6xf32>) -> tensor<2x7x4x8xf32>
  return
}
