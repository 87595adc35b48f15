import { describe, expect, it } from 'vitest';
import { bothEngines } from '../../support/stores.ts';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import { openScene } from './scene.ts';

describe.each(bothEngines)('a search of many files on %s', (engine) => {
  it('counts what is below a folder of the trash only with the trash, and what others hide not at all', async () => {
    await using scene = await openScene(engine);
    const [kept, thrown] = [await scene.folder('kept'), await scene.folder('thrown')];
    const below = await scene.folder('below', thrown);
    for (const [name, folder] of [
      ['one x.txt', kept],
      ['two x.txt', below],
      ['three.txt', kept],
    ] as const)
      await scene.file('x', { name, folder });
    const total = async (query: string, token = scene.owner.token) =>
      (await scene.get('GET', `/files/search?${query}`, undefined, { token })).total as number;
    expect(await total('query=x.txt')).toBe(2);
    await scene.get('DELETE', `/folders/${thrown}`);
    expect([await total('query=x.txt'), await total('query=x.txt&deleted=true'), await total('')]).toEqual([1, 2, 2]);
    const guest = await scene.house.register();
    await scene.grant('folder', kept, { principalId: guest.memberId, level: 'viewer' });
    const made = await scene.get('POST', '/vaults', { name: 'Own' }, { token: guest.token });
    const own = { token: guest.token, container: made.id as string, folder: made.rootFolderId as string };
    await scene.file('x', { name: 'four X.TXT', ...own });
    expect([await total('query=x.txt', guest.token), await total('', guest.token)]).toEqual([2, 3]);
    expect(await total(`folderId=${kept}`, guest.token)).toBe(2);
  });

  it('finds texts as they are, also in descriptions, and pages them in one order', async () => {
    await using scene = await openScene(engine);
    const ids: string[] = [];
    for (const name of ['50% off.txt', '50_ off.txt', 'plain.txt', 'other.txt'])
      ids.push(await scene.file('x', { name }));
    await scene.get('PATCH', `/files/${ids[2]}`, { description: 'It was 50% Off' });
    const found = async (query: string) =>
      ((await scene.get('GET', `/files/search?query=${encodeURIComponent(query)}`)).results as { id: string }[]).map(
        ({ id }) => id,
      );
    expect((await found('50% OFF')).toSorted()).toEqual([ids[0], ids[2]].toSorted());
    expect(await found('0_ o')).toEqual([ids[1]]);
    const pages: string[] = [];
    for (let cursor = ''; ;) {
      const page = await scene.get('GET', `/files/search?limit=1${cursor}`);
      expect(page.total).toBe(4);
      pages.push(...page.results.map(({ id }: { id: string }) => id));
      if (page.cursor === undefined) break;
      cursor = `&cursor=${page.cursor}`;
    }
    expect(pages).toEqual(ids.toSorted().toReversed());
  });

  it('pages through more files than it reads at once, in two containers, and misses and repeats none', async () => {
    await using scene = await openScene(engine);
    const other = await scene.get('POST', '/vaults', { name: 'Other' });
    const places = [
      { container_id: scene.containerId, parent_id: scene.rootId },
      { container_id: other.id as string, parent_id: other.rootFolderId as string },
    ];
    const [template] = [await scene.file('x', { name: 'photo one.jpg' })];
    const { db } = scene.house.ctx;
    const row = await db.selectFrom('file_nodes').selectAll().where('id', '=', template).executeTakeFirstOrThrow();
    const rows = Array.from({ length: 2_400 }, (_, index) => {
      const name = `${index % 8 === 0 ? 'report' : 'photo'} ${index}.jpg`;
      const id = `01${index.toString(16).padStart(30, '0')}`;
      return { ...row, ...places[index % 2], id, name, name_key: name };
    });
    for (let from = 0; from < rows.length; from += 300)
      await insertRows(db, 'file_nodes', rows.slice(from, from + 300));
    const all = [template, ...rows.filter(({ name }) => name.startsWith('photo')).map(({ id }) => id)];
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const page = await scene.get('GET', `/files/search?query=photo&limit=190${cursor}`);
      expect(page.total).toBe(all.length);
      found.push(...page.results.map(({ id }: { id: string }) => id));
      if (page.cursor === undefined) break;
      cursor = `&cursor=${page.cursor}`;
    }
    expect(found).toEqual(all.toSorted().toReversed());
  });
});
