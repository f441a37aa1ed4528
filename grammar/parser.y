/* Gram notation as an LALR(1) grammar: sections 2 and 3 of the notation, one production each, and
 * the superset's nested values. Actions are one call into build.c; they give nothing a meaning.
 *
 * A production spells out its parts rather than name one that is used once (a node, a pair, a label):
 * the tables get longer and parsing faster. Lists are left-recursive, so that the stack grows with the nesting and never with the length.
 * Each open bracket takes at most five entries of it: `[ subject | elements ,` or
 * `{ pairs , key :`; PARSE_MAX_DEPTH times that, and some for what stands round them. */
%name GramParser
%token_prefix TK_
%token_type {struct token}
%extra_context {struct build *build}
%start_symbol document
%stack_size 5200
%stack_overflow { build->failed = true; }
%syntax_error { (void)yymajor; (void)yyminor; build->failed = true; }
%token_destructor { (void)build; (void)yypminor; }

/* Other files rely on these orders: the names, the numbers, and for each arrow family the plain
 * half, the one that points right, the one that points left. */
%token SYMBOL TRUE FALSE BACKTICK.
%token INTEGER DOUBLE DECIMAL HEXADECIMAL OCTAL MEASUREMENT EXPONENT DECIMAL_MEASUREMENT.
%token SINGLE FENCE.
%token DASH DASH_RIGHT DASH_LEFT EQUALS EQUALS_RIGHT EQUALS_LEFT TILDE TILDE_RIGHT TILDE_LEFT.

%token_class symbol SYMBOL|TRUE|FALSE.
%token_class identifier SYMBOL|TRUE|FALSE|BACKTICK|INTEGER.
%token_class name SYMBOL|TRUE|FALSE|BACKTICK.
%token_class key SYMBOL|TRUE|FALSE|BACKTICK|DOUBLE.
%token_class number
  INTEGER|DECIMAL|HEXADECIMAL|OCTAL|MEASUREMENT|EXPONENT|DECIMAL_MEASUREMENT.
%token_class literal TRUE|FALSE|SINGLE|DOUBLE|BACKTICK|FENCE.

%type tops {struct pattern_list}
%type elements {struct pattern_list}
%type path {struct pattern_list}
%type bracket {struct pattern *}
%type arrow {struct pattern *}
%type annotations {struct annotations}
%type property {struct property *}
%type subject {struct subject *}
%type inside {struct subject *}
%type labels {struct label_list}
%type record {struct record}
%type pairs {struct property_list}
%type value {struct value *}
%type values {struct value_list}

document ::= tops(T). { build_document(build, NULL, &T); }
document ::= record(R) tops(T). { build_document(build, &R, &T); }

tops(A) ::= . { A = (struct pattern_list){NULL, NULL, 0}; }
tops(A) ::= tops(A) bracket(P). { build_add_pattern(&A, P); }
tops(A) ::= tops(A) path(P). { build_add_pattern(&A, build_path(build, &P)); }
tops(A) ::= tops(A) annotations(N) bracket(P). { build_add_pattern(&A, build_annotated(N, P)); }
tops(A) ::= tops(A) annotations(N) path(P). {
  build_add_pattern(&A, build_annotated(N, build_path(build, &P)));
}

annotations(A) ::= ATAT(T) identifier(I). { A = build_annotations(build, T, &I, NULL); }
annotations(A) ::= ATAT(T) identifier(I) labels(L). { A = build_annotations(build, T, &I, &L); }
annotations(A) ::= ATAT(T) labels(L). { A = build_annotations(build, T, NULL, &L); }
annotations(A) ::= property(P). { A = build_property_annotation(build, P); }
annotations(A) ::= annotations(A) property(P). { build_annotate(&A, P); }
property(A) ::= AT(T) symbol(K) LPAREN value(V) RPAREN(E). {
  A = build_annotation_property(build, T, K, V, E);
}

bracket(A) ::= LBRACKET(B) subject(S) RBRACKET(E). {
  A = build_bracket(build, B, S, NULL, E);
}
bracket(A) ::= LBRACKET(B) subject(S) BAR elements(L) RBRACKET(E). {
  A = build_bracket(build, B, S, &L, E);
}
elements(A) ::= bracket(P). { A = build_patterns(P); }
elements(A) ::= path(P). { A = build_patterns(build_path(build, &P)); }
elements(A) ::= identifier(I). { A = build_patterns(build_reference(build, I)); }
elements(A) ::= elements(A) COMMA bracket(P). { build_add_pattern(&A, P); }
elements(A) ::= elements(A) COMMA path(P). { build_add_pattern(&A, build_path(build, &P)); }
elements(A) ::= elements(A) COMMA identifier(I). {
  build_add_pattern(&A, build_reference(build, I));
}

path(A) ::= LPAREN(B) subject(S) RPAREN(E). { A = build_patterns(build_node(build, B, S, E)); }
path(A) ::= path(A) arrow(R) LPAREN(B) subject(S) RPAREN(E). {
  build_step(&A, R, build_node(build, B, S, E));
}

arrow(A) ::= DASH(L) inside(S) DASH(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= DASH(L) inside(S) DASH_RIGHT(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= DASH_LEFT(L) inside(S) DASH(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= DASH_LEFT(L) inside(S) DASH_RIGHT(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= EQUALS(L) inside(S) EQUALS(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= EQUALS(L) inside(S) EQUALS_RIGHT(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= EQUALS_LEFT(L) inside(S) EQUALS(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= EQUALS_LEFT(L) inside(S) EQUALS_RIGHT(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= TILDE(L) inside(S) TILDE(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= TILDE(L) inside(S) TILDE_RIGHT(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= TILDE_LEFT(L) inside(S) TILDE(R). { A = build_arrow(build, L, S, R); }
arrow(A) ::= TILDE_LEFT(L) inside(S) TILDE_RIGHT(R). { A = build_arrow(build, L, S, R); }
inside(A) ::= . { A = NULL; }
inside(A) ::= LBRACKET subject(S) RBRACKET. { A = S; }

subject(A) ::= . { A = NULL; }
subject(A) ::= identifier(I). { A = build_subject(build, &I, NULL, NULL); }
subject(A) ::= identifier(I) labels(L). { A = build_subject(build, &I, &L, NULL); }
subject(A) ::= identifier(I) record(R). { A = build_subject(build, &I, NULL, &R); }
subject(A) ::= identifier(I) labels(L) record(R). { A = build_subject(build, &I, &L, &R); }
subject(A) ::= labels(L). { A = build_subject(build, NULL, &L, NULL); }
subject(A) ::= labels(L) record(R). { A = build_subject(build, NULL, &L, &R); }
subject(A) ::= record(R). { A = build_subject(build, NULL, NULL, &R); }

labels(A) ::= COLON name(N). { A = build_labels(build_label(build, N, 1)); }
labels(A) ::= COLONCOLON name(N). { A = build_labels(build_label(build, N, 2)); }
labels(A) ::= labels(A) COLON name(N). { build_add_label(&A, build_label(build, N, 1)); }
labels(A) ::= labels(A) COLONCOLON name(N). { build_add_label(&A, build_label(build, N, 2)); }

record(A) ::= LBRACE(B) RBRACE(E). { A = build_record(B, NULL, E); }
record(A) ::= LBRACE(B) pairs(P) RBRACE(E). { A = build_record(B, &P, E); }
pairs(A) ::= key(K) COLON value(V). { A = build_pairs(build_pair(build, K, V, 1)); }
pairs(A) ::= key(K) COLONCOLON value(V). { A = build_pairs(build_pair(build, K, V, 2)); }
pairs(A) ::= pairs(A) COMMA key(K) COLON value(V). {
  build_add_pair(&A, build_pair(build, K, V, 1));
}
pairs(A) ::= pairs(A) COMMA key(K) COLONCOLON value(V). {
  build_add_pair(&A, build_pair(build, K, V, 2));
}

value(A) ::= literal(L). { A = build_scalar(build, L); }
value(A) ::= SYMBOL(T). { A = build_scalar(build, T); }
value(A) ::= number(N). { A = build_number(build, N); }
value(A) ::= SYMBOL(T) BACKTICK(B). { A = build_tagged(build, T, B); }
value(A) ::= number(L) DOTDOT number(U). { A = build_range(build, &L, L, &U, U); }
value(A) ::= number(L) ELLIPSIS(E). { A = build_range(build, &L, L, NULL, E); }
value(A) ::= ELLIPSIS(B) number(U). { A = build_range(build, NULL, B, &U, U); }
value(A) ::= record(R). { A = build_map(build, &R); }
value(A) ::= LBRACKET(B) RBRACKET(E). { A = build_array(build, B, NULL, E); }
value(A) ::= LBRACKET(B) values(L) RBRACKET(E). { A = build_array(build, B, &L, E); }
values(A) ::= value(V). { A = build_values(V); }
values(A) ::= values(A) COMMA value(V). { build_add_value(&A, V); }
