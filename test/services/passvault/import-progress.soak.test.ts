import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { ProgressBoard, WorkProgress } from '../../../src/service/context.ts';
import { progressBoard } from '../../../src/service/progress-board.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, shareWith, type Scene } from './scene.ts';
import { slowly } from '../../support/real-time.ts';

const records = 4_000;
const header = 'name,url,username,password\n';
const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => `Site ${at},https://site${at}.example,user,password ${at}\n`).join('');
const fileOf = (count: number) => Buffer.from(header + lines(count)).toString('base64');
const big = fileOf(records);

/** A board that remembers all that was told. */
function remembering(): { board: ProgressBoard; told: WorkProgress[] } {
  const told: WorkProgress[] = [];
  const inner = progressBoard();
  const board: ProgressBoard = {
    of: inner.of,
    begin(name) {
      const note = inner.begin(name);
      return {
        tell(stage, done, total) {
          told.push({ stage, done, total });
          note.tell(stage, done, total);
        },
        [Symbol.dispose]: () => note[Symbol.dispose](),
      };
    },
  };
  return { board, told };
}

async function openWatched(engine: EngineName): Promise<{ scene: Scene; told: WorkProgress[] }> {
  const { board, told } = remembering();
  return { scene: await openScene(engine, { context: { progress: board } }), told };
}

/** What asking answered while an import ran. */
async function asked(scene: Scene, importing: Promise<unknown>, token?: string): Promise<(WorkProgress | null)[]> {
  const seen: (WorkProgress | null)[] = [];
  const over = new AbortController();
  const ended = importing.finally(() => over.abort());
  while (!over.signal.aborted) {
    seen.push((await scene.in('GET', '/import', undefined, token)).running as WorkProgress | null);
    await slowly(1);
  }
  await ended;
  return seen;
}

/** What was told of one stage begins near 0, grows, and ends at its end or just before. */
function expectWhole(told: readonly WorkProgress[], stage: string, total: number): void {
  const of = told.filter((one) => one.stage === stage);
  const done = of.map((one) => one.done);
  expect(done, stage).toEqual(done.toSorted((one, other) => one - other));
  expect(done[0], stage).toBeLessThan(total * 0.1);
  expect(done.at(-1), stage).toBeGreaterThan(total * 0.9);
  expect(new Set(of.map((one) => one.total))).toEqual(new Set([total]));
  for (const each of done) expect(each).toBeLessThanOrEqual(total);
}

describe.each(engines)('how far an import is, on %s', (engine) => {
  it('is said while it runs, stage by stage, and only then', async () => {
    const { scene, told } = await openWatched(engine);
    await using _ = scene;
    expect(await scene.in('GET', '/import')).toEqual({ running: null });
    const seen = await asked(
      scene,
      scene.in('POST', '/import', { format: 'auto', fileContent: big, skipDuplicates: true }),
    );
    expect([...new Set(told.map(({ stage }) => stage))]).toEqual(['reading', 'comparing', 'encrypting', 'storing']);
    expectWhole(told, 'reading', Buffer.from(big, 'base64').length);
    expectWhole(told, 'comparing', records);
    expectWhole(told, 'encrypting', records);
    const running = seen.filter((one) => one !== null);
    expect(running.length).toBeGreaterThan(2);
    expect(told).toEqual(expect.arrayContaining(running));
    expect(await scene.in('GET', '/import')).toEqual({ running: null });
  });

  it('is said of a dry run as well, which only reads', async () => {
    const { scene, told } = await openWatched(engine);
    await using _ = scene;
    await scene.in('POST', '/import', { format: 'browserA_csv', fileContent: big, dryRun: true });
    expect([...new Set(told.map(({ stage }) => stage))]).toEqual(['reading']);
    expectWhole(told, 'reading', Buffer.from(big, 'base64').length);
  });

  it('is nothing to others who have the vault, and nothing is left of an import that fails', async () => {
    const { scene } = await openWatched(engine);
    await using _ = scene;
    const recipient = await scene.house.register();
    await shareWith(scene, recipient);
    const fileContent = fileOf(records);
    const importing = scene.call('POST', `/vaults/${scene.vaultId}/import`, { format: 'auto', fileContent });
    const seen = await asked(scene, importing, recipient.token);
    expect(said(await importing)).toBe('200 success');
    expect(seen.filter((one) => one !== null)).toEqual([]);
    const broken = { format: 'managerC_json', fileContent: big };
    expect(said(await scene.call('POST', `/vaults/${scene.vaultId}/import`, broken))).toBe('400 IMPORT_UNREADABLE');
    expect(await scene.in('GET', '/import')).toEqual({ running: null });
  });
});

/** Files of which each is read in its own way; what is told has to fit the whole file all the same. */
const archives: Readonly<Record<string, () => Uint8Array>> = {
  'a zip of tables': () =>
    zipSync({
      'credentials.csv': Buffer.from(
        `username,username2,username3,title,password,note,url,category,otpSecret\n${'a,,,t,p,,https://a.example,,\n'.repeat(500)}`,
      ),
      'securenotes.csv': Buffer.from(`title,note\n${'t,n\n'.repeat(1_500)}`),
    }),
  'XML, which is gone through twice': () => {
    // Few entries, but of more than ten times as many bytes as are read between two reports.
    const entry = `<Entry><String><Key>Title</Key><Value>${'t'.repeat(900)}</Value></String></Entry>`;
    return Buffer.from(`<KeePassFile><Root><Group><Name>G</Name>${entry.repeat(1_000)}</Group></Root></KeePassFile>`);
  },
  JSON: () => {
    const items = Array.from({ length: 500 }, (_, at) => ({ type: 1, name: `Item ${at}`, login: { password: 'p' } }));
    return Buffer.from(JSON.stringify({ encrypted: false, folders: [], items }));
  },
};

describe('how far reading is', () => {
  it.each(Object.entries(archives))('is right for %s', async (_name, contentOf) => {
    const { scene, told } = await openWatched(engines[0]!);
    await using _ = scene;
    const fileContent = Buffer.from(contentOf()).toString('base64');
    const { errors, imported } = await scene.in('POST', '/import', { format: 'auto', fileContent, dryRun: true });
    expect(errors).toEqual([]);
    expect(imported).toBeGreaterThan(499);
    expectWhole(told, 'reading', told[0]!.total);
    expect(told.at(-1)!.done).toBeGreaterThan(told.at(-1)!.total - 4);
  });
});
