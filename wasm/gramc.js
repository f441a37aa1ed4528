// gramc in JavaScript: loads gramc.wasm and asks it. Needs no other file, no network and no glue of
// emscripten's; runs in Node 18 and later, in browsers and in workers. gramc.d.ts says what each function takes and gives.

/** Thrown where gramc gave no answer: `status` says why. */
export class GramcError extends Error {
    constructor(message, status) {
        super(message);
        this.name = 'GramcError';
        this.status = status;
    }
}

const ENOSYS = 52;
// libc is linked with what prints to the console and ends the program; the library calls none of it.
const refuse = () => ENOSYS;
const imports = {
    env: {emscripten_notify_memory_growth() {}},
    wasi_snapshot_preview1: {
        fd_write: refuse, fd_close: refuse, fd_seek: refuse,
        proc_exit(code) { throw new GramcError(`gramc.wasm ended itself (${code})`, 'internal'); },
    },
};

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', {ignoreBOM: true});

// What comes as JSON in a text is handed out as a value.
function openReport(reply, format = 'json') {
    if (reply.report !== undefined && (format === 'json' || format === 'sarif')) reply.report = JSON.parse(reply.report);
}

/** One instance of the module. After a failure inside it the next call gets a new one. */
export class Gramc {
    #module;
    #exports;

    constructor(module) {
        this.#module = module;
        this.#start();
    }

    #start() {
        this.#exports = new WebAssembly.Instance(this.#module, imports).exports;
        this.#exports._initialize();
    }

    #put(bytes) {
        const at = this.#exports.gramc_wasm_alloc(bytes.length + 1);
        if (!at) throw new GramcError('there is no memory for the request', 'memory');
        const memory = new Uint8Array(this.#exports.memory.buffer, at, bytes.length + 1);
        memory.set(bytes);
        memory[bytes.length] = 0;
        return at;
    }

    #take(at) {
        if (!at) throw new GramcError('there is no memory for the answer', 'memory');
        const memory = new Uint8Array(this.#exports.memory.buffer);
        return decoder.decode(memory.subarray(at, memory.indexOf(0, at)));
    }

    #ask(operation, request) {
        const {gramc_wasm_call: call, gramc_wasm_free: free} = this.#exports;
        const bytes = encoder.encode(request), name = this.#put(encoder.encode(operation)), text = this.#put(bytes);
        const reply = call(name, text, bytes.length);
        const answer = this.#take(reply);
        for (const at of [name, text, reply]) free(at);
        return answer;
    }

    /** The reply to an operation as gramc writes it: JSON, byte for byte. */
    raw(operation, request = {}) {
        try {
            return this.#ask(operation, JSON.stringify(request));
        } catch (error) {
            this.#start();
            if (error instanceof GramcError) throw error;
            throw new GramcError(`gramc.wasm failed: ${error.message}`, 'internal');
        }
    }

    #call(operation, request) {
        const reply = JSON.parse(this.raw(operation, request));
        if (['usage', 'limit', 'internal'].includes(reply.status))
            throw new GramcError(reply.message ?? `gramc gave no answer (${reply.status})`, reply.status);
        openReport(reply, operation === 'import' ? 'text' : request.format);
        return reply;
    }

    check(text, options = {}) { return this.#call('check', {...options, text}); }
    compile(text, target, options = {}) { return this.#call('compile', {...options, text, target}); }
    import(text, options = {}) { return this.#call('import', {...options, text}); }
    diff(before, after, options = {}) { return this.#call('diff', {...options, before, after}); }
    format(text, options = {}) { return this.#call('format', {...options, text}); }
    fix(text, options = {}) { return this.#call('fix', {...options, text}); }
    explain(code) { return this.#call('explain', {code}); }
    version() { return this.#call('version', {}); }
}

async function bytesBeside() {
    const url = new URL('gramc.wasm', import.meta.url);
    if (url.protocol !== 'file:') return (await fetch(url)).arrayBuffer();
    const {readFile} = await import('node:fs/promises');
    return readFile(url);
}

/** Loads gramc from a compiled module, from bytes, or (nothing said) from the gramc.wasm beside this file. */
export async function load(source) {
    const module = source instanceof WebAssembly.Module ? source
        : await WebAssembly.compile(source ?? await bytesBeside());
    return new Gramc(module);
}
