import { describe, expect, it } from 'vitest';
import { openBlocks } from '../../src/store/blocks.ts';
import { latestVersion } from '../../src/store/migrations.ts';
import { verifyStore } from '../../src/store/verify.ts';
import { engines, openTestStore, temporaryFolder } from '../support/stores.ts';
import { readDocuments } from './documents.ts';

const documents = await readDocuments();
const readme = documents.find(({ path }) => path === 'README.md')!.text;
const manual = documents.filter(({ path }) => path !== 'CONTRIBUTING.md');

describe('README.md', () => {
  it('begins with the two commands, and has at most 150 lines', () => {
    const lines = readme.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(150);
    const top = lines.slice(0, 15).join('\n');
    expect(top).toContain('scripts/start');
    expect(top).toContain('scripts/test');
  });

  it('speaks to people with passwords first', () => {
    const headings = [...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings[0]).toBe('For people with passwords');
  });
});

describe('the manual', () => {
  it('shows a store of this version', async () => {
    await using folder = await temporaryFolder();
    await using database = await openTestStore(engines[0]!);
    const checks = await verifyStore(database, openBlocks(folder.path));
    expect(checks).toHaveLength(4);
    const shown = manual.flatMap(({ text }) => text.match(/^(?:schema|tables|references|blocks) +ok +.*$/gm) ?? []);
    expect(shown.length).toBeGreaterThanOrEqual(4);
    for (const line of shown) {
      const [name, , ...detail] = line.split(/ +/);
      expect({ name, detail: detail.join(' ') }).toEqual({
        name,
        detail: checks.find((check) => check.name === name)?.detail,
      });
    }
    const schemas = manual.flatMap(({ text }) => [...text.matchAll(/^Store +SQLite file, .*, schema (\d+)$/gm)]);
    expect(schemas.length).toBeGreaterThan(0);
    for (const [, schema] of schemas) expect(schema).toBe(String(latestVersion()));
  });

  it('ends no processes by their names, and promises nothing', () => {
    for (const { text, path } of manual)
      expect({ path, found: text.match(/pkill|killall|\byet\b|\bcoming soon\b|\broadmap\b/gi) }).toEqual({
        path,
        found: null,
      });
  });
});
