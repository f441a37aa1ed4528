// Types of index.js. Those of gramc's JSON are made from docs/formats/*.schema.json, into formats.d.ts.
import type { Diagnostics } from "./formats.js";
export type * from "./formats.js";

/** A JSON Schema, as far as a caller needs to know: an object of keywords. */
export type JsonSchema = { [keyword: string]: unknown };
export interface OpenAITool {
    type: "function";
    function: { name: string; description?: string; parameters: JsonSchema; strict?: boolean };
}
export interface Outputs {
    "json-schema": { name: string; description?: string; parameters: JsonSchema; result: JsonSchema }[];
    openai: OpenAITool[];
    "openai-strict": OpenAITool[];
    ollama: OpenAITool[];
    "openai-functions": { name: string; description?: string; parameters: JsonSchema }[];
    "openai-responses": { type: "function"; name: string; description?: string; parameters: JsonSchema; strict: boolean }[];
    anthropic: { name: string; description?: string; input_schema: JsonSchema }[];
    gemini: { functionDeclarations: { name: string; description?: string; parameters?: JsonSchema }[] }[];
    mcp: { tools: { name: string; description?: string; inputSchema: JsonSchema }[] };
    markdown: string;
}
export interface Place {
    /** The folder whose gramc.gram and imports count; the current one if left out. */
    cwd?: string;
    signal?: AbortSignal;
}
export interface CheckOptions extends Place {
    /** Warnings are errors as well. */
    strict?: boolean;
    /** The configuration, instead of the nearest gramc.gram. */
    config?: string;
}
export interface CompileOptions<Target extends string = string> extends CheckOptions {
    target?: Target;
    /** The agent to take when there are several. */
    agent?: string;
}
export declare const binary: string;
export declare class GramcError extends Error {
    code: number | null;
    report?: Diagnostics;
    constructor(message: string, code: number | null, report?: Diagnostics);
}
export declare function run(args: string[], text?: string, place?: Place):
    Promise<{ code: number; stdout: string; stderr: string }>;
export declare function check(text: string, options?: CheckOptions): Promise<Diagnostics>;
export declare function compile<Target extends keyof Outputs>(text: string,
    options: CompileOptions<Target> & { target: Target }): Promise<Outputs[Target]>;
export declare function compile(text: string, options?: CompileOptions): Promise<unknown>;
export declare function format(text: string, place?: Place): Promise<string>;
