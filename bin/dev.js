#!/usr/bin/env -S node --
// The commands from their sources: nothing to build between an edit and a try.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Plugin, settings } = require('@oclif/core');
const { disarmInspector, watchOutputs } = require('./guard.js');
const { topicsBelow } = require('./topics.js');

disarmInspector();
watchOutputs();

async function run(argv) {
  // Its CommonJS form doesn't find its own files.
  const { register } = await import('tsx/esm/api');
  register();
  // oclif's own way of running TypeScript looks for a tsx that it can't drive; the line above has done it.
  settings.enableAutoTranspile = false;
  const root = join(__dirname, '..');
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  pjson.oclif.commands.target = './commands';
  pjson.oclif.topics = topicsBelow(join(root, 'commands'));
  // The manifest describes what was built last, not what stands in commands/ now.
  const plugin = new Plugin({ ignoreManifest: true, isRoot: true, pjson, root });
  await plugin.load();
  const { main } = await import('../src/cli/kit/main.ts');
  await main(argv, { root, pjson, plugins: [plugin] });
}

void run(process.argv.slice(2));
