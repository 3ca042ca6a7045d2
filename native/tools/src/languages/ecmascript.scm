; Declarations
(function_declaration) @def.function
(generator_function_declaration) @def.function
(class_declaration) @def.class
(method_definition) @def.method
((variable_declarator name: (identifier) @name value: (arrow_function body: (_) @body)) @def.function (#set! prefix "const"))
((variable_declarator name: (identifier) @name value: (function_expression body: (_) @body)) @def.function (#set! prefix "const"))
((variable_declarator name: (identifier) @name
  value: (parenthesized_expression [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @def.function (#set! prefix "const"))
((variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class (#set! prefix "const"))
(program (lexical_declaration ((variable_declarator name: (identifier)) @def.constant (#set! prefix "const"))))
(program (variable_declaration ((variable_declarator name: (identifier)) @def.constant (#set! prefix "var"))))
(program (export_statement (lexical_declaration ((variable_declarator name: (identifier)) @def.constant (#set! prefix "const")))))
(assignment_expression left: (member_expression object: (_) @container property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @def.method
(assignment_expression right: (class name: (_) @name body: (_) @body) @def.class)
(assignment_expression right: (class) @scope.anonymous)
(arguments (class) @scope.anonymous)
(return_statement (class) @scope.anonymous)
(export_statement value: (class) @scope.anonymous)
(object (pair key: (property_identifier) @name value: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @def.method)
((object (pair key: (property_identifier) @name value: [(call_expression) (new_expression)]) @def.constant) (#match? @name "^(ERR|[A-Z0-9]+_ERR)_[A-Z0-9_]+$"))

; Members
(assignment_expression left: (member_expression object: (this) property: (property_identifier) @field) right: (_) @value)

; Variables
(rest_pattern (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(array_pattern (identifier) @local)
(arrow_function parameter: (identifier) @local)
(variable_declarator name: (identifier) @local value: (_) @value)
(variable_declarator name: (identifier) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)

; Calls
(call_expression function: (identifier) @call)
(call_expression function: (member_expression object: (_) @receiver property: (property_identifier) @call))
(call_expression function: (member_expression object: (identifier) @call property: (property_identifier) @_m) (#eq? @_m "call"))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression object: (_) @receiver property: (property_identifier) @call))

; Values
(arguments (identifier) @use)
(pair value: (identifier) @use)
(shorthand_property_identifier) @use
(assignment_expression right: (identifier) @use)
(identifier) @use.capital

; Failing on purpose
(throw_statement (new_expression constructor: (_) @what)) @failure
(throw_statement (call_expression function: (_) @what)) @failure
(call_expression function: (member_expression object: (identifier) @_p property: (property_identifier) @_m)
  arguments: (arguments . (new_expression constructor: (_) @what)) (#eq? @_p "Promise") (#eq? @_m "reject")) @failure
(call_expression function: (identifier) @_r arguments: (arguments . (new_expression constructor: (_) @what))
  (#any-of? @_r "reject" "next" "callback" "cb" "done")) @failure
((object (pair key: (property_identifier) @_n value: [(call_expression function: (_) @what) (new_expression constructor: (_) @what)] @failure))
  (#match? @_n "^(ERR|[A-Z0-9]+_ERR)_[A-Z0-9_]+$"))
((program (_ (variable_declarator name: (identifier) @_n value: [(call_expression function: (_) @what) (new_expression constructor: (_) @what)] @failure)))
  (#match? @_n "^(ERR|[A-Z0-9]+_ERR)_[A-Z0-9_]+$|^Err[A-Z]|Error$"))
((program (export_statement (_ (variable_declarator name: (identifier) @_n value: [(call_expression function: (_) @what) (new_expression constructor: (_) @what)] @failure))))
  (#match? @_n "^(ERR|[A-Z0-9]+_ERR)_[A-Z0-9_]+$|^Err[A-Z]|Error$"))

; The rest
(comment) @comment
(decorator) @attribute
(import_statement) @import
(export_statement source: (string)) @import
(variable_declarator name: [(identifier) (object_pattern)] value: (call_expression function: (identifier) @_r arguments: (arguments . (string)))
  (#eq? @_r "require")) @import
(variable_declarator name: (identifier) value: (member_expression object: (call_expression function: (identifier) @_r arguments: (arguments . (string))))
  (#eq? @_r "require")) @import
(assignment_expression left: (member_expression) @_m right: (call_expression function: (identifier) @_r arguments: (arguments . (string)))
  (#eq? @_m "module.exports") (#eq? @_r "require")) @import
(export_statement declaration: (_)) @export
(export_specifier name: (identifier) @export)
(export_specifier name: (identifier) @export.default alias: (identifier) @_d (#eq? @_d "default"))
(export_statement value: (identifier) @export.default)
(export_statement "default" declaration: (_ name: (_) @export.default))
(assignment_expression left: (member_expression object: (identifier) @_m property: (property_identifier) @_e)
  right: (identifier) @export.default (#eq? @_m "module") (#eq? @_e "exports"))
(assignment_expression left: (member_expression object: (identifier) @_m property: (property_identifier) @_e)
  right: (assignment_expression right: (identifier) @export.default) (#eq? @_m "module") (#eq? @_e "exports"))
(assignment_expression left: (identifier) @_x
  right: (assignment_expression left: (member_expression) @_m right: (identifier) @export.default) (#eq? @_x "exports") (#eq? @_m "module.exports"))
(variable_declarator name: (identifier) @export.default
  value: (assignment_expression left: [(identifier) (member_expression)] @_x) (#any-of? @_x "exports" "module.exports"))
(assignment_expression left: (member_expression) @_m right: (object (shorthand_property_identifier) @export) (#eq? @_m "module.exports"))
(assignment_expression left: (member_expression) @_m right: (object (pair value: (identifier) @export)) (#eq? @_m "module.exports"))
(assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_e property: (property_identifier) @export)
  (#any-of? @_e "exports" "module.exports"))
(assignment_expression left: (member_expression) @_m right: [(function_expression name: (_) @export.default) (class name: (_) @export.default)] (#eq? @_m "module.exports"))
(assignment_expression left: (member_expression) @_m right: (object (method_definition name: (_) @export)) (#eq? @_m "module.exports"))
(assignment_expression left: (member_expression) @_m
  right: (object (pair key: (_) @export value: [(function_expression) (arrow_function)])) (#eq? @_m "module.exports"))
