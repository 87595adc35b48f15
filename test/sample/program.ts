/**
 * The program with one more service: one more element in the list of services, and one more folder of commands. It runs the command lines
 * that its argument holds as JSON; without one it prints the first page of help.
 */
import { Config, Plugin, settings } from '@oclif/core';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '../../src/cli/kit/main.ts';
import { rootHelp, type HelpSource } from '../../src/cli/kit/root-help.ts';
import type { Service } from '../../src/service/service-parts.ts';
import { services } from '../../src/node/services.ts';
import { topicsBelow } from '../cli/all-commands.ts';
import { notebookService } from './notebook.ts';

(services as Service[]).push(notebookService);
settings.enableAutoTranspile = false;

const root = fileURLToPath(new URL('../..', import.meta.url));
const pjson = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as HelpSource['pjson'];

async function commandsOf(folder: string, name: string): Promise<Plugin> {
  const commands = { strategy: 'pattern', target: './commands' };
  const oclif = { ...pjson.oclif, commands, topics: await topicsBelow(join(folder, 'commands')) };
  const described = { ...pjson, name, oclif };
  const plugin = new Plugin({ ignoreManifest: true, isRoot: true, pjson: described as never, root: folder });
  await plugin.load();
  return plugin;
}

const lines = process.argv[2];
const own = await commandsOf(fileURLToPath(new URL('.', import.meta.url)), 'notebook');
// Loading the commands of all services takes seconds, and only the first page of help shows them.
const plugins = lines === undefined ? [await commandsOf(root, pjson.name), own] : [own];
const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
const config = await Config.load({ root, pjson: own.pjson, plugins: byName });
if (lines === undefined) {
  const top = config.topics.filter(({ name }) => !name.includes(':'));
  const topics = Object.fromEntries(top.map(({ name, description = '' }) => [name, { description }]));
  const commands = Object.fromEntries(config.commands.map((command) => [command.id, command]));
  const source = { pjson: { ...pjson, oclif: { ...pjson.oclif, topics } }, manifest: { commands } } as HelpSource;
  process.stdout.write(rootHelp(source, { width: 100, bold: false }));
} else {
  for (const line of JSON.parse(lines) as string[][]) await main(line, config);
}
