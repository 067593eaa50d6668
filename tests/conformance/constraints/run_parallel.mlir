// constraints: 0

// -----
// accepted: two replicas
// topology: 2x1
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    %0:2 = "interpreter.run_parallel"(%a, %a) {programs = [[@cell], [@cell]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// accepted: two partitions
// topology: 2x1
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    %0:2 = "interpreter.run_parallel"(%a, %a) {programs = [[@cell, @cell]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// T: has programs
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': needs 'programs', rows of functions}}
    %0:2 = "interpreter.run_parallel"(%a, %a) {} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// T: programs are rows
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': needs 'programs', rows of functions}}
    %0:2 = "interpreter.run_parallel"(%a, %a) {programs = [@cell, @cell]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// T: rows are as long as each other
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': 'programs' must be rows of one length}}
    %0:2 = "interpreter.run_parallel"(%a, %a) {programs = [[@cell, @cell], [@cell]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// T: programs name functions
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': 'programs' must name functions}}
    %0:2 = "interpreter.run_parallel"(%a, %a) {programs = [["cell"], [@cell]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// T: the functions are there
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': there is no function @other}}
    %0:2 = "interpreter.run_parallel"(%a, %a) {programs = [[@cell], [@other]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// T: operands for all cells
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': has 1 operands and 2 results; the programs of its 2 cells have 2 and 2}}
    %0:2 = "interpreter.run_parallel"(%a) {programs = [[@cell], [@cell]]} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// T: results for all cells
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': has 2 operands and 1 results; the programs of its 2 cells have 2 and 2}}
    %0:1 = "interpreter.run_parallel"(%a, %a) {programs = [[@cell], [@cell]]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return
  }
}

// -----
// T: operands are of the types that the programs take
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': operand 1 is not of the type that the program takes}}
    %0:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@cell], [@cell]]} : (tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// T: results are of the types that the programs return
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': result 1 is not of the type that the program returns}}
    %0:2 = "interpreter.run_parallel"(%a, %a) {programs = [[@cell], [@cell]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    return
  }
}

// -----
// T: infeed names functions
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': 'infeed' must name functions}}
    %0:2 = "interpreter.run_parallel"(%a, %a) {infeed = ["queue"], programs = [[@cell], [@cell]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}

// -----
// T: the functions of infeed are there
module {
  func.func @cell(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
  func.func @main(%a: tensor<2xf32>) {
    %b = stablehlo.constant dense<0> : tensor<2xi32>
    // expected-error@+1 {{'interpreter.run_parallel': there is no function @queue}}
    %0:2 = "interpreter.run_parallel"(%a, %a) {infeed = [@queue], programs = [[@cell], [@cell]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return
  }
}
