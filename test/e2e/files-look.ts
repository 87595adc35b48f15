import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openBlocks } from '../../src/platform/store/blocks/blocks.ts';
import { startNode } from '../support/running-node.ts';
import type { Place } from './files-server.ts';

const DAYS_MS = 86_400_000;

/** What is in a store, days after its last client, when all its jobs are done. */
export interface Looked {
  /** blocks of rows that are not on the disk whole */
  readonly missing: string[];
  /** blocks on the disk that no row has */
  readonly stray: string[];
  /** uploads that are not finished */
  readonly unfinished: number;
  /** destructions that are not finished */
  readonly waiting: string[];
  /** the files of all contents */
  readonly contents: string[];
  /** bytes that the quotas count, and those of the rows that they are about */
  readonly counted: Sums;
  readonly right: Sums;
}

interface Sums {
  readonly used: number;
  readonly reserved: number;
  readonly stored: number;
}

/** Nine days later, so that uploads have expired and the jobs of blocks that nobody kept are due. */
export async function lookLater({ dataDir, env }: Omit<Place, 'token'>): Promise<Looked> {
  const clock = { now: () => Date.now() + 9 * DAYS_MS };
  await using node = await startNode({ dataDir, env, clock });
  const { context: ctx } = node.engine;
  const { db } = ctx;
  // Whoever opens the erasure keys removes what a process left that was killed while it changed them.
  await ctx.erasure.take();
  await expect
    .poll(
      async () =>
        (
          await Promise.all([
            db.selectFrom('file_uploads').select('id').where('finalized_at', 'is', null).execute(),
            db.selectFrom('file_destructions').select('file_id').where('ledger_entry', 'is', null).execute(),
            db.selectFrom('jobs').select('id').where('kind', '=', 'drop-block').execute(),
          ])
        ).flat(),
      { timeout: 60_000, interval: 200 },
    )
    .toEqual([]);
  const rows = await db
    .selectFrom('file_blocks as b')
    .innerJoin('file_contents as c', 'c.id', 'b.content_id')
    .select(['b.block_id', 'b.place', 'c.file_id'])
    .execute();
  const wanted = new Set(rows.flatMap(({ block_id }) => block_id ?? []));
  const missing: string[] = [];
  for (const id of wanted)
    if ((await ctx.blocks.head(id)) === undefined || !(await ctx.blocks.verify(id))) missing.push(id);
  const stray: string[] = [];
  for await (const { id } of ctx.blocks.list()) if (!wanted.has(id)) stray.push(id);
  const contents = await db.selectFrom('file_contents').select(['file_id', 'size', 'manifest']).execute();
  const containers = await db.selectFrom('file_containers').select(['used', 'reserved']).execute();
  const storage = await db.selectFrom('member_storage').select('bytes').execute();
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  const sizes = (isDone: boolean) =>
    contents.filter((row) => (row.manifest !== null) === isDone).map(({ size }) => size);
  await sweep(dataDir);
  return {
    missing,
    stray,
    unfinished: sizes(false).length,
    waiting: (
      await db.selectFrom('file_destructions').select('file_id').where('destroyed_at', 'is', null).execute()
    ).map(({ file_id }) => file_id),
    contents: contents.map(({ file_id }) => file_id),
    counted: {
      used: sum(containers.map(({ used }) => used)),
      reserved: sum(containers.map(({ reserved }) => reserved)),
      stored: sum(storage.map(({ bytes }) => bytes)),
    },
    right: {
      used: sum(sizes(true)),
      reserved: sum(sizes(false)),
      stored: sum([...sizes(true), ...sizes(false)]),
    },
  };
}

/** What was being written when a process was killed is swept when it is a day old, by the next who writes a block. */
async function sweep(dataDir: string): Promise<void> {
  const temporary = join(dataDir, 'blocks', 'tmp');
  for (const name of await readdir(temporary).catch(() => [])) await utimes(join(temporary, name), 0, 0);
  const blocks = openBlocks(dataDir);
  const { id } = await blocks.put(new Uint8Array(1));
  await blocks.delete(id);
}
