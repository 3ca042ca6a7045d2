; Declarations
(function_definition) @def.function
(class_definition) @def.class
(module (expression_statement (assignment left: (identifier) @name) @def.constant) (#not-match? @name "^__"))

; Members
(class_definition body: (block (expression_statement (assignment left: (identifier) @name type: (_)? @type) @member)))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @field) type: (_) @type (#eq? @_self "self"))
(assignment left: (attribute object: (identifier) @_self attribute: (identifier) @field) !type right: (_) @value (#eq? @_self "self"))

; Variables
(parameters (identifier) @local)
(parameters (typed_parameter . (identifier) @local type: (_) @type))
(parameters (default_parameter name: (identifier) @local))
(parameters (typed_default_parameter name: (identifier) @local type: (_) @type))
(lambda_parameters (identifier) @local)
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(assignment left: (identifier) @local type: (_) @type)
(assignment left: (identifier) @local !type right: (_) @value)
(pattern_list (identifier) @local)
(tuple_pattern (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(as_pattern (_) @value alias: (as_pattern_target (identifier) @local))
(named_expression name: (identifier) @local value: (_) @value)

; Calls
(call function: (identifier) @call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @call))
(decorator (identifier) @call)
(decorator (attribute object: (_) @receiver attribute: (identifier) @call))

; Supertypes
(class_definition superclasses: (argument_list (identifier) @extends))
(class_definition superclasses: (argument_list (attribute object: (_) @receiver attribute: (identifier) @extends)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @extends)))

; Types and values
(type (identifier) @use)
(type (generic_type (identifier) @use))
(type (attribute object: (_) @receiver attribute: (identifier) @use))
(type (string (string_content) @use))
(argument_list (identifier) @use)
(keyword_argument value: (identifier) @use)
(except_clause (identifier) @use)
(except_clause (tuple (identifier) @use))
(except_clause (attribute object: (_) @receiver attribute: (identifier) @use))
(identifier) @use.capital
(attribute object: (identifier) @use)

; Failing on purpose: not the end of an iterator or generator, nor the value that one hands out
(raise_statement . (call function: (_) @what)
  (#not-match? @what "^(StopIteration|StopAsyncIteration|GeneratorExit|([a-z_.]+\\.)?Return)$")) @failure
(raise_statement . (identifier) @what (#match? @what "^[A-Z]")
  (#not-match? @what "^(StopIteration|StopAsyncIteration|GeneratorExit)$")) @failure
(raise_statement . (attribute attribute: (identifier) @_a) @what (#match? @_a "^[A-Z]")) @failure

; The rest
(comment) @comment
(decorator) @attribute
(module . (comment)* . (expression_statement . (string) @docstring))
(class_definition body: (block . (comment)* . (expression_statement . (string) @docstring)))
(function_definition body: (block . (comment)* . (expression_statement . (string) @docstring)))
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
(module (if_statement condition: (comparison_operator (identifier) @_name (string)) (#eq? @_name "__name__")) @main)
