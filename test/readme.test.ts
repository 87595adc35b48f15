import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { flagOf, options, variableOf } from '../src/config/options.ts';
import { openBlocks } from '../src/store/blocks.ts';
import { latestVersion } from '../src/store/migrations.ts';
import { verifyStore } from '../src/store/verify.ts';
import { allCommands } from './cli/all-commands.ts';
import { engines, openTestStore, temporaryFolder } from './support/stores.ts';

const readme = await readFile('README.md', 'utf8');
const rows = readme.split('\n').filter((line) => line.startsWith('|'));

describe('README.md', () => {
  it('begins with the two commands', () => {
    const top = readme.split('\n').slice(0, 25).join('\n');
    expect(top).toContain('scripts/start');
    expect(top).toContain('scripts/test');
  });

  it('names every command', async () => {
    const ids = [...(await allCommands()).keys()];
    expect(ids.length).toBeGreaterThan(20);
    expect(ids.filter((id) => !rows.some((row) => row.includes(`\`conclave ${id}\``)))).toEqual([]);
  });

  it('shows a store of this version in its tour', async () => {
    await using folder = await temporaryFolder();
    await using database = await openTestStore(engines[0]!);
    const checks = await verifyStore(database, openBlocks(folder.path));
    expect(checks).toHaveLength(4);
    for (const { name, detail } of checks) expect(readme).toMatch(new RegExp(`^${name} +ok +${detail}$`, 'm'));
    expect(readme).toMatch(new RegExp(`^Store +SQLite file, .*, schema ${latestVersion()}$`, 'm'));
  });

  it.each(Object.values(options))('tells $key with its variable, flag and default', (option) => {
    const row = rows.find((line) => line.includes(`\`${option.key}\``));
    expect(row).toContain(`\`${variableOf(option.key)}\``);
    if (option.flag) expect(row).toContain(`\`--${flagOf(option.key)}\``);
    if (option.fallback) expect(row).toContain(`\`${option.fallback}\``);
  });
});
