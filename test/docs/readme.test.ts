import { describe, expect, it } from 'vitest';
import { commandsDocument } from './commands-page.ts';
import { readDocuments } from './documents.ts';

const documents = [...(await readDocuments()), await commandsDocument()];
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
  it('ends no processes by their names, and promises nothing', () => {
    for (const { text, path } of manual)
      expect({ path, found: text.match(/pkill|killall|\byet\b|\bcoming soon\b|\broadmap\b/gi) }).toEqual({
        path,
        found: null,
      });
  });
});
