; Declarations
(function_declaration) @def.function
(function_declaration result: (parameter_list . (parameter_declaration type: (_) @returns))) @def.function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @container
  (pointer_type (type_identifier) @container)
  (generic_type type: (type_identifier) @container)
  (pointer_type (generic_type type: (type_identifier) @container))]))) @def.method
(method_declaration result: (parameter_list . (parameter_declaration type: (_) @returns))) @def.method
((type_spec type: (struct_type)) @def.struct (#set! prefix "type"))
((type_spec type: (interface_type)) @def.interface (#set! prefix "type"))
((type_spec type: [(type_identifier) (qualified_type) (pointer_type) (function_type) (map_type) (slice_type) (array_type) (channel_type) (generic_type)]) @def.type (#set! prefix "type"))
((type_alias) @def.type (#set! prefix "type"))
(method_elem) @def.method
(source_file (const_declaration ((const_spec name: (identifier) @name) @def.constant (#set! prefix "const"))))
(source_file (var_declaration ((var_spec name: (identifier) @name) @def.constant (#set! prefix "var"))))
(source_file (var_declaration (var_spec_list ((var_spec name: (identifier) @name) @def.constant (#set! prefix "var")))))

; Members
(field_declaration name: (field_identifier) @name type: (_) @type) @member
(field_declaration !name type: (type_identifier) @field (type_identifier) @type)

; Variables and type parameters
(parameter_declaration name: (identifier) @local type: (_) @type)
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local type: (_) @type)
(var_spec name: (identifier) @local)
(range_clause left: (expression_list (identifier) @local))
(type_parameter_declaration name: (identifier) @local)

; Calls
(call_expression function: (identifier) @call)
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @call))
(composite_literal type: (type_identifier) @call)
(composite_literal type: (qualified_type package: (_) @receiver name: (type_identifier) @call))

; Embedded types
(field_declaration !name type: (type_identifier) @extends)
(field_declaration !name type: (qualified_type package: (_) @receiver name: (type_identifier) @extends))
(interface_type (type_elem . (type_identifier) @extends .))
(interface_type (type_elem . (qualified_type package: (_) @receiver name: (type_identifier) @extends) .))

; Types and values
(qualified_type package: (_) @receiver name: (type_identifier) @use)
(type_identifier) @use
(selector_expression operand: (identifier) @receiver field: (field_identifier) @use)
(identifier) @use.capital
(argument_list (identifier) @use)

; Failing on purpose
(return_statement (expression_list
  (call_expression function: (selector_expression operand: (identifier) @_p field: (field_identifier) @_f) @what) .)
  (#any-of? @_p "errors" "fmt" "xerrors") (#any-of? @_f "New" "Errorf" "Wrap" "Wrapf")) @failure
(var_spec value: (expression_list
  (call_expression function: (selector_expression operand: (identifier) @_p field: (field_identifier) @_f) @what))
  (#any-of? @_p "errors" "fmt" "xerrors") (#any-of? @_f "New" "Errorf")) @failure
(call_expression function: (identifier) @what (#eq? @what "panic")) @failure
(return_statement (expression_list (identifier) @what .) (#match? @what "^[Ee]rr[A-Z]")) @failure
(return_statement (expression_list (selector_expression field: (field_identifier) @_f) @what .) (#match? @_f "^Err[A-Z]")) @failure

; The rest
(comment) @comment
(import_spec) @import
(package_clause (package_identifier) @package)
