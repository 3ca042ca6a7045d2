; Declarations
(class_declaration) @def.class
(record_declaration) @def.struct
(enum_declaration) @def.enum
(interface_declaration) @def.interface
(annotation_type_declaration) @def.interface
(method_declaration) @def.method
(constructor_declaration) @def.method
(compact_constructor_declaration) @def.method
(object_creation_expression (class_body)) @scope.anonymous
(enum_constant body: (class_body)) @scope.anonymous

; Members
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name)) @member
(constant_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @name)) @member
(enum_constant name: (identifier) @name) @member
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (identifier) @name) @member))
(annotation_type_element_declaration type: (_) @type name: (identifier) @name) @member

; Variables and type parameters
(formal_parameter type: (_) @type name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local))
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @local !value))
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @local value: (_) @value))
(enhanced_for_statement type: (_) @type name: (identifier) @local)
(resource type: (_) @type name: (identifier) @local value: (_) @value)
(catch_formal_parameter (catch_type . (_) @type .) name: (identifier) @local)
(instanceof_expression right: (_) @type name: (identifier) @local)
(type_pattern (_) @type (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(type_parameter . (type_identifier) @local)

; Calls
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) @receiver name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type (type_identifier) @call))
(object_creation_expression type: (scoped_type_identifier (_) @receiver (type_identifier) @call .))
(object_creation_expression type: (generic_type (scoped_type_identifier (_) @receiver (type_identifier) @call .)))
(method_reference . (identifier) @receiver (identifier) @use .)

; Supertypes
(superclass [(type_identifier) @extends (generic_type (type_identifier) @extends) (scoped_type_identifier (_) @receiver (type_identifier) @extends .)])
(super_interfaces (type_list [(type_identifier) @extends (generic_type (type_identifier) @extends)]))
(extends_interfaces (type_list [(type_identifier) @extends (generic_type (type_identifier) @extends)]))

; Types
(scoped_type_identifier (_) @receiver (type_identifier) @use .)
(type_identifier) @use
(identifier) @use.capital

; Failing on purpose
(throw_statement (object_creation_expression type: (_) @what)) @failure
(throw_statement (method_invocation name: (identifier) @what)) @failure
(method_invocation name: (identifier) @what
  (#any-of? @what "checkArgument" "checkState" "checkNotNull" "requireNonNull" "checkElementIndex" "checkPositionIndex")) @failure

; The rest
(line_comment) @comment
(block_comment) @comment
(marker_annotation) @attribute
(annotation) @attribute
(import_declaration) @import
(package_declaration [(identifier) (scoped_identifier)] @package)
