#!/usr/bin/env -S node --
// Of the words behind a program's name Node 20 reads --env-file itself, NODE_OPTIONS in that file included, unless -- stands before
// them. Whoever starts this by hand writes it as well: node -- bin/run.js …
// CommonJS, like the bundle: loading Node's other module system takes as long as a third of what is done here.
// What isn't needed for an answer costs start-up time too, so oclif is loaded only where a command runs.
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { disarmInspector, watchOutputs } = require('./guard.js');
const { load } = require('./load.js');

const root = join(__dirname, '..');
const pjson = readJson('package.json');
const argv = process.argv.slice(2);

disarmInspector();
watchOutputs();

if (isOlder(process.versions.node, pjson.engines.node.replace('>=', ''))) {
  fail(`conclave needs Node ${pjson.engines.node}; this is ${process.version} (${process.execPath}).`);
} else if (argv.length === 1 && ['--version', '-v', 'version'].includes(argv[0])) {
  process.stdout.write(`${pjson.name}/${pjson.version} ${process.platform}-${process.arch} node-${process.version}\n`);
} else if (!existsSync(join(root, 'oclif.manifest.json'))) {
  fail(`conclave is not built yet; run this once:\n  npm --prefix ${root} run build`);
} else if (argv.length === 0 || (argv.length === 1 && ['--help', '-h', 'help'].includes(argv[0]))) {
  pjson.oclif.topics = readJson('dist/topics.json');
  const { rootHelp } = load('root-help.js');
  // Neither a width nor a terminal where output goes to a file.
  const { columns, isTTY } = process.stdout;
  const style = { width: Math.min(columns || 80, 120), bold: isTTY && !process.env.NO_COLOR };
  process.stdout.write(rootHelp({ pjson, manifest: readJson('oclif.manifest.json') }, style));
} else {
  const { main } = load('main.js');
  // The manifest with all flags is for those who show them, and the one with all commands for words that name none of them.
  const isLong = argv.some((word) => ['--help', '-h', 'help', 'completion'].includes(word));
  const folder = isLong ? root : folderOfCommand(argv);
  if (folder === undefined || isLong) pjson.oclif.topics = readJson('dist/topics.json');
  void main(argv, { root: folder ?? join(root, 'dist'), pjson, userPlugins: false, devPlugins: false });
}

/** Where the manifest of a command is: of the one that most words name, as oclif finds it. */
function folderOfCommand(words) {
  let folder = join(root, 'dist/commands');
  let found;
  for (const word of words) {
    // Other words are no names, and a path would lead out of the folder.
    if (!/^[a-z][a-z-]*$/.test(word)) break;
    folder = join(folder, word);
    if (!existsSync(folder)) break;
    if (existsSync(join(folder, 'oclif.manifest.json'))) found = folder;
  }
  return found;
}

function readJson(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

function isOlder(version, wanted) {
  const [major, minor] = version.split('.').map(Number);
  const [wantedMajor, wantedMinor] = wanted.split('.').map(Number);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
