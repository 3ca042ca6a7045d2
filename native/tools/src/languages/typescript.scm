
; TypeScript only
(function_signature) @def.function
(abstract_class_declaration) @def.class
(interface_declaration) @def.interface
(enum_declaration) @def.enum
(type_alias_declaration) @def.type
(abstract_method_signature) @def.method
(method_signature) @def.method
(public_field_definition name: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
(internal_module) @scope.namespace
(module name: (identifier)) @scope.namespace

(public_field_definition name: (_) @name) @member
(public_field_definition name: (_) @name type: (type_annotation (_) @type)) @member
(interface_body (property_signature name: (_) @name) @member)
(interface_body (property_signature name: (_) @name type: (type_annotation (_) @type)) @member)
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @member))
(type_alias_declaration value: (intersection_type (object_type (property_signature name: (_) @name) @member)))
(enum_body name: (_) @name @member)
(enum_assignment name: (_) @name) @member
(required_parameter (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @type))

(required_parameter pattern: (identifier) @local type: (type_annotation (_) @type))
(required_parameter pattern: (identifier) @local !type)
(optional_parameter pattern: (identifier) @local type: (type_annotation (_) @type))
(variable_declarator name: (identifier) @local type: (type_annotation (_) @type))
(type_parameter name: (type_identifier) @local)

(extends_clause value: (identifier) @extends)
(extends_clause value: (member_expression object: (_) @receiver property: (property_identifier) @extends))
(implements_clause (type_identifier) @extends)
(implements_clause (generic_type name: (type_identifier) @extends))
(extends_type_clause type: (type_identifier) @extends)
(extends_type_clause type: (generic_type name: (type_identifier) @extends))

(nested_type_identifier module: (_) @receiver name: (type_identifier) @use)
(type_identifier) @use
(type_query (identifier) @use)
