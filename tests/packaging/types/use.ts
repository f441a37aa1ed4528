// Compiled, never run: what a caller may write by the types of the npm package, and what he may not.
import { check, compile, format, GramcError, type Diagnostics, type Run } from "gramc";
const report: Diagnostics = await check("x", { strict: true });
const code: string = report.files[0].diagnostics[0].code;
const tools = await compile("x", { target: "openai" });
const name: string = tools[0].function.name;
const mcp = await compile("x", { target: "mcp" });
const schema: { [k: string]: unknown } = mcp.tools[0].inputSchema;
const text: string = await compile("x", { target: "markdown" });
const other: unknown = await compile("x", { target: "bundle" });
// @ts-expect-error severity is one of three words
const bad: "fatal" = report.files[0].diagnostics[0].severity;
// @ts-expect-error there is no such member
report.nothing;
try { await format("x"); } catch (e) { if (e instanceof GramcError) e.report?.files; }
export { code, name, schema, text, other, bad };
export type R = Run;
