import { describe, expect, it } from 'vitest';
import { banOf, bannedFrom } from '../../../src/shared/groups/bans.ts';
import { ban, unban } from '../../../src/shared/groups/banning.ts';
import { join, roleIn } from '../../../src/shared/groups/membership.ts';
import { mute, mutedUntil, unmute } from '../../../src/shared/groups/mutes.ts';
import { openRoom } from '../../../src/shared/groups/room.ts';
import { engines } from '../../support/stores.ts';
import { openRoomScene } from './scene.ts';

describe.each(engines)('bans on %s', (engine) => {
  it('end the membership, and keep somebody out to the millisecond', async () => {
    await using scene = await openRoomScene(engine, 2);
    const { room, change, house } = scene;
    const [owner, ann] = scene.ids as [string, string];
    await change(async (tx) => await join(tx, room, ann));
    const endsAt = house.clock.now() + 1_000;
    const done = await change(async (tx) => await ban(tx, room, { by: owner, memberId: ann, reason: 'Noise', endsAt }));
    expect(done).toEqual({ endsAt, left: [room], passed: [] });
    expect(await scene.counted()).toEqual([1, 1]);
    expect(await roleIn(house.ctx, room, ann)).toBeUndefined();
    expect(await banOf(house.ctx, room, ann)).toMatchObject({ reason: 'Noise', ends_at: endsAt, banned_by: owner });
    expect(await bannedFrom(house.ctx, room.kind, ann).execute()).toEqual([{ room_id: room.id }]);
    house.clock.advance(999);
    expect(await change(async (tx) => await join(tx, room, ann))).toBe('banned');
    house.clock.advance(1);
    expect(await banOf(house.ctx, room, ann)).toBeUndefined();
    expect(await bannedFrom(house.ctx, room.kind, ann).execute()).toEqual([]);
    expect(await change(async (tx) => await unban(tx, room, ann))).toBe(false);
    expect(await change(async (tx) => await join(tx, room, ann))).toBe('joined');
  });

  it('without an end last until they are lifted', async () => {
    await using scene = await openRoomScene(engine, 2);
    const { room, change, house } = scene;
    const [owner, ann] = scene.ids as [string, string];
    await change(async (tx) => await ban(tx, room, { by: owner, memberId: ann }));
    house.clock.advance(100 * 365 * 86_400_000);
    expect(await change(async (tx) => await join(tx, room, ann))).toBe('banned');
    // One that ends by itself changes nothing of them.
    const endsAt = house.clock.now() + 1_000;
    const shorter = await change(async (tx) => await ban(tx, room, { by: owner, memberId: ann, endsAt }));
    expect(shorter).toMatchObject({ endsAt: undefined });
    house.clock.advance(1_000);
    expect(await change(async (tx) => await join(tx, room, ann))).toBe('banned');
    expect(await change(async (tx) => await unban(tx, room, ann))).toBe(true);
    expect(await change(async (tx) => await unban(tx, room, ann))).toBe(false);
    expect(await change(async (tx) => await join(tx, room, ann))).toBe('joined');
  });

  it('with an end are replaced by others, shorter and longer ones and those without', async () => {
    await using scene = await openRoomScene(engine, 3);
    const { room, change, house } = scene;
    const [owner, ann, bob] = scene.ids as [string, string, string];
    const now = house.clock.now();
    await change(async (tx) => await ban(tx, room, { by: owner, memberId: bob, endsAt: now + 7_000 }));
    for (const endsAt of [now + 5_000, now + 2_000, now + 9_000, undefined]) {
      const done = await change(async (tx) => await ban(tx, room, { by: owner, memberId: ann, endsAt }));
      expect(done).toMatchObject({ endsAt });
      expect(await banOf(house.ctx, room, ann)).toMatchObject({ ends_at: endsAt ?? null });
    }
    expect(await banOf(house.ctx, room, bob)).toMatchObject({ ends_at: now + 7_000 });
  });

  it('are for lower roles alone', async () => {
    await using scene = await openRoomScene(engine, 5);
    const { room, change } = scene;
    const [owner, one, other, member, stranger] = scene.ids as [string, string, string, string, string];
    await change(async (tx) => await join(tx, room, one, { role: 'moderator' }));
    await change(async (tx) => await join(tx, room, other, { role: 'moderator' }));
    await change(async (tx) => await join(tx, room, member));
    const banning = async (by: string, memberId: string) =>
      await change(async (tx) => await ban(tx, room, { by, memberId }));
    for (const [by, whom] of [
      [one, owner],
      [one, other],
      [one, one],
      [owner, owner],
      [member, stranger],
      [stranger, member],
      [stranger, stranger],
    ] as const)
      expect(await banning(by, whom)).toBeUndefined();
    expect(await scene.counted()).toEqual([4, 4]);
    expect(await banning(owner, other)).toBeDefined();
    expect(await scene.counted()).toEqual([3, 3]);
  });

  it('count in the rooms below too, whose owner is replaced', async () => {
    await using scene = await openRoomScene(engine, 3);
    const { room, change, house, counted } = scene;
    const [owner, ann, bob] = scene.ids as [string, string, string];
    const [first, second] = ['b', 'c'].map((digit) => ({ kind: room.kind, id: digit.repeat(32) })) as [
      typeof room,
      typeof room,
    ];
    await change(async (tx) => await join(tx, room, ann));
    await change(async (tx) => await openRoom(tx, { ...first, ownerId: ann, parentId: room.id }));
    await change(async (tx) => await openRoom(tx, { ...second, ownerId: bob, parentId: room.id }));
    await change(async (tx) => await join(tx, second, ann, { role: 'moderator' }));
    // The owner of the room is banned from the one below, and gets it all the same.
    await change(async (tx) => await ban(tx, first, { by: ann, memberId: owner }));
    const done = await change(async (tx) => await ban(tx, room, { by: owner, memberId: ann }));
    expect(done?.left).toEqual([room, first, second]);
    expect(done?.passed).toEqual([{ room: first, ownerId: owner, joined: true }]);
    expect(await roleIn(house.ctx, first, owner)).toBe('owner');
    expect(await banOf(house.ctx, first, owner)).toBeUndefined();
    expect([await counted(room), await counted(first), await counted(second)]).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    for (const below of [first, second]) {
      expect(await change(async (tx) => await join(tx, below, ann))).toBe('banned');
      expect(await banOf(house.ctx, below, ann)).toMatchObject({ room_id: room.id });
    }
    // A ban from a room below says nothing of the one above.
    await change(async (tx) => await ban(tx, second, { by: bob, memberId: owner }));
    expect(await banOf(house.ctx, room, owner)).toBeUndefined();
    await change(async (tx) => await unban(tx, room, ann));
    expect(await change(async (tx) => await join(tx, second, ann))).toBe('joined');
  });

  it('that come while the member joins a room below win', async () => {
    await using scene = await openRoomScene(engine, 12);
    const { room, change, house, ids } = scene;
    const [owner, ...others] = ids as [string, ...string[]];
    const below = { kind: room.kind, id: 'b'.repeat(32) };
    await change(async (tx) => await openRoom(tx, { ...below, ownerId: owner, parentId: room.id }));
    await Promise.all(
      others.flatMap((memberId) => [
        change(async (tx) => await ban(tx, room, { by: owner, memberId })),
        change(async (tx) => await join(tx, below, memberId)),
      ]),
    );
    for (const id of others) expect(await roleIn(house.ctx, below, id)).toBeUndefined();
    expect(await scene.counted(below)).toEqual([1, 1]);
  });
});

describe.each(engines)('check 16, mutes on %s', (engine) => {
  it('end to the millisecond, and not by leaving', async () => {
    await using scene = await openRoomScene(engine, 4);
    const { room, change, house } = scene;
    const [owner, ann, moderator, stranger] = scene.ids as [string, string, string, string];
    await change(async (tx) => await join(tx, room, ann));
    await change(async (tx) => await join(tx, room, moderator, { role: 'moderator' }));
    const endsAt = house.clock.now() + 5_000;
    const muting = async (by: string, memberId: string) =>
      await change(async (tx) => await mute(tx, room, { by, memberId, endsAt }));
    expect([await muting(ann, ann), await muting(moderator, owner), await muting(moderator, moderator)]).toEqual([
      'outranked',
      'outranked',
      'outranked',
    ]);
    expect(await muting(owner, stranger)).toBe('absent');
    expect(await muting(moderator, ann)).toBe('changed');
    house.clock.advance(4_999);
    expect(await mutedUntil(house.ctx, room, ann)).toBe(endsAt);
    house.clock.advance(1);
    expect(await mutedUntil(house.ctx, room, ann)).toBeUndefined();
    expect(await change(async (tx) => await unmute(tx, room, ann))).toBe(false);
  });
});
