import { describe, expect, it } from 'vitest';
import type { RunningJob } from '../../../src/platform/store/jobs/jobs.ts';
import type { Context } from '../../../src/service/context.ts';
import { subscriptionHandler } from '../../../src/services/calendar/subscriptions/refresh-job.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { bothEngines } from '../../support/stores.ts';
import { HOUR, ics, openSubscriptions, vevent, type SubscriptionScene } from './subscription-scene.ts';

const path = '/a.ics';
const EVENTS = 60;
const names = (count: number) => Array.from({ length: count }, (_, at) => `event-${String(at).padStart(3, '0')}`);
const file = (count: number, ...lines: string[]) => ics(...names(count).map((name) => vevent(name, ...lines)));

/** Reads what a calendar follows, as one process does that has claimed the job, or believes that it has. */
async function refresh(ctx: Context, calendarId: string, more: Partial<RunningJob> = {}): Promise<void> {
  const job = { id: 'x', attempt: 1, signal: new AbortController().signal, finish: async () => {}, ...more };
  await subscriptionHandler(ctx)({ calendarId }, job);
}

async function bytesOf({ house }: SubscriptionScene, { memberId }: HouseMember): Promise<number | undefined> {
  const row = await house.ctx.db
    .selectFrom('member_storage')
    .select('bytes')
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row?.bytes;
}

describe.each(bothEngines)('the work of following an address, on %s,', (engine) => {
  it('leaves each event once when two processes do it at once, the slower one with what was there before', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, bob, world, house } = scene;
    world.answers.set('/b.ics', { body: file(EVENTS, 'LOCATION:There') });
    world.answers.set(path, { body: file(20) });
    const { id } = await scene.follow(ann, path);
    await scene.follow(bob, '/b.ics');
    const bodies = [file(EVENTS, 'LOCATION:Here!'), file(EVENTS, 'LOCATION:There')];
    world.answers.set(path, () => ({ body: bodies.shift() ?? file(EVENTS, 'LOCATION:There') }));
    const lost = async () => await Promise.reject(new Error('the claim is lost'));
    await Promise.allSettled([refresh(house.ctx, id, { finish: lost }), refresh(house.ctx, id)]);
    expect(await scene.titles(ann, id)).toEqual(names(EVENTS));
    // Whoever was the last writer of an event: the next reading has what is there now.
    await scene.later(7 * HOUR);
    expect(await scene.titles(ann, id)).toEqual(names(EVENTS));
    expect((await scene.shown(ann, id)).subscriptionStatus).toMatchObject({ state: 'current', failures: 0 });
    expect(await bytesOf(scene, ann)).toBe(await bytesOf(scene, bob));
  });

  it('goes on where it was cut off', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world, house } = scene;
    world.answers.set(path, { body: file(0) });
    const { id } = await scene.follow(ann, path);
    world.answers.set(path, { body: file(EVENTS) });
    const stop = new AbortController();
    let drawn = 0;
    const random = (size: number): Uint8Array => {
      drawn += 1;
      if (drawn === 30) stop.abort();
      return house.ctx.random(size);
    };
    await expect(refresh({ ...house.ctx, random }, id, { signal: stop.signal })).rejects.toThrow(/abort/i);
    const before = await scene.titles(ann, id);
    expect(before.length).toBeGreaterThan(0);
    expect(before.length).toBeLessThan(EVENTS);
    await scene.later(7 * HOUR);
    expect(await scene.titles(ann, id)).toEqual(names(EVENTS));
    const kept = await house.ctx.db
      .selectFrom('calendar_objects')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('calendar_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(kept.count).toBe(EVENTS);
  });

  it('leaves out an event that fails for a reason that nobody thought of, and no other', async () => {
    await using scene = await openSubscriptions(engine);
    const { ann, world, house } = scene;
    world.answers.set(path, { body: file(0) });
    const { id } = await scene.follow(ann, path);
    world.answers.set(path, { body: file(30) });
    let drawn = 0;
    const random = (size: number): Uint8Array => {
      drawn += 1;
      if (drawn === 7) throw new RangeError('out of luck');
      return house.ctx.random(size);
    };
    await refresh({ ...house.ctx, random }, id);
    expect(await scene.titles(ann, id)).toHaveLength(29);
    expect(house.log.lines.filter(({ message }) => /event of a calendar elsewhere/.test(message))).toHaveLength(1);
    await scene.later(7 * HOUR);
    expect(await scene.titles(ann, id)).toEqual(names(30));
  });
});
