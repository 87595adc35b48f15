import { describe, expect, it } from 'vitest';
import { insertRows } from '../../../src/platform/store/written-query.ts';
import type { FileNodeRow } from '../../../src/platform/store/tables/filevault.ts';
import { testRandom } from '../../support/seeded.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said } from './scene.ts';

const FILES = inStage(0, 10_000, 100_000);
const PAGE = 500;
const BATCH = 500;

/** Numbers are spread over the alphabet, so that the order of names is neither that of ids nor of sizes. */
const nameOf = (index: number): string =>
  `${index % 1_000 === 7 ? 'report' : 'photo'} ${((index * 7_919) % FILES).toString(36)} ${index}.jpg`;

describe.each(engines)(`a folder of ${FILES} files on %s`, (engine) => {
  it(
    'is paged without an item twice or missing while others come and go, and is searched',
    { timeout: 600_000 },
    async () => {
      await using scene = await openScene(engine);
      const { db, store } = scene.house.ctx;
      const folder = await scene.folder('Large');
      const template = await db
        .selectFrom('file_nodes')
        .selectAll()
        .where('id', '=', await scene.file('x', { folder, name: 'template' }))
        .executeTakeFirstOrThrow();
      let made = 0;
      const newRow = (name: string, size: number): FileNodeRow => {
        made += 1;
        const id = `02${made.toString(16).padStart(30, '0')}`;
        return { ...template, id, name, name_key: name, size, modified_at: template.modified_at + made };
      };
      const insert = async (rows: readonly FileNodeRow[]): Promise<void> =>
        await store.transaction(async (tx) => {
          for (let from = 0; from < rows.length; from += BATCH)
            await insertRows(tx, 'file_nodes', rows.slice(from, from + BATCH));
        });
      const rows = Array.from({ length: FILES }, (_, index) => newRow(nameOf(index), (index * 104_729) % FILES));
      for (let from = 0; from < rows.length; from += 10_000) await insert(rows.slice(from, from + 10_000));
      const random = testRandom();
      /** what is in the folder now */
      const there = new Map([template, ...rows].map((row) => [row.id, row]));

      for (const sorting of ['sortField=name', 'sortField=size&sortDirection=desc'] as const) {
        /** of these each has to come once */
        const steady = new Set(there.keys());
        const goes = async (id: string): Promise<void> => {
          if (id === template.id) return;
          await scene.get('DELETE', `/files/${id}`);
          for (const one of [there, steady]) one.delete(id);
        };
        const gone = new Set<string>();
        const seen = new Set<string>();
        const twice: string[] = [];
        const unknown: string[] = [];
        let pages = 0;
        for (let cursor = ''; ;) {
          const page = await scene.get('GET', `/folders/${folder}?limit=${PAGE}&${sorting}${cursor}`);
          pages += 1;
          for (const { id } of page.files) {
            if (seen.has(id)) twice.push(id);
            if (!there.has(id)) unknown.push(id);
            seen.add(id);
          }
          if (page.cursor === undefined) break;
          cursor = `&cursor=${page.cursor}`;
          if (pages % inStage(1, 1, 10) !== 0) continue;
          // One that was seen, one anywhere, and the last one of the page, which the next page begins after.
          const ids = [...there.keys()];
          for (const id of [
            [...seen][Math.floor(random() * seen.size)]!,
            ids[Math.floor(random() * ids.length)]!,
            page.files.at(-1).id,
          ])
            if (there.has(id)) {
              await goes(id);
              gone.add(id);
            }
          const added = Array.from({ length: 3 }, () =>
            newRow(`${random().toString(36)} added ${made}`, Math.floor(random() * FILES)),
          );
          await insert(added);
          for (const row of added) there.set(row.id, row);
        }
        expect([sorting, twice, unknown]).toEqual([sorting, [], []]);
        expect([sorting, [...steady].filter((id) => !seen.has(id))]).toEqual([sorting, []]);
        expect([pages >= FILES / PAGE, gone.size > 30]).toEqual([true, true]);
      }

      const resolve = async (path: string) => await scene.call('GET', `/folders/resolve/${encodeURI(`Large/${path}`)}`);
      const some = [...there.values()].filter((_, at) => at % inStage(1_009, 1_009, 10_007) === 0);
      for (const { id, name } of some) expect((await resolve(name.toUpperCase())).body.file.id).toBe(id);
      expect(said(await resolve('photo nowhere.jpg'))).toBe('404 FOLDER_NOT_FOUND');

      const reports = [...there.values()].flatMap(({ id, name }) => (name.startsWith('report') ? [id] : []));
      const found: string[] = [];
      for (let cursor = ''; ;) {
        const page = await scene.get('GET', `/files/search?query=REPORT&limit=33${cursor}`);
        expect(page.total).toBe(reports.length);
        found.push(...page.results.map(({ id }: { id: string }) => id));
        if (page.cursor === undefined) break;
        cursor = `&cursor=${page.cursor}`;
      }
      expect([found.length, found.toSorted()]).toEqual([reports.length, reports.toSorted()]);
      for (const { id, name } of some) {
        const { results } = await scene.get('GET', `/files/search?query=${encodeURIComponent(name)}`);
        expect([name, results.map((one: { id: string }) => one.id)]).toEqual([name, expect.arrayContaining([id])]);
      }
      // A member who sees one file of it sees one.
      const guest = await scene.house.register();
      const [shown] = some.slice(-1);
      await scene.grant('file', shown!.id, { principalId: guest.memberId, level: 'viewer' });
      const { results, total } = await scene.get('GET', '/files/search?query=jpg', undefined, { token: guest.token });
      expect([total, results.map(({ id }: { id: string }) => id)]).toEqual([1, [shown!.id]]);
    },
  );
});
