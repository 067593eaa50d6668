// constraints: 0

// -----
// accepted: running sums
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// accepted: from the end
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>, is_reverse = true}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: 0 <= dimension
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{'dimension' is -1, which is not in [0, 2)}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = -1 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: dimension < rank(inputs...)
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{'dimension' is 2, which is not in [0, 2)}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 2 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: body takes a slice of each input and the carries: the number
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{its body has 1 arguments; it needs 2}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>):
    stablehlo.return %x, %x : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: body takes a slice of each input
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{argument 0 of its body is tensor<4xf32>; a slice of operand 0 along dimension 0 is tensor<3xf32>}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<4xf32>, %c: tensor<3xf32>):
    stablehlo.return %c, %c : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: body takes the carries
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{argument 1 of its body is tensor<3xf64>; operand 1 is tensor<3xf32>}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf64>):
    stablehlo.return %x, %x : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: body returns a value for each result
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
      // expected-error@+1 {{returns 1 values}}
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: outputs are the slices that body returns
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{value 0 of its body is tensor<3xf32>; a slice of result 0 along dimension 0 is tensor<2xf32>}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x2xf32>, tensor<3xf32>)
  return
}

// -----
// T: outputs have the size of the inputs
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{result 0 is tensor<5x3xf32>; it must have size 4 in the scanned dimension 0}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: carries are what body returns
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{value 1 of its body is tensor<3xf32>; result 1 is tensor<4xf32>}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4xf32>)
  return
}

// -----
// T: the segments add up to the operands
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{'operandSegmentSizes' does not add up to 2}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 2, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: the segments add up to the results
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{'resultSegmentSizes' does not add up to 2}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 2, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: scan_dim_size is the size of the scanned dimension
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{'scan_dim_size' is 5, the scanned dimension has size 4}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>, scan_dim_size = 5 : i64}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: a body
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{has 0 regions; it takes 1}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// T: has dimension
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{lacks the attribute 'dimension'}}
  %0:2 = "chlo.scan"(%a, %i) <{operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----
// I: is_reverse is a constant of type i1
func.func @main(%a: tensor<4x3xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{'is_reverse' is neither true nor false}}
  %0:2 = "chlo.scan"(%a, %i) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>, is_reverse = 1 : i64}> ({
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}
