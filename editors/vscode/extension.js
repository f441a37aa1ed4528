// Starts `gramc lsp` for .gram files, shows the printed schema beside the spec and keeps it up to date, runs agents in a terminal.
const vscode = require("vscode");
const {LanguageClient} = require("vscode-languageclient/node");

const SCHEME = "gramc-schema";
let client;

function settings() { return vscode.workspace.getConfiguration("gramc"); }

async function start() {
  const command = settings().get("path");
  client = new LanguageClient("gramc", "gramc", {command, args: ["lsp", ...settings().get("arguments")]}, {
    documentSelector: [{language: "gram", scheme: "file"}, {language: "gram", scheme: "untitled"}],
    synchronize: {configurationSection: "gramc", fileEvents: vscode.workspace.createFileSystemWatcher("**/*.gram")},
    initializationOptions: {rename: {keepWireNames: settings().get("rename.keepWireNames")}},
  });
  try {
    await client.start();
  } catch (error) {
    const open = "Open settings";
    if (await vscode.window.showErrorMessage(`${command} cannot be started (the setting gramc.path): ${error.message || error}`, open) === open)
      vscode.commands.executeCommand("workbench.action.openSettings", "gramc.path");
  }
}

// What the schema of a document is: read again whenever the document changes.
class Schemas {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChange = this.changed.event;
  }

  async provideTextDocumentContent(uri) {
    const {source, agent, target} = JSON.parse(uri.query);
    try {
      return await client.sendRequest("workspace/executeCommand", {command: "gramc.schema", arguments: [source, agent, target]});
    } catch (error) {
      return JSON.stringify(error.message);
    }
  }
}

function schemaUri(source, agent) {
  const target = settings().get("target");
  const name = source.split("/").pop();
  const kind = {gbnf: "txt", regex: "txt", markdown: "md"}[target] || "json";
  return vscode.Uri.from({scheme: SCHEME, path: `/${name}${agent ? "." + agent : ""}.${target}.${kind}`, query: JSON.stringify({source, agent, target})});
}

async function showSchema(schemas, source, agent) {
  const editor = vscode.window.activeTextEditor;
  if (!source && editor) source = editor.document.uri.toString();
  if (!source) return;
  const document = await vscode.workspace.openTextDocument(schemaUri(source, agent || ""));
  await vscode.window.showTextDocument(document, {viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true});
}

function refresh(schemas, event) {
  for (const document of vscode.workspace.textDocuments)
    if (document.uri.scheme === SCHEME && JSON.parse(document.uri.query).source === event.document.uri.toString())
      schemas.changed.fire(document.uri);
}

// The command is typed and not sent: a run may cost money. From the palette: the file that is shown, and its only agent.
function run(source, agent) {
  const editor = vscode.window.activeTextEditor;
  if (typeof source !== "string") source = editor && editor.document.languageId === "gram" ? editor.document.uri.toString() : "";
  if (!source) return void vscode.window.showInformationMessage("Open a .gram file whose agent shall run.");
  const terminal = vscode.window.createTerminal("gramc");
  const path = vscode.Uri.parse(source).fsPath;
  const quoted = (text) => `'${text.replace(/'/g, `'\\''`)}'`;
  terminal.show();
  terminal.sendText(`${quoted(settings().get("path"))} run ${quoted(path)}${agent ? ` --agent ${quoted(agent)}` : ""} --chat`, false);
}

// One that never started cannot be stopped.
async function stop() {
  if (client && client.isRunning()) await client.stop();
}

async function activate(context) {
  const schemas = new Schemas();
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, schemas),
    vscode.workspace.onDidChangeTextDocument((event) => refresh(schemas, event)),
    vscode.commands.registerCommand("gramc.showSchema", (source, agent) => showSchema(schemas, typeof source === "string" ? source : undefined, agent)),
    vscode.commands.registerCommand("gramc.run", run),
    vscode.commands.registerCommand("gramc.restart", async () => { await stop(); await start(); }));
  await start();
}

module.exports = {activate, deactivate: stop};
