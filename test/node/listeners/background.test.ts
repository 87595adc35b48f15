import { describe, expect, it } from 'vitest';
import { transaction, type Context } from '../../../src/service/context.ts';
import { runInBackground } from '../../../src/node/listeners/background.ts';
import { services } from '../../../src/node/services.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import { jobsChannel } from '../../../src/platform/store/jobs/job-rows.ts';
import { notify } from '../../../src/platform/store/signals.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

const soon = async (work: Promise<unknown>): Promise<string> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('still running')), 60_000);
  });
  try {
    return await Promise.race([work.then(() => 'over'), late]);
  } finally {
    clearTimeout(timer);
  }
};

const minute = 60_000;
const sessionsOf = async ({ ctx }: House) => (await ctx.db.selectFrom('sessions').select('id').execute()).length;
const planned = async ({ ctx }: House) =>
  await ctx.db.selectFrom('jobs').select(['id', 'run_at']).where('kind', 'like', 'purge-%').orderBy('id').execute();

/** A house in which a server once planned to clear away, and whose clock has gone past the end of its one session since. */
async function withExpiredSession(engine: EngineName): Promise<House> {
  const house = await openHouse(engine);
  await house.register();
  await plan(house);
  house.clock.advance(house.ctx.config.sessions.lifetimeMs + 1_000);
  return house;
}

async function plan(house: House): Promise<void> {
  const stopping = new AbortController();
  const background = runInBackground(house.ctx, services, stopping.signal);
  await expect.poll(async () => (await planned(house)).length).toBeGreaterThan(2);
  stopping.abort();
  expect(await soon(background)).toBe('over');
}

describe.each(engines)('clearing away on %s', (engine) => {
  it('removes what has expired, and tells the sockets of it', async () => {
    await using house = await withExpiredSession(engine);
    const stopping = new AbortController();
    const background = runInBackground(house.ctx, services, stopping.signal);
    await expect.poll(() => sessionsOf(house)).toBe(0);
    await expect.poll(() => house.endedSockets.length).toBe(1);
    stopping.abort();
    expect(await soon(background)).toBe('over');
  });

  it('comes every ten minutes by the clock of the node, in one of its processes, however often they start', async () => {
    await using house = await openHouse(engine);
    const { ctx, clock } = house;
    const start = clock.now();
    const ran: number[] = [];
    const counting = { name: 'counting', purge: async () => void ran.push((clock.now() - start) / minute) };
    const stopping = new AbortController();
    const processes = [1, 2].map(() => runInBackground(ctx, [counting], stopping.signal));
    await expect.poll(async () => await planned(house)).toHaveLength(1);
    const isAt = async (moment: number) =>
      await expect.poll(async () => (await planned(house))[0]?.run_at).toBe(start + moment * minute);
    await isAt(10);
    clock.advance(4 * minute);
    const third = runInBackground(ctx, [counting], stopping.signal);
    await isAt(10);
    for (const [after, next] of [
      [6, 20],
      [10, 30],
      // What was missed comes once.
      [35, 60],
    ] as const) {
      clock.advance(after * minute);
      await ring(ctx, 'purge-counting');
      await isAt(next);
    }
    expect(ran).toEqual([10, 20, 55]);
    stopping.abort();
    expect(await Promise.all([...processes, third].map(soon))).toEqual(['over', 'over', 'over']);
  });
});

/** Has the runners look at once: they hear the signals of their own kinds only, and their timers follow the real time. */
async function ring(ctx: Context, kind: string): Promise<void> {
  await transaction(ctx, async (tx) => await notify(tx.db, jobsChannel, kind));
}

describe('work in the background', () => {
  const engine = engines[0]!;

  it('is over when the server stops while it clears away', async () => {
    await using house = await withExpiredSession(engine);
    const stopping = new AbortController();
    const ctx: Context = {
      ...house.ctx,
      // Told after the commit, in the middle of clearing away: nonces come next.
      realtime: { ...house.ctx.realtime, endSessions: async () => stopping.abort() },
    };
    expect(await soon(runInBackground(ctx, services, stopping.signal))).toBe('over');
    expect([stopping.signal.aborted, await sessionsOf(house)]).toEqual([true, 0]);
  });

  it('does not begin in a server that stops before', async () => {
    await using house = await withExpiredSession(engine);
    const stopping = new AbortController();
    stopping.abort();
    expect(await soon(runInBackground(house.ctx, services, stopping.signal))).toBe('over');
    expect(await sessionsOf(house)).toBe(1);
  });

  it('says it in the log when clearing away fails, and the other services clear away', async () => {
    await using house = await openHouse(engine);
    let ran = 0;
    const parts = [
      { name: 'broken', purge: () => Promise.reject(new Error('no disk')) },
      { name: 'whole', purge: async () => void (ran += 1) },
    ];
    const stopping = new AbortController();
    const background = runInBackground(house.ctx, parts, stopping.signal);
    await expect.poll(async () => await planned(house)).toHaveLength(2);
    house.clock.advance(10 * minute);
    for (const { name } of parts) await ring(house.ctx, `purge-${name}`);
    await expect
      .poll(() => house.log.lines)
      .toContainEqual(expect.objectContaining({ message: 'job failed; it will run again', kind: 'purge-broken' }));
    await expect.poll(() => ran).toBe(1);
    stopping.abort();
    expect(await soon(background)).toBe('over');
  });

  it('plans clearing away as soon as the store answers', { tags: 'thorough' }, async () => {
    await using house = await openHouse(engine);
    let refusals = 1;
    const store: Context['store'] = {
      ...house.ctx.store,
      async transaction(body) {
        if (refusals === 0) return await house.ctx.store.transaction(body);
        refusals -= 1;
        throw new Error('no disk');
      },
    };
    const stopping = new AbortController();
    const background = runInBackground({ ...house.ctx, store }, services, stopping.signal);
    await expect.poll(async () => (await planned(house)).length).toBeGreaterThan(2);
    expect(house.log.lines.map(({ message }) => message)).toContain(
      'planning the purge jobs failed: the store does not answer',
    );
    stopping.abort();
    expect(await soon(background)).toBe('over');
  });
});
