import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { announceBlock, dropBlockHandler, withdrawBlocks } from '../../../src/shared/attachments/blocks.ts';
import { openBlocks, type BlockStore } from '../../../src/platform/store/blocks/blocks.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { runJobs } from '../../../src/platform/store/jobs/jobs.ts';
import { engines } from '../../support/stores.ts';
import { openScene, said, shareWith, type Scene } from './scene.ts';
import { until } from '../../support/real-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What happens to a process in the middle of something. */
class Died extends Error {}

interface Breakable extends AsyncDisposable {
  readonly scene: Scene;
  readonly blocks: BlockStore;
  /** what is done instead of coming back from a put, or before a deletion */
  readonly fate: { afterPut?: (() => Promise<void>) | undefined; beforeDelete?: (() => void) | undefined };
  add(entryId: string): Promise<string>;
  jobs(): Promise<number>;
  /** what a server does that starts a while later */
  serveAfter(milliseconds: number): Promise<void>;
}

async function openBreakable(engine: EngineName): Promise<Breakable> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-drops-'));
  const blocks = openBlocks(folder);
  const fate: Breakable['fate'] = {};
  const scene = await openScene(engine, {
    // Hours go by here, and the vault stays open.
    config: {
      vaults: {
        bcryptRounds: 4,
        idleMs: 24 * HOUR,
        emergencyWaitMs: 0,
        breachUrl: 'http://127.0.0.1:9',
        breachList: undefined,
      },
    },
    context: {
      blocks: {
        ...blocks,
        async put(...call) {
          const put = await blocks.put(...call);
          await fate.afterPut?.();
          return put;
        },
        async delete(id) {
          fate.beforeDelete?.();
          return await blocks.delete(id);
        },
      },
    },
  });
  const { ctx, clock } = scene.house;
  let added = 0;
  const jobs = async () => (await ctx.db.selectFrom('jobs').select('id').execute()).length;
  return {
    scene,
    blocks,
    fate,
    jobs,
    async add(entryId) {
      const path = `/vaults/${scene.vaultId}/entries/${entryId}/attachments`;
      return said(await scene.call('POST', path, { filename: `a${(added += 1)}`, content: 'YWJj' }));
    },
    async serveAfter(milliseconds) {
      clock.advance(milliseconds);
      const due = async () => await ctx.db.selectFrom('jobs').select('id').where('run_at', '<=', clock.now()).execute();
      const stopping = new AbortController();
      const { store, random, log } = ctx;
      const handlers = { 'drop-block': dropBlockHandler({ ...ctx, blocks }) };
      const running = runJobs(store, handlers, { clock, random, log, signal: stopping.signal });
      await until(async () => (await due()).length === 0);
      stopping.abort();
      await running;
    },
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

const die = () => {
  throw new Died();
};
const count = async (blocks: BlockStore) => (await blocks.stat()).blocks;

describe.each(engines)('blocks of attachments on %s', (engine) => {
  it('stay, and nothing else does, when all goes well', async () => {
    await using broken = await openBreakable(engine);
    const { scene, blocks } = broken;
    const id = await scene.login();
    expect(await broken.add(id)).toBe('200 success');
    expect([await count(blocks), await broken.jobs()]).toEqual([1, 0]);
    await broken.serveAfter(2 * HOUR);
    expect(await count(blocks)).toBe(1);
    await scene.in('DELETE', `/entries/${id}`);
    expect([await count(blocks), await broken.jobs()]).toEqual([0, 0]);
  });

  it('go when the process dies between the block and the row that refers to it', async () => {
    await using broken = await openBreakable(engine);
    const { scene, blocks, fate } = broken;
    const id = await scene.login();
    fate.afterPut = async () => die();
    expect(await broken.add(id)).toBe('500 INTERNAL_ERROR');
    expect([await count(blocks), await broken.jobs()]).toEqual([1, 1]);
    await broken.serveAfter(MINUTE);
    expect(await count(blocks)).toBe(1);
    await broken.serveAfter(HOUR);
    expect([await count(blocks), await broken.jobs()]).toEqual([0, 0]);
  });

  it('go when the process dies after the commit that dropped them', async () => {
    await using broken = await openBreakable(engine);
    const { scene, blocks, fate } = broken;
    for (const path of ['', 'vault'] as const) {
      const id = await scene.login();
      await broken.add(id);
      await broken.add(id);
      fate.beforeDelete = die;
      if (path === '') await scene.in('DELETE', `/entries/${id}`);
      else await scene.in('DELETE', '', { masterPassword: 'the master password of a test' });
      expect([await count(blocks), await broken.jobs()]).toEqual([2, 2]);
      fate.beforeDelete = undefined;
      await broken.serveAfter(MINUTE);
      expect([await count(blocks), await broken.jobs()]).toEqual([0, 0]);
    }
  });

  it('go when revoking moved their content under another key, and the old ones could not be deleted', async () => {
    await using broken = await openBreakable(engine);
    const { scene, blocks, fate } = broken;
    const recipient = await scene.house.register();
    await shareWith(scene, recipient);
    const id = await scene.login();
    await broken.add(id);
    fate.beforeDelete = die;
    await scene.in('POST', '/revoke-share', { memberId: recipient.memberId });
    expect([await count(blocks), await broken.jobs()]).toEqual([2, 1]);
    await broken.serveAfter(2 * HOUR);
    expect([await count(blocks), await broken.jobs()]).toEqual([1, 0]);
    const { attachments } = (await scene.in('GET', `/entries/${id}`)).entry;
    const { attachment } = await scene.in('GET', `/entries/${id}/attachments/${attachments[0].id}`);
    expect(attachment.content).toBe('YWJj');
  });

  it('that took too long are refused, not referred to after they are gone', async () => {
    await using broken = await openBreakable(engine);
    const { scene, blocks, fate } = broken;
    const id = await scene.login();
    fate.afterPut = async () => await broken.serveAfter(HOUR);
    expect(await broken.add(id)).toBe('503 OVERLOADED');
    expect([await count(blocks), await broken.jobs()]).toEqual([0, 0]);
    expect(await scene.house.ctx.db.selectFrom('passvault_attachments').selectAll().execute()).toEqual([]);
  });

  it('are never dropped while a row refers to them', async () => {
    await using broken = await openBreakable(engine);
    const { scene, blocks, fate } = broken;
    const { ctx } = scene.house;
    const id = await scene.login();
    await broken.add(id);
    const { block_id: blockId } = await ctx.db
      .selectFrom('passvault_attachments')
      .select('block_id')
      .executeTakeFirstOrThrow();
    await announceBlock(ctx, blockId);
    await withdrawBlocks(ctx, [blockId]);
    expect([await count(blocks), await broken.jobs()]).toEqual([1, 1]);
    await broken.serveAfter(2 * HOUR);
    expect([await count(blocks), await broken.jobs()]).toEqual([1, 0]);
    // Withdrawing says nothing of its own about a failure that has been told already.
    fate.beforeDelete = die;
    await withdrawBlocks(ctx, ['a'.repeat(128)]);
    expect(scene.house.log.lines.at(-1)).toMatchObject({ level: 'warn' });
  });
});
