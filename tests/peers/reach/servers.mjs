// What MCP servers from npm say when they are asked for their tools, over stdio and without a network.
// Keys are made up: a server that asks its service before it lists is not among them.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const PATIENCE = 20000;
const NOWHERE = 'http://127.0.0.1:9';
const KEYS = [
  'AIRTABLE_API_KEY', 'API_TOKEN', 'ARGOCD_API_TOKEN', 'ASANA_ACCESS_TOKEN', 'ATLASSIAN_API_TOKEN', 'ATLASSIAN_SITE_NAME',
  'AZURE_DEVOPS_PAT', 'BACKLOG_API_KEY', 'BITBUCKET_TOKEN', 'BRAVE_API_KEY', 'CHANNEL_ACCESS_TOKEN', 'CIRCLECI_TOKEN',
  'CODACY_ACCOUNT_TOKEN', 'COOLIFY_ACCESS_TOKEN', 'CURRENTS_API_KEY', 'FIRECRAWL_API_KEY', 'GITHUB_PERSONAL_ACCESS_TOKEN',
  'GITLAB_PERSONAL_ACCESS_TOKEN', 'GOOGLE_MAPS_API_KEY', 'HOSTINGER_API_TOKEN', 'JIRA_API_TOKEN', 'LINEAR_API_TOKEN',
  'METABASE_API_KEY', 'NOTION_TOKEN', 'PERPLEXITY_API_KEY', 'POSTMAN_API_KEY', 'PRIVATE_APP_ACCESS_TOKEN', 'SHORTCUT_API_TOKEN',
  'SLACK_BOT_TOKEN', 'SLACK_TEAM_ID', 'TAVILY_API_KEY', 'TRELLO_API_KEY', 'TRELLO_BOARD_ID', 'TRELLO_TOKEN', 'XERO_CLIENT_ID',
  'XERO_CLIENT_SECRET',
];
const ARGUMENTS = {
  '@modelcontextprotocol/server-postgres': ['postgresql://a:b@127.0.0.1:9/x'],
  '@modelcontextprotocol/server-filesystem': [os.tmpdir()],
  '@sentry/mcp-server': ['--access-token=made-up'],
  'argocd-mcp': ['stdio'],
};
const environment = (home) => ({
  PATH: process.env.PATH,
  HOME: home,
  ...Object.fromEntries(KEYS.map((key) => [key, 'made-up-0000000000000000000000000'])),
  ARGOCD_BASE_URL: NOWHERE,
  AZURE_DEVOPS_AUTH_METHOD: 'pat',
  AZURE_DEVOPS_ORG_URL: NOWHERE,
  BITBUCKET_URL: NOWHERE,
  BITBUCKET_WORKSPACE: 'a',
  COOLIFY_BASE_URL: NOWHERE,
  JIRA_BASE_URL: NOWHERE,
  JIRA_EMAIL: 'a@b.co',
  METABASE_URL: NOWHERE,
  BACKLOG_DOMAIN: 'a.backlog.com',
  BRAVE_MCP_TRANSPORT: 'stdio',
  ATLASSIAN_USER_EMAIL: 'a@b.co',
});

const own = spawnSync('unshare', ['-rn', 'true']).status === 0 ? ['unshare', '-rn'] : [];

function program(folder, name) {
  const { bin, main } = JSON.parse(fs.readFileSync(path.join(folder, name, 'package.json'), 'utf8'));
  return path.join(folder, name, typeof bin === 'string' ? bin : (Object.values(bin ?? {})[0] ?? main));
}

// The tools of one server; throws if it does not answer.
export async function tools(folder, name) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-reach-'));
  const words = [...own, process.execPath, program(folder, name), ...(ARGUMENTS[name] ?? [])];
  const child = spawn(words[0], words.slice(1), { cwd: home, env: environment(home), stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let rest = '';
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines)
      try {
        const message = JSON.parse(line);
        waiting.get(message.id)?.(message);
      } catch {
        // A banner, not a message.
      }
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = (id, method, params) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name} does not answer ${method}`)), PATIENCE);
      waiting.set(id, (message) => {
        clearTimeout(timer);
        resolve(message.result);
      });
      child.on('exit', () => reject(new Error(`${name} ended before it answered ${method}`)));
      send({ id, method, params });
    });
  try {
    await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'reach', version: '1' } });
    send({ method: 'notifications/initialized' });
    const all = [];
    for (let id = 2, cursor; id < 50; id++) {
      const result = await ask(id, 'tools/list', cursor ? { cursor } : {});
      all.push(...result.tools);
      cursor = result.nextCursor;
      if (!cursor) break;
    }
    return all;
  } finally {
    child.kill('SIGKILL');
    fs.rmSync(home, { recursive: true, force: true });
  }
}
