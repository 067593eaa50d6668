// constraints: 0

// -----
// accepted: its arguments stand for its operands
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32>) {
  %0 = sdy.named_computation<"f">(%a) (%x: tensor<8xf32>) {
    sdy.return %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// T: an argument for each operand
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.named_computation': its body has 2 arguments and returns 1 values, for 1 operands and 1 results}}
  %0 = sdy.named_computation<"f">(%a) (%x: tensor<8xf32>, %y: tensor<8xf32>) {
    sdy.return %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// T: arguments are of the types of the operands
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.named_computation': argument 0 of its body is tensor<4xf32>, operand 0 is tensor<8xf32>}}
  %0 = sdy.named_computation<"f">(%a) (%x: tensor<4xf32>) {
    %y = stablehlo.constant dense<0.0> : tensor<8xf32>
    sdy.return %y : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// T: a result for each returned value
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.named_computation': its body has 1 arguments and returns 2 values, for 1 operands and 1 results}}
  %0 = sdy.named_computation<"f">(%a) (%x: tensor<8xf32>) {
    sdy.return %x, %x : tensor<8xf32>, tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// T: results are of the types of the returned values
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.named_computation': its body returns tensor<8xf32> as value 0, result 0 is tensor<4xf32>}}
  %0 = sdy.named_computation<"f">(%a) (%x: tensor<8xf32>) {
    sdy.return %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----
// T: in_shardings are of a mesh of the module
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32>) {
  // expected-error@+1 {{the module has no mesh @other}}
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@other, [{}]>] out_shardings=[<@mesh, [{}]>] (%x: tensor<8xf32>) {
    sdy.return %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// T: an in_sharding for each operand
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.named_computation': 'in_shardings' has 2 shardings for 1 values}}
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] (%x: tensor<8xf32>) {
    sdy.return %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----
// T: an out_sharding has the rank of its result
// topology: 2x2
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.named_computation': sharding 0 of 'out_shardings' has 2 dimensions, the value 1}}
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}, {}]>] (%x: tensor<8xf32>) {
    sdy.return %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
