// What `gramc` says, as values: each function runs the program that is in this package. No dependency, no
// network, nothing is installed behind your back.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The program; GRAMC_BINARY names another one. */
export const binary = process.env.GRAMC_BINARY ||
    fileURLToPath(new URL(`./bin/linux-${process.arch}/gramc`, import.meta.url));

/** Thrown where gramc gave no answer: `code` is its exit status, `report` its findings, if there are any. */
export class GramcError extends Error {
    constructor(message, code, report) {
        super(message);
        this.name = "GramcError";
        this.code = code;
        this.report = report;
    }
}

/** Runs gramc with these arguments and this text on standard input; resolves whatever its status is. */
export function run(args, text = "", { cwd, signal } = {}) {
    return new Promise((resolve, reject) => {
        const child = spawn(binary, args, { cwd, signal, stdio: "pipe" });
        const out = [], err = [];
        child.stdout.on("data", (part) => out.push(part));
        child.stderr.on("data", (part) => err.push(part));
        child.stdin.on("error", () => {}); // it may end before it has read everything
        child.on("error", reject);
        child.on("close", (code, killed) => {
            const stdout = Buffer.concat(out).toString(), stderr = Buffer.concat(err).toString();
            if (code === null) reject(new GramcError(`gramc was ended by ${killed}`, null));
            else resolve({ code, stdout, stderr });
        });
        child.stdin.end(text);
    });
}

/** The value of an option behind its name, in one word, so that it cannot be another option. */
function words(options) {
    return Object.entries(options).filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}

/** All findings of a spec, as `gramc check --format json` prints them. */
export async function check(text, { strict, config, ...place } = {}) {
    const done = await run(["check", "-", ...words({ format: "json", strict, config })], text, place);
    if (done.code > 1) throw new GramcError(done.stderr.trim() || "gramc check failed", done.code);
    return JSON.parse(done.stdout);
}

/** The tools of a spec for a target; text for `markdown`, else a value. */
export async function compile(text, { target, agent, strict, config, ...place } = {}) {
    const done = await run(["compile", "-", ...words({ target, agent, strict, config })], text, place);
    if (done.code === 1)
        throw new GramcError(done.stderr.trim(), 1, await check(text, { strict, config, ...place }));
    if (done.code !== 0) throw new GramcError(done.stderr.trim() || "gramc compile failed", done.code);
    return target === "markdown" ? done.stdout : JSON.parse(done.stdout);
}

/** The same text in the one style that there is. */
export async function format(text, place = {}) {
    const done = await run(["fmt", "-"], text, place);
    if (done.code !== 0) throw new GramcError(done.stderr.trim() || "it cannot be formatted", done.code);
    return done.stdout;
}
