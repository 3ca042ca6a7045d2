; Declarations
(function_item) @def.function
(function_signature_item) @def.function
(struct_item) @def.struct
(union_item) @def.struct
(enum_item) @def.enum
(trait_item) @def.interface
(type_item) @def.type
(const_item) @def.constant
(static_item) @def.constant
(macro_definition) @def.macro
(mod_item body: (_)) @scope.namespace
(mod_item !body) @module
(impl_item !trait type: (_) @name) @scope.type
(impl_item trait: (_) type: (_) @name) @scope.trait

; Members
(field_declaration name: (_) @name type: (_) @type) @member
(enum_variant name: (_) @name) @member

; Variables and type parameters
(parameter pattern: (identifier) @local type: (_) @type)
(parameter pattern: (mut_pattern (identifier) @local) type: (_) @type)
(let_declaration pattern: (identifier) @local type: (_) @type)
(let_declaration pattern: (identifier) @local !type value: (_) @value)
(let_declaration pattern: (identifier) @local !type !value)
(let_declaration pattern: (mut_pattern (identifier) @local) type: (_) @type)
(let_declaration pattern: (mut_pattern (identifier) @local) !type value: (_) @value)
(closure_parameters (identifier) @local)
(closure_parameters (parameter pattern: (identifier) @local))
(tuple_pattern (identifier) @local)
(tuple_struct_pattern (identifier) @local)
(for_expression pattern: (identifier) @local)
(match_pattern (identifier) @local)
(shorthand_field_identifier) @local
(type_parameter name: (type_identifier) @local)

; Calls
(call_expression function: (identifier) @call)
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @call))
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @call))
(call_expression function: (generic_function function: (identifier) @call))
(call_expression function: (generic_function function: (field_expression value: (_) @receiver field: (field_identifier) @call)))
(call_expression function: (generic_function function: (scoped_identifier path: (_) @receiver name: (identifier) @call)))
(struct_expression name: (type_identifier) @call)
(struct_expression name: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @call))
(macro_invocation macro: (identifier) @call)
(macro_invocation macro: (scoped_identifier path: (_) @receiver name: (identifier) @call))
(token_tree (identifier) @token)

; Supertypes
(impl_item trait: (type_identifier) @extends)
(impl_item trait: (generic_type type: (type_identifier) @extends))
(impl_item trait: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @extends))
(impl_item trait: (generic_type type: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @extends)))
(trait_item bounds: (trait_bounds (type_identifier) @extends))
(trait_item bounds: (trait_bounds (scoped_type_identifier path: (_) @receiver name: (type_identifier) @extends)))

; Types and values
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @use)
(type_identifier) @use
(scoped_identifier path: (identifier) @use)
(scoped_identifier path: (_) @receiver name: (identifier) @use)
(arguments (identifier) @use)
(identifier) @use.capital

; Failing on purpose
(call_expression function: (identifier) @_err (#eq? @_err "Err")
  arguments: (arguments . [(call_expression function: (_) @what) (scoped_identifier) @what (struct_expression name: (_) @what) (macro_invocation macro: (_) @what)])) @failure
(call_expression function: (identifier) @_err (#eq? @_err "Err")
  arguments: (arguments . (identifier) @what (#match? @what "^[A-Z]"))) @failure
(call_expression function: (identifier) @_err (#eq? @_err "Err")
  arguments: (arguments . (string_literal) @what)) @failure
(call_expression function: (field_expression field: (field_identifier) @_or (#any-of? @_or "ok_or" "ok_or_else"))
  arguments: (arguments . [(call_expression function: (_) @what) (scoped_identifier) @what (struct_expression name: (_) @what)
    (closure_expression body: [(call_expression function: (_) @what) (scoped_identifier) @what (struct_expression name: (_) @what) (macro_invocation macro: (_) @what)])])) @failure
(macro_invocation macro: (_) @what
  (#any-of? @what "bail" "anyhow::bail" "ensure" "anyhow::ensure" "panic" "unreachable" "unimplemented" "todo")) @failure

; The rest
(line_comment) @comment
(block_comment) @comment
(attribute_item) @attribute
(inner_attribute_item) @attribute
(use_declaration) @import
(extern_crate_declaration) @import
