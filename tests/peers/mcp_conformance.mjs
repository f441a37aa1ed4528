// Runs the official conformance suite's client scenarios of both revisions of MCP against the
// runtime's client, by way of tests/mcp/probe.c, and counts checks, for some scenarios pass with
// none:
//     mcp_conformance.mjs PROBE
// Every scenario must pass with at least one check, but for those that
// mcp_expected_failures.yml names, which must fail: sign-in alone stands there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [probe] = process.argv.slice(2);
const here = import.meta.dirname;
const suite = path.join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const expected = new Set(
  fs
    .readFileSync(path.join(here, 'mcp_expected_failures.yml'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('  - '))
    .map((line) => line.slice(4).trim()),
);
for (const name of expected) assert.match(name, /^auth\//, `${name} has nothing to do with sign-in`);

// A form that a person fills in. The client says that it cannot ask anybody, and the scenario asks
// it all the same.
const NOT_ABOUT_TOOLS = new Set(['elicitation-sep1034-client-defaults']);
const REVISIONS = { '2025-11-25': 15, '2026-07-28': 55 }; // checks that there are at least

function output(...options) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-conformance-'));
  try {
    const args = [suite, 'client', '--command', probe, '-o', folder, ...options];
    const { stdout, stderr, error } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      timeout: 240000,
      maxBuffer: 1 << 26,
    });
    assert.ifError(error);
    return `${stdout}\n${stderr}`;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

// The suite runs all of them at once, and some measure time: what fails there is run alone.
function alone(revision, name) {
  const said = output('--scenario', name, '--spec-version', revision);
  const [, passed, failed] = said.match(/Passed: (\d+)\/\d+, (\d+) failed/) ?? [];
  assert.ok(passed, said);
  console.log(`${revision} ${name} was run again, alone`);
  return { name, passed: +passed, failed: +failed };
}

function run(revision) {
  const all = output('--requirements', revision).matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gmu);
  return [...all].map(([, name, passed, failed]) =>
    name.startsWith('auth/') || NOT_ABOUT_TOOLS.has(name) || (+passed && !+failed)
      ? { name, passed: +passed, failed: +failed }
      : alone(revision, name),
  );
}

const failing = new Set();
for (const [revision, least] of Object.entries(REVISIONS)) {
  let checks = 0;
  const scenarios = run(revision);
  assert.ok(scenarios.length > 20, `${revision}: only ${scenarios.length} scenarios were run`);
  for (const { name, passed, failed } of scenarios) {
    if (failed) failing.add(name);
    if (NOT_ABOUT_TOOLS.has(name)) continue;
    assert.equal(failed > 0, expected.has(name), `${revision} ${name}: ${passed} passed, ${failed} failed`);
    if (name.startsWith('auth/')) continue;
    assert.ok(passed > 0, `${revision} ${name} passes without a check`);
    console.log(`${revision} ${name}: ${passed} checks`);
    checks += passed;
  }
  console.log(`${revision}: ${checks} checks passed, none failed`);
  assert.ok(checks >= least, `${revision}: ${checks} checks, ${least} are known`);
}
for (const name of expected) assert.ok(failing.has(name), `${name} was expected to fail`);
console.log(`${expected.size} scenarios of sign-in fail, as expected`);
for (const name of NOT_ABOUT_TOOLS) console.log(`not about tools, not counted: ${name}`);
