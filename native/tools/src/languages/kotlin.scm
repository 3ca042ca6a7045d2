; Declarations
(class_declaration) @def.class
(class_declaration "interface") @def.interface
(class_declaration (enum_class_body)) @def.enum
(class_declaration (modifiers (class_modifier) @_data) (#eq? @_data "data")) @def.struct
(object_declaration) @def.class
(function_declaration) @def.function
(function_declaration (user_type (identifier) @container .) . ".") @def.function
(function_declaration (user_type (identifier) @container . (type_arguments) .) . ".") @def.function
(function_declaration (nullable_type (user_type (identifier) @container)) . ".") @def.function
(function_declaration (function_value_parameters) . ":" . [(user_type) (nullable_type)] @returns) @def.function
(secondary_constructor "constructor" @name) @def.method
(type_alias type: (identifier) @name) @def.type
(source_file (property_declaration (variable_declaration (identifier) @name)) @def.constant)
(object_literal) @scope.anonymous
(enum_entry (class_body)) @scope.anonymous

; Members
(class_body (property_declaration (variable_declaration . (identifier) @name)) @member)
(class_body (property_declaration (variable_declaration (identifier) @name (_) @type .)) @member)
(enum_class_body (property_declaration (variable_declaration (identifier) @name)) @member)
(enum_entry (identifier) @name) @member
(class_parameter ["val" "var"] (identifier) @name [(user_type) (nullable_type)] @type) @member
(class_parameter (identifier) @field [(user_type) (nullable_type)] @type)
(class_body (property_declaration (variable_declaration . (identifier) @field .) "=" . (_) @value))

; Variables and type parameters
(parameter (identifier) @local (_) @type)
(variable_declaration (identifier) @local (_) @type)
(property_declaration (variable_declaration . (identifier) @local .) "=" . (_) @value)
(variable_declaration . (identifier) @local .)
(multi_variable_declaration (variable_declaration (identifier) @local))
(catch_block (identifier) @local (user_type) @type)
(type_parameter (identifier) @local)

; Calls
(call_expression . (identifier) @call)
(call_expression . (navigation_expression . (_) @receiver (identifier) @call .))
(callable_reference (identifier) @use .)
(infix_expression (_) @receiver (identifier) @call (_))

; Supertypes
(delegation_specifier (constructor_invocation (user_type (identifier) @extends .)))
(delegation_specifier (constructor_invocation (user_type (identifier) @extends . (type_arguments) .)))
(delegation_specifier (user_type (identifier) @extends .))
(delegation_specifier (user_type (identifier) @extends . (type_arguments) .))
(delegation_specifier (explicit_delegation (user_type (identifier) @extends)))

; Types and values
(identifier) @use.capital
(value_argument . (identifier) @use .)

; Failing on purpose
(throw_expression (call_expression . (identifier) @what)) @failure
(throw_expression (call_expression . (navigation_expression) @what)) @failure
(call_expression . (identifier) @what
  (#any-of? @what "error" "require" "check" "requireNotNull" "checkNotNull" "TODO")) @failure
(call_expression (call_expression . (identifier) @what (#any-of? @what "require" "check" "requireNotNull" "checkNotNull")) (annotated_lambda)) @failure

; The rest
(line_comment) @comment
(block_comment) @comment
(annotation) @attribute
(import) @import
(package_header (qualified_identifier) @package)
