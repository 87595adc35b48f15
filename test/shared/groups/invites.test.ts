import { describe, expect, it } from 'vitest';
import { ban } from '../../../src/shared/groups/banning.ts';
import { invite, invitesOf, redeem, revokeInvite } from '../../../src/shared/groups/invites.ts';
import { openRoom } from '../../../src/shared/groups/room.ts';
import { engines } from '../../support/stores.ts';
import { openRoomScene } from './scene.ts';

describe.each(engines)('check 17, invites on %s', (engine) => {
  it('have a token of 192 bits, of which the store has the hash alone', async () => {
    await using scene = await openRoomScene(engine, 2);
    const { room, change, house } = scene;
    const [owner, ann] = scene.ids as [string, string];
    const { row, token } = await change(async (tx) => await invite(tx, room, { by: owner }));
    expect(Buffer.from(token, 'base64url')).toHaveLength(24);
    const rows = await house.ctx.db.selectFrom('room_invites').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await invitesOf(house.ctx, room)).toEqual([row]);
    expect(await change(async (tx) => await redeem(tx, room, `${token}a`, ann))).toBe('missing');
    expect(await change(async (tx) => await redeem(tx, room, token, ann))).toBe('joined');
    expect(await change(async (tx) => await redeem(tx, room, token, ann))).toBe('member');
    expect((await invitesOf(house.ctx, room))[0]).toMatchObject({ uses: 1 });
  });

  it('are for their room alone', async () => {
    await using scene = await openRoomScene(engine, 2);
    const { room, change } = scene;
    const [owner, ann] = scene.ids as [string, string];
    const other = { kind: room.kind, id: 'b'.repeat(32) };
    await change(async (tx) => await openRoom(tx, { ...other, ownerId: owner }));
    const { row, token } = await change(async (tx) => await invite(tx, room, { by: owner }));
    expect(await change(async (tx) => await redeem(tx, other, token, ann))).toBe('missing');
    expect(await change(async (tx) => await redeem(tx, { ...room, kind: 'other' }, token, ann))).toBe('missing');
    expect(await change(async (tx) => await revokeInvite(tx, other, row.id))).toBe(false);
    expect(await change(async (tx) => await revokeInvite(tx, room, row.id))).toBe(true);
    expect(await change(async (tx) => await redeem(tx, room, token, ann))).toBe('missing');
  });

  it('are over at a moment, and let nobody in who is banned', async () => {
    await using scene = await openRoomScene(engine, 3);
    const { room, change, house } = scene;
    const [owner, ann, bob] = scene.ids as [string, string, string];
    const expiresAt = house.clock.now() + 1_000;
    const made = await change(async (tx) => await invite(tx, room, { by: owner, expiresAt, maxUses: 1 }));
    await change(async (tx) => await ban(tx, room, { by: owner, memberId: bob }));
    house.clock.advance(999);
    expect(await change(async (tx) => await redeem(tx, room, made.token, bob))).toBe('banned');
    house.clock.advance(1);
    expect(await change(async (tx) => await redeem(tx, room, made.token, ann))).toBe('over');
  });

  it('are used as often as they may be, whoever comes at once', { tags: 'thorough' }, async () => {
    await using scene = await openRoomScene(engine, 51);
    const { room, change, house, ids } = scene;
    const { token } = await change(async (tx) => await invite(tx, room, { by: ids[0]!, maxUses: 7 }));
    const outcomes = await Promise.all(
      ids.slice(1).map(async (id) => await change(async (tx) => await redeem(tx, room, token, id))),
    );
    expect(outcomes.filter((outcome) => outcome === 'joined')).toHaveLength(7);
    expect(outcomes.filter((outcome) => outcome === 'over')).toHaveLength(43);
    expect(await scene.counted()).toEqual([8, 8]);
    expect((await invitesOf(house.ctx, room))[0]).toMatchObject({ uses: 7, max_uses: 7 });
  });
});
