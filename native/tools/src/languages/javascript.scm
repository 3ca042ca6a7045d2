
; JavaScript only
(field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
(field_definition property: (property_identifier) @name value: (_)? @value) @member
(class_heritage (identifier) @extends)
(class_heritage (member_expression object: (_) @receiver property: (property_identifier) @extends))
(jsx_opening_element name: (identifier) @call)
(jsx_self_closing_element name: (identifier) @call)
(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local))
