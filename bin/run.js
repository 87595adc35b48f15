#!/usr/bin/env -S node --
// Of the words behind a program's name Node 20 reads --env-file itself, NODE_OPTIONS in that file included, unless -- stands before
// them. Whoever starts this by hand writes it as well: node -- bin/run.js …
// CommonJS, like the bundle: loading Node's other module system takes as long as a third of what is done here.
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { asksVersion, sayVersion } = require('./version.js');

const root = join(__dirname, '..');
const argv = process.argv.slice(2);
const has = (name) => existsSync(join(root, name));
const readJson = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const pjson = readJson('package.json');
const needed = pjson.engines.node;

if (isOlder(process.versions.node, needed.replace('>=', ''))) {
  fail(`conclave needs Node ${needed}; this is ${process.version} (${process.execPath}).`);
} else if (asksVersion(argv)) {
  sayVersion(pjson);
} else {
  const { disarmInspector, watchOutputs } = require('./guard.js');
  disarmInspector();
  watchOutputs();
  if (has('oclif.manifest.json')) {
    const { load } = require('./load.js');
    require('./start.js').start({ root, pjson, has, readJson, load }, argv);
  } else {
    fail(`conclave is not built yet; run this once:\n  npm --prefix ${root} run build`);
  }
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
