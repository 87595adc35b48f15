import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  announceBlock,
  dropBlockHandler,
  dropBlocks,
  keepBlocks,
  shareBlocks,
  withdrawBlocks,
} from '../../../src/shared/attachments/blocks.ts';
import { transaction, type Context } from '../../../src/service/context.ts';
import { claimJobs, finishJob, type ClaimedJob } from '../../../src/platform/store/jobs/job-rows.ts';
import { openScene, type Scene } from '../../services/passvault/scene.ts';
import { inStage, runs } from '../../support/stage.ts';
import { bothEngines } from '../../support/stores.ts';
import { slowly, staysSo } from '../../support/real-time.ts';

const kind = 'drop-block';
/** Later than any job that blocks have. */
const much = 10 * 3_600_000;

/** A place for references to blocks: the rows of one entry's attachments. */
async function openDepot(scene: Scene) {
  const { ctx } = scene.house;
  const entryId = await scene.login();
  let made = 0;
  const nextId = () => (made += 1).toString(16).padStart(32, '0');
  const refer = async (tx: Context, blockId: string): Promise<string> => {
    const id = nextId();
    const row = { id, vault_id: scene.vaultId, entry_id: entryId, block_id: blockId };
    await tx.db
      .insertInto('passvault_attachments')
      .values({ ...row, size_bytes: 1, sealed: new Uint8Array(1), created_at: 0 })
      .execute();
    return id;
  };
  const references = async (blockId: string) =>
    await ctx.db.selectFrom('passvault_attachments').select('id').where('block_id', '=', blockId).execute();
  return {
    ctx,
    refer,
    references,
    async announced(): Promise<string> {
      const { id } = await ctx.blocks.put(Buffer.from(nextId()), async (one) => await announceBlock(ctx, one));
      return id;
    },
    async keep(on: Context, blockId: string): Promise<string> {
      return await transaction(on, async (tx) => {
        await keepBlocks(tx, [blockId]);
        return await refer(tx, blockId);
      });
    },
    async share(on: Context, blockId: string): Promise<string> {
      return await transaction(on, async (tx) => {
        await shareBlocks(tx, [blockId]);
        return await refer(tx, blockId);
      });
    },
    async remove(on: Context, id: string, blockId: string): Promise<void> {
      await transaction(on, async (tx) => {
        await tx.db.deleteFrom('passvault_attachments').where('id', '=', id).execute();
        await dropBlocks(tx, [blockId]);
      });
    },
    /** what a server does when all that waits is due */
    async workOff(): Promise<void> {
      for (let at = 1; ; at += 1) {
        const now = ctx.clock.now() + at * much;
        const jobs = await claimJobs(ctx.store, [kind], now, 100, `claim ${at}`);
        if (jobs.length === 0) return;
        for (const job of jobs) await run(ctx, job);
      }
    },
    /** Never a block that is gone and referred to, and none that stays for nobody. */
    async isRight(blockId: string): Promise<void> {
      const there = (await ctx.blocks.head(blockId)) !== undefined;
      expect({ there }).toEqual({ there: (await references(blockId)).length > 0 });
    },
  };
}

async function run(ctx: Context, job: ClaimedJob): Promise<void> {
  const finish = async () => void (await finishJob(ctx.db, job, ctx.clock.now()));
  await dropBlockHandler(ctx)(job.payload, {
    id: job.id,
    attempt: job.attempt,
    signal: new AbortController().signal,
    finish,
  });
  await finish();
}

/** One that stops before each of its statements, commits and deletions until it is let go on. */
function steppedContext(ctx: Context) {
  const waiting: (() => void)[] = [];
  let free = false;
  const gate = async () => {
    if (!free) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const stepped = <T extends object>(target: T, names: readonly (keyof T)[]): T =>
    new Proxy(target, {
      get(from, name) {
        const value: unknown = Reflect.get(from, name);
        if (typeof value !== 'function') return value;
        if (!names.includes(name as keyof T)) return value.bind(from) as unknown;
        return async (...call: unknown[]) => {
          await gate();
          return (await Reflect.apply(value, from, call)) as unknown;
        };
      },
    });
  const store: Context['store'] = {
    ...ctx.store,
    transaction: async (body) =>
      await ctx.store.transaction(async (db) => {
        await gate();
        const result = await body(db);
        await gate();
        return result;
      }),
  };
  const on: Context = { ...ctx, store, db: store.db, blocks: stepped(ctx.blocks, ['delete']) };
  return {
    ctx: on,
    gate,
    async step() {
      waiting.shift()?.();
      // Enough for what isn't waiting for the other: it only decides which order is tried.
      await slowly(2);
    },
    letGo() {
      free = true;
      for (const go of waiting.splice(0)) go();
    },
  };
}

const outcome = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );

/** All orders of so many steps of one and of another. */
function orders(one: number, other: number): string[] {
  if (one === 0) return ['b'.repeat(other)];
  if (other === 0) return ['a'.repeat(one)];
  return [...orders(one - 1, other).map((rest) => `a${rest}`), ...orders(one, other - 1).map((rest) => `b${rest}`)];
}

describe.each(bothEngines)('references to blocks at the same moment on %s', (engine) => {
  it(
    'of which one is added while the last one goes: both or neither, in every order',
    { tags: 'thorough' },
    async () => {
      await using scene = await openScene(engine);
      const depot = await openDepot(scene);
      const seen = new Set<string>();
      for (const order of orders(4, 4).filter((_, at) => at % inStage(3, 3, 1) === 0)) {
        const blockId = await depot.announced();
        const first = await depot.keep(depot.ctx, blockId);
        const [a, b] = [steppedContext(depot.ctx), steppedContext(depot.ctx)];
        const sharing = async () =>
          await transaction(a.ctx, async (tx) => {
            await shareBlocks(tx, [blockId]);
            await a.gate();
            await depot.refer(tx, blockId);
          });
        const removing = async () =>
          await transaction(b.ctx, async (tx) => {
            await tx.db.deleteFrom('passvault_attachments').where('id', '=', first).execute();
            await b.gate();
            await dropBlocks(tx, [blockId]);
          });
        // One engine has them one after the other, in the order in which they begin.
        const begun = order.startsWith('a') ? [sharing(), removing()] : [removing(), sharing()];
        const ends = Promise.all(begun.map(outcome));
        for (const which of order) await (which === 'a' ? a : b).step();
        a.letGo();
        b.letGo();
        const [share = '', remove] = order.startsWith('a') ? await ends : (await ends).toReversed();
        expect(remove).toBe('done');
        expect(['done', 'BLOCK_NOT_FOUND']).toContain(share);
        seen.add(share);
        expect(await depot.references(blockId)).toHaveLength(share === 'done' ? 1 : 0);
        await depot.isRight(blockId);
      }
      expect(seen).toEqual(new Set(['done', 'BLOCK_NOT_FOUND']));
    },
  );

  it('of which the last two go at once take the block with them, in every order', async () => {
    await using scene = await openScene(engine);
    const depot = await openDepot(scene);
    for (const order of orders(3, 3)) {
      const blockId = await depot.announced();
      const ids = [await depot.keep(depot.ctx, blockId), await depot.share(depot.ctx, blockId)];
      const contexts = ids.map(() => steppedContext(depot.ctx));
      const ends = Promise.all(ids.map(async (id, at) => await depot.remove(contexts[at]!.ctx, id, blockId)));
      for (const which of order) await contexts[which === 'a' ? 0 : 1]!.step();
      for (const one of contexts) one.letGo();
      await ends;
      await depot.isRight(blockId);
      expect(await depot.ctx.blocks.head(blockId)).toBeUndefined();
    }
  });

  it('of which the last one goes while a job looks at an earlier one leave a job, should the process die there', async () => {
    await using scene = await openScene(engine);
    const depot = await openDepot(scene);
    const { ctx } = depot;
    const blockId = await depot.announced();
    const ids = [await depot.keep(ctx, blockId), await depot.share(ctx, blockId)];
    await depot.remove(ctx, ids[0]!, blockId);
    const [job] = await claimJobs(ctx.store, [kind], ctx.clock.now() + much, 1, 'first');
    expect(job).toBeDefined();
    // It finds the block referred to, and before it has ended the last reference goes with its process.
    const dying: Context = { ...ctx, afterCommit: () => {}, blocks: { ...ctx.blocks, delete: died } };
    await dropBlockHandler(ctx)(job!.payload, { id: job!.id, attempt: 1, signal: AbortSignal.abort(), finish: died });
    await depot.remove(dying, ids[1]!, blockId);
    await finishJob(ctx.db, job!, ctx.clock.now());
    expect(await ctx.blocks.head(blockId)).toBeDefined();
    await depot.workOff();
    await depot.isRight(blockId);
  });

  it('that are being committed when their writer gives up keep their blocks', async () => {
    await using scene = await openScene(engine);
    const depot = await openDepot(scene);
    const { ctx } = depot;
    const blockId = await depot.announced();
    let commit = (): void => {};
    let committing: Promise<unknown> = Promise.resolve();
    // The connection broke off, the writer thinks that nothing came of it, and the database commits after all.
    await new Promise<void>((started) => {
      committing = transaction(ctx, async (tx) => {
        await keepBlocks(tx, [blockId]);
        await depot.refer(tx, blockId);
        await new Promise<void>((go) => {
          commit = go;
          started();
        });
      });
    });
    const withdrawn = withdrawBlocks(ctx, [blockId]);
    await staysSo(async () => expect(await ctx.blocks.head(blockId)).toBeDefined(), 50);
    commit();
    await Promise.all([committing, withdrawn]);
    await depot.workOff();
    await depot.isRight(blockId);
    expect(await depot.references(blockId)).toHaveLength(1);
  });

  it('that were announced and not kept go when their writer gives up, or died', async () => {
    await using scene = await openScene(engine);
    const depot = await openDepot(scene);
    const [withdrawn, abandoned] = [await depot.announced(), await depot.announced()];
    await withdrawBlocks(depot.ctx, [withdrawn]);
    await depot.isRight(withdrawn);
    expect(await depot.ctx.blocks.head(abandoned)).toBeDefined();
    await depot.workOff();
    await depot.isRight(abandoned);
  });

  it('have what they need and nothing else, whoever comes, goes and dies at the same time', async () => {
    await using scene = await openScene(engine);
    const depot = await openDepot(scene);
    const { ctx } = depot;
    const dying: Context = { ...ctx, blocks: { ...ctx.blocks, delete: died } };
    const what = fc.constantFrom('share', 'share', 'remove', 'remove', 'remove and die', 'run jobs');
    const rounds = fc.array(fc.array(what, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const blockId = await depot.announced();
        await depot.keep(ctx, blockId);
        for (const round of all) {
          const ids = (await depot.references(blockId)).map(({ id }) => id);
          const work = round.map(async (one, at) => {
            if (one === 'share') return await outcome(depot.share(ctx, blockId));
            if (one === 'run jobs') return await outcome(depot.workOff());
            const id = ids[at % Math.max(1, ids.length)];
            if (id === undefined) return 'nothing';
            return await outcome(depot.remove(one === 'remove' ? ctx : dying, id, blockId));
          });
          for (const end of await Promise.all(work)) expect(['done', 'nothing', 'BLOCK_NOT_FOUND']).toContain(end);
          // Nobody may refer to what is gone, at any time.
          if ((await depot.references(blockId)).length > 0) await depot.isRight(blockId);
        }
        await depot.workOff();
        await depot.isRight(blockId);
      }),
      { numRuns: runs(30) },
    );
  });
});

async function died(): Promise<never> {
  throw new Error('made by a test');
}
