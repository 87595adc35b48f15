import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import { runInBackground } from '../../src/serve/background.ts';
import { services } from '../../src/services.ts';
import { openHouse, type House } from '../support/house.ts';
import { engines } from '../support/stores.ts';

const soon = async (work: Promise<unknown>): Promise<string> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('still running'), 60_000);
  });
  try {
    return await Promise.race([work.then(() => 'over'), late]);
  } finally {
    clearTimeout(timer);
  }
};

/** A house whose clock has gone past the end of its one session. */
async function withExpiredSession(): Promise<House> {
  const house = await openHouse(engines[0]!);
  await house.register();
  house.clock.advance(house.ctx.config.sessions.lifetimeMs + 1_000);
  return house;
}

const sessionsOf = async ({ ctx }: House) => (await ctx.db.selectFrom('sessions').select('id').execute()).length;

describe('work in the background', () => {
  it('clears away what has expired, and tells the sockets of it', async () => {
    await using house = await withExpiredSession();
    const stopping = new AbortController();
    const background = runInBackground(house.ctx, services, stopping.signal, 1);
    await expect.poll(() => sessionsOf(house)).toBe(0);
    expect(house.endedSockets).toHaveLength(1);
    stopping.abort();
    expect(await soon(background)).toBe('over');
  });

  it('is over when the server stops while it clears away', async () => {
    await using house = await withExpiredSession();
    const stopping = new AbortController();
    const ctx: Context = {
      ...house.ctx,
      // Told after the commit, in the middle of clearing away: nonces come next.
      realtime: { ...house.ctx.realtime, endSessions: async () => stopping.abort() },
    };
    expect(await soon(runInBackground(ctx, services, stopping.signal, 1))).toBe('over');
    expect([stopping.signal.aborted, await sessionsOf(house)]).toEqual([true, 0]);
  });

  it('does not begin in a server that stops before', async () => {
    await using house = await withExpiredSession();
    const stopping = new AbortController();
    const background = runInBackground(house.ctx, services, stopping.signal, 60_000);
    stopping.abort();
    expect(await soon(background)).toBe('over');
    expect(await sessionsOf(house)).toBe(1);
  });

  it('says it in the log when clearing away fails, and go on', async () => {
    await using house = await openHouse(engines[0]!);
    const stopping = new AbortController();
    const broken = { ...house.ctx.store, transaction: () => Promise.reject(new Error('no disk')) };
    const ctx: Context = { ...house.ctx, store: broken };
    const background = runInBackground(ctx, services, stopping.signal, 1);
    await expect.poll(() => house.log.lines.map(({ message }) => message)).toContain('expired rows were not removed');
    stopping.abort();
    expect(await soon(background)).toBe('over');
  });
});
