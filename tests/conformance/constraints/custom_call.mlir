// constraints: 0

// -----
// accepted: a check of the module upon itself
func.func @main() {
  %a = "stablehlo.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  "stablehlo.custom_call"(%a, %a) {call_target_name = "check.expect_eq", has_side_effect = true, backend_config = {}, api_version = 4 : i32, called_computations = []} : (tensor<2xf32>, tensor<2xf32>) -> ()
  func.return
}

// -----
// I2: call_target_name is missing
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{lacks the attribute 'call_target_name'}}
  %0 = "stablehlo.custom_call"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I2: call_target_name is a string
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'call_target_name' must be a string}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I3: has_side_effect is of type i1
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'has_side_effect' must be true or false}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", has_side_effect = "yes"} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I4: backend_config is a string or a dictionary
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'backend_config' must be a string or a dictionary}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", backend_config = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I4: backend_config is a dictionary for api_version 4
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'backend_config' must be a dictionary where 'api_version' is 4}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", api_version = 4 : i32, backend_config = ""} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I4: backend_config is a string for other versions
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'backend_config' must be a dictionary where 'api_version' is 4, and else a string}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", api_version = 2 : i32, backend_config = {}} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I5: api_version is an integer
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'api_version' must be an integer}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", api_version = "4"} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I6: called_computations is a list
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'called_computations' must be a list of functions}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", called_computations = @main} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// I6: called_computations has functions
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{'called_computations' must be a list of functions}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "f", called_computations = ["main"]} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----
// T: a target that nothing here computes
// unimplemented
func.func @main(%a: tensor<2xf32>) {
  // expected-error@+1 {{target @my.kernel is not supported}}
  %0 = "stablehlo.custom_call"(%a) {call_target_name = "my.kernel"} : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}
