import { describe, expect, it } from 'vitest';
import { chatLimits } from '../../../src/contract/chat/limits.ts';
import { bothEngines } from '../../support/stores.ts';
import { openPresenceOfTwo } from './presence-scene.ts';

const { restMs, offlineMs, seenEveryMs } = chatLimits;

/** ann and bob are there and told so; what ann hears after that. */
async function openIdle(engine: (typeof bothEngines)[number]) {
  const scene = await openPresenceOfTwo(engine);
  const { bob, house, inbox } = scene;
  const seenAt = async () =>
    (
      await house.ctx.db
        .selectFrom('presence_sockets')
        .select('seen_at')
        .where('member_id', '=', bob.memberId)
        .execute()
    ).map((row) => row.seen_at);
  return {
    ...scene,
    idleMs: house.ctx.config.chat.idleAfterMs,
    now: () => house.clock.now(),
    since: () => scene.heard(inbox).slice(1),
    seenAt,
  };
}

describe.each(bothEngines)('presence without a sign on %s', (engine) => {
  it('is idle when the time is over, and online again with the next sign', async () => {
    await using scene = await openIdle(engine);
    const { ann, bob, idleMs } = scene;
    await scene.pass(idleMs - 60_000);
    // Over a socket the one, and the other over HTTP whenever she looks.
    scene.act(bob);
    expect(await scene.sees(ann, bob)).toBe('online');
    await scene.pass(0);
    await scene.pass(60_000);
    expect(await scene.sees(ann, bob)).toBe('online');
    await scene.pass(idleMs - 60_000 - 1);
    expect(await scene.sees(ann, bob, ann)).toBe('online online');
    expect(scene.since()).toEqual([]);
    await scene.pass(1);
    await scene.told(() => expect(scene.since()).toEqual(['bob idle']));
    expect(await scene.sees(ann, bob, ann)).toBe('idle online');
    scene.act(bob);
    await scene.pass(0);
    expect(await scene.sees(ann, bob)).toBe('online');
    await scene.pass(restMs);
    await scene.told(() => expect(scene.since().slice(1)).toEqual(['bob online']));
    await scene.pass(idleMs);
    await scene.told(() => expect(scene.since().slice(2).join()).toContain('bob idle'));
    // A client that connects again is no sign of its member, and one that comes is.
    scene.leave(bob);
    await scene.pass(restMs);
    scene.come(bob);
    await scene.pass(restMs);
    expect(await scene.sees(ann, bob)).toBe('idle');
    scene.leave(bob);
    await scene.pass(offlineMs);
    expect(await scene.sees(ann, bob)).toBe('offline');
    scene.come(bob);
    await scene.pass(0);
    expect(await scene.sees(ann, bob)).toBe('online');
  });

  it('is what the member has set', async () => {
    await using scene = await openIdle(engine);
    const { ann, bob, idleMs } = scene;
    await scene.set(bob, 'dnd');
    await scene.pass(restMs);
    await scene.told(() => expect(scene.since()).toEqual(['bob dnd']));
    await scene.pass(seenEveryMs);
    await scene.pass(idleMs);
    expect(await scene.sees(ann, bob)).toBe('dnd');
    await scene.set(bob, 'idle');
    scene.act(bob);
    await scene.pass(0);
    expect(await scene.sees(ann, bob)).toBe('idle');
    await scene.set(bob, 'online');
    await scene.pass(0);
    expect(await scene.sees(ann, bob)).toBe('online');
    await scene.hide(bob);
    await scene.pass(idleMs);
    expect(await scene.sees(ann, bob)).toBe('offline');
  });

  it('is one in all processes, which write a sign once in a minute', async () => {
    await using scene = await openIdle(engine);
    const { ann, bob, idleMs, other } = scene;
    await scene.pass(idleMs);
    await scene.told(() => expect(scene.since().join()).toContain('bob idle'));
    // The request came to a process in which bob has no socket.
    scene.act(bob, other);
    const first = scene.now();
    await scene.pass(1, other);
    expect(await scene.seenAt()).toEqual([first]);
    expect(await scene.sees(ann, bob)).toBe('online');
    await scene.pass(restMs, other);
    await scene.told(() => expect(scene.since().at(-1)).toContain('bob online'));
    scene.act(bob, other);
    const second = scene.now();
    await scene.pass(seenEveryMs - restMs - 1, other);
    expect(await scene.seenAt()).toEqual([first]);
    await scene.pass(1, other);
    expect(await scene.seenAt()).toEqual([second]);
    // Without one nothing is written.
    await scene.pass(seenEveryMs, other);
    expect(await scene.seenAt()).toEqual([second]);
  });
});
