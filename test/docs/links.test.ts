import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsDocument } from './commands-page.ts';
import { anchorsOf, parseDocument, readDocuments, root, type Document } from './documents.ts';

const documents = [...(await readDocuments()), await commandsDocument()];

async function brokenLinks(document: Document, all: readonly Document[]): Promise<string[]> {
  const broken: string[] = [];
  for (const [, target = ''] of document.prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(target)) continue;
    const [file = '', anchor] = target.split('#');
    const path = file === '' ? document.path : join(dirname(document.path), file);
    const found = all.find((other) => other.path === path);
    const there =
      found !== undefined ||
      (await access(join(root, path)).then(
        () => true,
        () => false,
      ));
    if (!there || (anchor !== undefined && !(found && anchorsOf(found).includes(anchor)))) broken.push(target);
  }
  return broken;
}

describe('links of the documents', () => {
  it.each(documents.map((document) => [document.path, document] as const))(
    '%s: lead somewhere',
    async (_, document) => {
      expect(await brokenLinks(document, documents)).toEqual([]);
    },
  );

  it('lead to every document, from README.md', () => {
    const linked = new Set(['README.md']);
    for (const from of linked) {
      const document = documents.find(({ path }) => path === from);
      for (const [, target = ''] of document?.prose.matchAll(/\]\(([^)\s#]+)/g) ?? [])
        linked.add(join(dirname(from), target));
    }
    expect(documents.map(({ path }) => path).filter((path) => !linked.has(path))).toEqual([]);
  });

  it('are checked', async () => {
    const wrong = parseDocument(
      'docs/x.md',
      '# A b\n[a](#a-b) [b](#nowhere) [c](missing.md) [d](cli.md#exit-codes) [e](cli.md#none) [f](commands.md#conclave-vault-get) [g](commands.md#conclave-none)',
    );
    expect(await brokenLinks(wrong, [...documents, wrong])).toEqual([
      '#nowhere',
      'missing.md',
      'cli.md#none',
      'commands.md#conclave-none',
    ]);
  });
});
