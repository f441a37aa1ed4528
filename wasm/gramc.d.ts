/** Thrown where gramc gave no answer. */
export class GramcError extends Error {
    /** `usage`: the request is wrong; `limit`: a stated limit was passed; `memory`; `internal`: please report. */
    readonly status: 'usage' | 'limit' | 'memory' | 'internal';
}

/** Lines from 0, characters from 0 in UTF-16 units, as strings of JavaScript have them. */
export interface Position { line: number; character: number }
export interface Range { start: Position; end: Position }

export interface Diagnostic {
    severity: 'error' | 'warning' | 'information';
    code: string;
    slug: string;
    message: string;
    range: Range;
    help?: string;
    /** Edits that remove it and need no decision; all belong together. */
    fix?: { range: Range; newText: string }[];
    related: { path: string; message: string; range: Range }[];
    /** Of changes only. */
    impact?: 'breaking' | 'additive' | 'cosmetic';
    callers?: 'breaking' | 'additive' | 'cosmetic' | 'none';
    implementers?: 'breaking' | 'additive' | 'cosmetic' | 'none';
    example?: string;
}

/** What `gramc check --format json` prints. */
export interface Report {
    schema_version: number;
    tool: string;
    files: { path: string; diagnostics: Diagnostic[] }[];
}

export interface SpecOptions {
    /** How findings call the text; `spec.gram`. */
    name?: string;
    /** What the spec imports or names, by path. Without it a spec can name no file. */
    files?: Record<string, string>;
    /** The text of a gramc.gram. */
    configuration?: string;
    /** Of the report: `json` unless said otherwise. */
    format?: string;
    /** Warnings fail as errors do. */
    strict?: boolean;
    /** Notes on what is recommended, too. */
    advice?: boolean;
}

export interface Reply {
    version: string;
    status: 'ok' | 'findings' | 'not-found' | 'ambiguous';
}

export interface Findings extends Reply {
    errors: number;
    warnings: number;
    notes: number;
    /** A value for `json` and `sarif`, else text. */
    report: Report;
}

export interface Compiled extends Findings {
    /** The names of the agents; with several, one must be chosen. Absent while there are errors. */
    agents?: string[];
    /** Text of the target: JSON but for `markdown`. Absent unless `status` is `ok`. */
    output?: string;
}

export interface Imported extends Reply {
    errors: number;
    warnings: number;
    notes: number;
    /** What could not be said as it was, for people. */
    report: string;
    /** The spec. */
    output?: string;
    /** The tool library that calls an HTTP interface; one without implementations for anything else. */
    library?: string;
}

export interface Difference extends Partial<Findings> {
    status: 'ok' | 'findings';
    breaking?: number;
    additive?: number;
    cosmetic?: number;
    /** With `findings`: which of the two has the errors that the report holds. */
    side?: 'before' | 'after';
    version: string;
}

export interface Formatted extends Partial<Findings> {
    status: 'ok' | 'findings';
    output?: string;
    version: string;
}

export interface Explanation extends Reply {
    code?: string;
    slug?: string;
    explanation?: string;
    /** Specs that give the finding, and that do not; may be empty. */
    bad?: string;
    good?: string;
}

export interface Version extends Reply {
    notation: string;
    targets: { name: string; about: string }[];
    kinds: { name: string }[];
    formats: { name: string; about: string }[];
}

export class Gramc {
    constructor(module: WebAssembly.Module);
    check(text: string, options?: SpecOptions & { target?: string }): Findings;
    compile(text: string, target: string, options?: SpecOptions & { agent?: string }): Compiled;
    import(text: string, options?: { name?: string; kind?: string; agent?: string }): Imported;
    diff(before: string, after: string, options?: { format?: string }): Difference;
    format(text: string, options?: SpecOptions): Formatted;
    /** `output` is the text with all safe fixes made that do not overlap. */
    fix(text: string, options?: SpecOptions): Reply & { output: string; fixed: number };
    /** By code or slug; `status` is `not-found` for another. */
    explain(code: string): Explanation;
    version(): Version;
    /** The reply as gramc writes it: JSON, byte for byte. */
    raw(operation: string, request?: object): string;
}

/** From a compiled module, from bytes, or (nothing said) from the gramc.wasm beside this file. */
export function load(source?: WebAssembly.Module | BufferSource): Promise<Gramc>;
