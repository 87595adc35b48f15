#!/usr/bin/env node
// The commands from their sources: nothing to build between an edit and a try.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Plugin, settings } from '@oclif/core';
import { register } from 'tsx/esm/api';

register();
// oclif's own way of running TypeScript looks for a tsx that it can't drive; the line above has done it.
settings.enableAutoTranspile = false;

const root = fileURLToPath(new URL('..', import.meta.url));
const pjson = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
pjson.oclif.commands.target = './commands';
// The manifest describes what was built last, not what stands in commands/ now.
const plugin = new Plugin({ ignoreManifest: true, isRoot: true, pjson, root });
await plugin.load();

const { main } = await import('../src/cli/main.ts');
await main(process.argv.slice(2), { root, pjson, plugins: [plugin] });
