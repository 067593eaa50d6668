// constraints: 4

// -----
// accepted: a function of the module
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  %0 = "stablehlo.composite"(%a) {name = "my.scale", decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// C1: is_namespaced_op_name(name)
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'name' is "scale"; it must be a namespace and a name, like}}
  %0 = "stablehlo.composite"(%a) {name = "scale", decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// C1: is_namespaced_op_name(name)
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'name' is "my."; it must be a namespace and a name, like}}
  %0 = "stablehlo.composite"(%a) {name = "my.", decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// C1: is_namespaced_op_name(name)
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'name' is ".scale"; it must be a namespace and a name, like}}
  %0 = "stablehlo.composite"(%a) {name = ".scale", decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// C1: is_namespaced_op_name(name)
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'name' is "1my.scale"; it must be a namespace and a name, like}}
  %0 = "stablehlo.composite"(%a) {name = "1my.scale", decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// C1: is_namespaced_op_name(name)
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'name' is "my.sca le"; it must be a namespace and a name, like}}
  %0 = "stablehlo.composite"(%a) {name = "my.sca le", decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// C2: is_defined_in_parent_scope(decomposition)
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{calls @other, but the module has no such function}}
  %0 = "stablehlo.composite"(%a) {name = "my.scale", decomposition = @other, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// C3: types(inputs...) == input_types(decomposition)
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<3xf32>) {
  // expected-error@+1 {{operand 0 is tensor<3xf32>; @scale takes tensor<2xf32>}}
  %0 = "stablehlo.composite"(%a) {name = "my.scale", decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<3xf32>) -> tensor<2xf32>
  func.return
}

// -----
// C4: types(results...) == output_types(decomposition)
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{result 0 is tensor<3xf32>; @scale returns tensor<2xf32>}}
  %0 = "stablehlo.composite"(%a) {name = "my.scale", decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<3xf32>
  func.return
}

// -----
// C4: size(results) = size(output_types(decomposition))
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{has 1 operands and 2 results; @scale has 1 and 1}}
  %0:2 = "stablehlo.composite"(%a) {name = "my.scale", decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return
}

// -----
// I2: name is missing
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{lacks the attribute 'name'}}
  %0 = "stablehlo.composite"(%a) {decomposition = @scale, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I3: composite_attributes is a dictionary
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'composite_attributes' must be a dictionary}}
  %0 = "stablehlo.composite"(%a) {name = "my.scale", decomposition = @scale, version = 1 : i32, composite_attributes = 2 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I4: decomposition is missing
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{lacks the attribute 'decomposition'}}
  %0 = "stablehlo.composite"(%a) {name = "my.scale", version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I4: decomposition is the name of a function
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'decomposition' must be a function}}
  %0 = "stablehlo.composite"(%a) {name = "my.scale", decomposition = 2 : i32, version = 1 : i32, composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I5: version is an integer
func.func private @scale(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'version' must be an integer}}
  %0 = "stablehlo.composite"(%a) {name = "my.scale", decomposition = @scale, version = "1", composite_attributes = {by = 2 : i32}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}
