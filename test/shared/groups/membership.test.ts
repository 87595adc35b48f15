import { describe, expect, it } from 'vitest';
import { join, giveRole, handOver, leave, remove, roleIn } from '../../../src/shared/groups/membership.ts';
import { closeRoom, memberCounts } from '../../../src/shared/groups/room.ts';
import type { RoomRole } from '../../../src/platform/store/tables/rooms.ts';
import { engines } from '../../support/stores.ts';
import { openRoomScene, type RoomScene } from './scene.ts';

async function joining(scene: RoomScene, ...roles: readonly RoomRole[]): Promise<void> {
  for (const [at, role] of roles.entries())
    await scene.change(async (tx) => await join(tx, scene.room, scene.ids[at + 1]!, { role }));
}

describe.each(engines)('members of a room on %s', (engine) => {
  it('join once, leave, and are counted', async () => {
    await using scene = await openRoomScene(engine, 3);
    const { room, change, counted } = scene;
    const [owner, ann, bob] = scene.ids as [string, string, string];
    expect(await change(async (tx) => await join(tx, room, ann))).toBe('joined');
    expect(await change(async (tx) => await join(tx, room, ann))).toBe('member');
    expect(await change(async (tx) => await join(tx, room, bob, { most: 2 }))).toBe('full');
    expect(await counted()).toEqual([2, 2]);
    expect(await memberCounts(scene.house.ctx, room.kind, [room.id, 'b'])).toEqual(new Map([[room.id, 2]]));
    expect(await change(async (tx) => await leave(tx, room, bob))).toBe('absent');
    expect(await change(async (tx) => await leave(tx, room, ann))).toBe('left');
    expect(await change(async (tx) => await leave(tx, room, owner))).toBe('last-owner');
    expect(await counted()).toEqual([1, 1]);
    const nowhere = { kind: 'test', id: 'b' };
    expect(await change(async (tx) => await join(tx, nowhere, ann))).toBe('missing');
    const otherKind = { ...room, kind: 'other' };
    expect(await roleIn(scene.house.ctx, otherKind, owner)).toBeUndefined();
  });

  it('are counted right when 50 of them join and leave at once', async () => {
    await using scene = await openRoomScene(engine, 26);
    const { room, change, counted, ids } = scene;
    const others = ids.slice(1);
    // Each of 25 twice, so that one of the two finds it done.
    const joined = await Promise.all(
      [...others, ...others].map(async (id) => await change(async (tx) => await join(tx, room, id))),
    );
    expect(joined.filter((outcome) => outcome === 'joined')).toHaveLength(25);
    expect(await counted()).toEqual([26, 26]);
    const mixed = await Promise.all([
      ...others.map(async (id) => await change(async (tx) => await leave(tx, room, id))),
      ...others.map(async (id) => await change(async (tx) => await join(tx, room, id))),
    ]);
    expect(mixed).toHaveLength(50);
    const [count, rows] = await counted();
    expect(count).toBe(rows);
  });

  it('check 16: are never without an owner when two owners leave at once', async () => {
    await using scene = await openRoomScene(engine, 2);
    const { room, change, ids } = scene;
    await change(async (tx) => await join(tx, room, ids[1]!, { role: 'owner' }));
    const left = await Promise.all(ids.map(async (id) => await change(async (tx) => await leave(tx, room, id))));
    expect(left.toSorted()).toEqual(['last-owner', 'left']);
    expect(await scene.counted()).toEqual([1, 1]);
  });

  it('check 16: are changed by who has a higher role alone', async () => {
    await using scene = await openRoomScene(engine, 7);
    await joining(scene, 'admin', 'admin', 'moderator', 'moderator', 'member');
    const [owner, admin, otherAdmin, moderator, otherModerator, member, stranger] = scene.ids as string[];
    const { room, change } = scene;
    const give = async (by: string | undefined, whom: string | undefined, role: RoomRole) =>
      await change(async (tx) => await giveRole(tx, room, by!, whom!, role));
    for (const [by, whom, role] of [
      [admin, otherAdmin, 'member'],
      [admin, owner, 'member'],
      [admin, admin, 'owner'],
      [admin, member, 'owner'],
      [admin, member, 'admin'],
      [moderator, otherModerator, 'member'],
      [moderator, member, 'moderator'],
      [member, member, 'owner'],
      [stranger, member, 'member'],
    ] as const)
      expect(await give(by, whom, role)).toBe('outranked');
    expect(await give(owner, stranger, 'admin')).toBe('absent');
    expect(await give(admin, member, 'moderator')).toBe('changed');
    expect(await give(admin, member, 'moderator')).toBe('same');
    expect(await give(owner, member, 'owner')).toBe('changed');
    expect(await give(owner, member, 'member')).toBe('outranked');

    const removing = async (by: string | undefined, whom: string | undefined) =>
      await change(async (tx) => await remove(tx, room, by!, whom!));
    expect(await removing(moderator, otherModerator)).toBe('outranked');
    expect(await removing(admin, owner)).toBe('outranked');
    expect(await removing(stranger, moderator)).toBe('outranked');
    expect(await removing(admin, stranger)).toBe('absent');
    expect(await removing(admin, moderator)).toBe('changed');
    expect(await scene.counted()).toEqual([5, 5]);
  });

  it('become the owner when the owner hands over', async () => {
    await using scene = await openRoomScene(engine, 3);
    await joining(scene, 'member');
    const { room, change } = scene;
    const [owner, ann, stranger] = scene.ids as [string, string, string];
    const hand = async (from: string, to: string) =>
      await change(async (tx) => await handOver(tx, room, from, to, 'moderator'));
    expect([await hand(ann, ann), await hand(owner, owner), await hand(owner, stranger)]).toEqual([
      'outranked',
      'same',
      'absent',
    ]);
    expect(await hand(owner, ann)).toBe('changed');
    expect([await roleIn(scene.house.ctx, room, owner), await roleIn(scene.house.ctx, room, ann)]).toEqual([
      'moderator',
      'owner',
    ]);
    expect(await hand(owner, ann)).toBe('outranked');
    expect(await change(async (tx) => await closeRoom(tx, room))).toEqual(expect.arrayContaining([owner, ann]));
    expect(await scene.counted()).toEqual([undefined, 0]);
    expect(await change(async (tx) => await closeRoom(tx, room))).toEqual([]);
  });
});
