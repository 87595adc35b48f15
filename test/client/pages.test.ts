import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { collectFrom, type PageInput } from '../../src/client/pages.ts';
import { topics } from '../../src/contract/all.ts';
import type { Operation } from '../../src/contract/operation.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Lists in pages that the sources name where they read all pages of some. */
async function listsReadWhole(): Promise<Operation[]> {
  const byName = new Map<string, Operation[]>();
  for (const { contract } of Object.values(topics))
    for (const [name, one] of Object.entries(contract)) byName.set(name, [...(byName.get(name) ?? []), one]);
  const found = new Set<Operation>();
  for (const folder of ['commands', 'src/cli'])
    for (const file of await readdir(join(root, folder), { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const text = await readFile(join(root, folder, file), 'utf8');
      if (!/\b(?:collectPages|listing)\(/.test(text)) continue;
      for (const [, service = '', name = ''] of text.matchAll(/\b([a-z]\w+)\.(\w+)/g))
        for (const one of byName.get(name) ?? [])
          if (service.startsWith(one.id.split('.')[0] ?? '-') || (byName.get(name) ?? []).length === 1) found.add(one);
    }
  return [...found].filter(({ input }) => 'limit' in input.entries && 'cursor' in input.entries);
}

/** Numbers from 0, in pages of at most 10 whatever is asked for. */
function listOf(count: number) {
  const asked: PageInput[] = [];
  const read = async (page: PageInput) => {
    asked.push(page);
    const from = Number(page.cursor ?? 0);
    const end = Math.min(from + Math.min(page.limit, 10), count);
    const numbers = Array.from({ length: end - from }, (_, at) => from + at);
    return { numbers, sum: end, hasMore: end < count, ...(end < count && { cursor: String(end) }) };
  };
  return { asked, read };
}

describe('all pages', () => {
  it('are of lists that accept pages of 100', async () => {
    const lists = await listsReadWhole();
    expect(lists.map(({ id }) => id)).toEqual(expect.arrayContaining(['social.bookmarks', 'quorum.list-documents']));
    expect(
      lists.filter(({ input }) => !v.is(input.entries['limit'] as v.GenericSchema, 100)).map(({ id }) => id),
    ).toEqual([]);
  });

  it('are read one after the other', async () => {
    const { asked, read } = listOf(25);
    const { items, hasMore } = await collectFrom(read, ({ numbers }) => numbers);
    expect(items).toEqual(Array.from({ length: 25 }, (_, at) => at));
    expect(hasMore).toBe(false);
    expect(asked).toEqual([{ limit: 100 }, { limit: 100, cursor: '10' }, { limit: 100, cursor: '20' }]);
  });

  it('end where there are enough, and say that there are more', async () => {
    const { asked, read } = listOf(25);
    const ends: number[] = [];
    const each = ({ sum }: { sum: number }) => void ends.push(sum);
    expect(await collectFrom(read, ({ numbers }) => numbers, { most: 12, perPage: 10, each })).toMatchObject({
      hasMore: true,
    });
    expect(asked).toEqual([{ limit: 10 }, { limit: 2, cursor: '10' }]);
    expect(ends).toEqual([10, 12]);
    expect(await collectFrom(listOf(12).read, ({ numbers }) => numbers, { most: 12 })).toMatchObject({
      hasMore: false,
    });
  });

  it('may be empty, and go on behind one that is', async () => {
    const pages = [[1], [], [2]];
    const read = async ({ cursor }: PageInput) => {
      const at = Number(cursor ?? 0);
      return { numbers: pages[at] ?? [], hasMore: at < 2, cursor: at < 2 ? String(at + 1) : undefined };
    };
    expect((await collectFrom(read, ({ numbers }) => numbers)).items).toEqual([1, 2]);
  });

  it.each([{}, { cursor: undefined }, { cursor: null }])('end with the page that says %j', async (end) => {
    const asked: PageInput[] = [];
    const read = async (page: PageInput) => {
      asked.push(page);
      return page.cursor === undefined
        ? { numbers: [1], hasMore: true, cursor: 'next' }
        : { numbers: [2], hasMore: false, ...end };
    };
    expect(await collectFrom(read, ({ numbers }) => numbers)).toEqual({ items: [1, 2], hasMore: false });
    expect(await collectFrom(read, ({ numbers }) => numbers, { most: 2 })).toEqual({ items: [1, 2], hasMore: false });
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, 'next', undefined, 'next']);
  });

  it('do not go round in a circle', async () => {
    const read = async () => ({ numbers: [1], hasMore: true, cursor: 'again' });
    await expect(collectFrom(read, ({ numbers }) => numbers)).rejects.toMatchObject({
      kind: 'network',
      code: 'BAD_REPLY',
    });
  });
});
