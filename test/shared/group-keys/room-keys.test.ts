import { sql } from 'kysely';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { keyRotation, ownKeysInput, ownKeysReply } from '../../../src/contract/room-keys/fields.ts';
import { toHex, utf8 } from '../../../src/crypto/bytes.ts';
import { openMessage } from '../../../src/crypto/room-keys.ts';
import { currentEpoch, holdEpoch, openRoomKeys } from '../../../src/shared/group-keys/keys.ts';
import { destroyRoomKeys, eraseRoomKeysHandler } from '../../../src/shared/group-keys/erase.ts';
import { listOwnKeys } from '../../../src/shared/group-keys/own-keys.ts';
import { prepareEpoch } from '../../../src/shared/group-keys/prepare.ts';
import { rotate } from '../../../src/shared/group-keys/rotate.ts';
import { openHouse } from '../../support/house.ts';
import { bothEngines } from '../../support/stores.ts';
import { soak } from '../../support/stage.ts';
import { openClub, people, type Person } from './club.ts';

describe.each(bothEngines)('the keys of a room on %s', (engine) => {
  it('are made anew with every change of the members, and encrypted to each of them alone', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, eve] = (await people(house.ctx, 3)) as [Person, Person, Person];
    await using club = await openClub(house.ctx, [ann.memberId, bob.memberId]);
    const first = await club.keysOf(ann);
    expect([...first.keys()]).toEqual([1]);
    expect(await club.keysOf(bob)).toEqual(first);
    expect(await club.keysOf(eve)).toEqual(new Map());

    expect(await club.change('member_added', { add: [eve.memberId] })).toEqual({ epoch: 2, reason: 'member_added' });
    expect(await club.change('member_removed', { remove: [bob.memberId] })).toEqual({
      epoch: 3,
      reason: 'member_removed',
    });
    const all = await club.keysOf(ann);
    expect([...all.keys()]).toEqual([1, 2, 3]);
    expect(new Set([...all.values()].map(toHex)).size).toBe(3);
    expect([...(await club.keysOf(ann, 1)).keys()]).toEqual([2, 3]);
    expect([...(await club.keysOf(eve)).keys()]).toEqual([2, 3]);
    // Who left is shown nothing any more.
    expect(await club.keysOf(bob)).toEqual(new Map());
    expect((await club.keysOf(eve)).get(3)).toEqual(all.get(3));
  });

  it('answer with the epoch, the reason and the time of each, in pages', async () => {
    await using house = await openHouse(engine);
    const [ann] = (await people(house.ctx, 1)) as [Person];
    await using club = await openClub(house.ctx, [ann.memberId]);
    await club.change('requested', {});
    const rotation = await club.change('requested', {});
    // The epoch and the reason are all that others are told.
    expect(v.parse(v.strictObject(keyRotation), rotation)).toEqual({ epoch: 3, reason: 'requested' });
    const page = await listOwnKeys(house.ctx, ann, club.room, { sinceEpoch: 0, limit: 2 });
    expect(v.parse(v.strictObject(ownKeysReply), page)).toEqual(page);
    const input = v.object(ownKeysInput);
    expect(v.parse(input, {})).toEqual({ sinceEpoch: 0, limit: 200 });
    for (const wrong of [{ sinceEpoch: '-1' }, { sinceEpoch: '1e9' }, { limit: '0' }, { limit: '201' }])
      expect(v.safeParse(input, wrong).success).toBe(false);
    expect(page).toMatchObject({
      epoch: 3,
      hasMore: true,
      keys: [
        { epoch: 1, reason: 'created', createdAt: '2026-01-15T12:00:00.000Z' },
        { epoch: 2, reason: 'requested' },
      ],
    });
    const rest = await listOwnKeys(house.ctx, ann, club.room, { sinceEpoch: 2, limit: 2 });
    expect(rest).toMatchObject({ epoch: 3, hasMore: false, keys: [{ epoch: 3 }] });
    await expect(
      listOwnKeys(house.ctx, ann, { kind: 'club', id: '00' }, { sinceEpoch: 0, limit: 2 }),
    ).rejects.toMatchObject({ kind: 'missing', code: 'NOT_FOUND' });
  });

  it('give those who are added or come back no earlier key, unless the room shows its history', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, eve] = (await people(house.ctx, 3)) as [Person, Person, Person];
    await using club = await openClub(house.ctx, [ann.memberId, bob.memberId]);
    await club.change('member_removed', { remove: [bob.memberId] }); // 2
    await club.change('member_added', { add: [bob.memberId] }); // 3
    expect([...(await club.keysOf(bob)).keys()]).toEqual([3]);

    await club.show(true); // 4
    await club.change('member_left', { remove: [bob.memberId] }); // 5
    await club.change('member_added', { add: [eve.memberId] }); // 6
    // Epochs before the room showed its history stay closed.
    expect([...(await club.keysOf(eve)).keys()]).toEqual([4, 5, 6]);
    expect(await club.keysOf(eve)).toEqual(await club.keysOf(ann, 3));

    await club.show(false); // 7
    await club.change('member_added', { add: [bob.memberId] }); // 8
    expect([...(await club.keysOf(bob)).keys()]).toEqual([8]);
    await club.change('member_removed', { remove: [bob.memberId] }); // 9
    await club.show(true); // 10
    await club.change('member_added', { add: [bob.memberId] }); // 11
    const again = [...(await club.keysOf(bob)).keys()];
    expect(again).toEqual(expect.arrayContaining([4, 5, 6, 10, 11]));
    for (const closed of [1, 2, 7, 9]) expect(again).not.toContain(closed);
  });

  it('refuse what was prepared for other members, another rule or another epoch, and change nothing', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const [ann, bob] = (await people(ctx, 2)) as [Person, Person];
    await using club = await openClub(ctx, [ann.memberId]);
    const members = [ann.memberId, bob.memberId];
    const prepared = await prepareEpoch(ctx, club.room, { members, historyVisible: false });
    const refused = async (change: Partial<Parameters<typeof rotate>[2]>) =>
      await expect(
        transaction(ctx, (tx) =>
          rotate(tx, prepared, { members, historyVisible: false, reason: 'requested', ...change }),
        ),
      ).rejects.toMatchObject({ kind: 'conflict', code: 'EPOCH_CHANGED' });
    await refused({ members: [ann.memberId] });
    await refused({ historyVisible: true });
    expect(await currentEpoch(ctx, club.room)).toBe(1);

    // The same key again changes nothing.
    const change = { members, historyVisible: false, reason: 'member_added' } as const;
    const rotation = { epoch: 2, reason: 'member_added' };
    expect(await transaction(ctx, (tx) => rotate(tx, prepared, change))).toEqual(rotation);
    expect(await transaction(ctx, (tx) => rotate(tx, prepared, change))).toEqual(rotation);
    expect([...(await club.keysOf(bob)).keys()]).toEqual([2]);

    const late = await prepareEpoch(ctx, club.room, { members, historyVisible: false });
    await club.change('requested', { add: [bob.memberId] });
    await expect(transaction(ctx, (tx) => rotate(tx, late, change))).rejects.toMatchObject({
      code: 'EPOCH_CHANGED',
      fields: [{ path: 'epoch', message: 'must be 3' }],
    });
  });

  it('begin again with the members that there are, when others change them meanwhile', async () => {
    await using house = await openHouse(engine);
    const [ann, bob, eve, dan] = (await people(house.ctx, 4)) as [Person, Person, Person, Person];
    await using club = await openClub(house.ctx, [ann.memberId, bob.memberId]);
    const happened = house.meanwhile(async () => await club.change('member_added', { add: [eve.memberId] }));
    const rotation = await club.change('member_removed', { remove: [bob.memberId], add: [dan.memberId] });
    expect(happened()).toBe(true);
    expect(rotation.epoch).toBe(3);
    expect((await club.members()).toSorted()).toEqual([ann, dan, eve].map(({ memberId }) => memberId).toSorted());
    const key = (await club.keysOf(ann)).get(3);
    expect(key).toHaveLength(32);
    for (const person of [eve, dan]) expect((await club.keysOf(person)).get(3)).toEqual(key);
    expect(await club.keysOf(bob)).toEqual(new Map());
    // The key of the try that was given up is no key of the room.
    const { rows } = await sql<{ n: number }>`select cast(count(*) as bigint) as n from room_key_epochs`.execute(
      house.ctx.db,
    );
    expect(rows[0]?.n).toBe(3);
  });

  it('refuse a message under an old key, and name the current epoch', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const [ann] = (await people(ctx, 1)) as [Person];
    await using club = await openClub(ctx, [ann.memberId]);
    await club.change('requested', {});
    await transaction(ctx, (tx) => holdEpoch(tx, club.room, 2));
    await expect(transaction(ctx, (tx) => holdEpoch(tx, club.room, 1))).rejects.toMatchObject({
      kind: 'conflict',
      code: 'EPOCH_CHANGED',
      message: expect.stringContaining('current epoch is 2'),
      fields: [{ path: 'epoch', message: 'must be 2' }],
    });
    await expect(transaction(ctx, (tx) => holdEpoch(tx, { kind: 'club', id: '00' }, 1))).rejects.toMatchObject({
      kind: 'missing',
      code: 'NOT_FOUND',
    });
  });

  it('open messages for their place alone', async () => {
    await using house = await openHouse(engine);
    const [ann, bob] = (await people(house.ctx, 2)) as [Person, Person];
    await using club = await openClub(house.ctx, [ann.memberId, bob.memberId]);
    const sent = await club.send(ann.memberId, 'hello');
    expect(await club.read(sent)).toBe('hello');
    const key = (await club.keysOf(bob)).get(sent.epoch) ?? new Uint8Array();
    expect(openMessage(key, club.room, sent, sent.sealed)).toEqual(utf8('hello'));
    await club.change('requested', {});
    const wrong = [
      { senderId: bob.memberId },
      { messageId: bob.memberId },
      { epoch: 2 },
      { revision: 1 },
      { sealed: sent.sealed.with(20, (sent.sealed[20] ?? 0) ^ 1) },
    ];
    for (const change of wrong)
      await expect(club.read({ ...sent, ...change })).rejects.toMatchObject({
        kind: 'internal',
        code: 'STORE_DAMAGED',
      });
  });

  it('notice what was changed in the store', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const [ann, bob] = (await people(ctx, 2)) as [Person, Person];
    await using club = await openClub(ctx, [ann.memberId, bob.memberId]);
    await club.change('requested', {});
    const row = await ctx.db.selectFrom('room_key_epochs').selectAll().where('epoch', '=', 2).executeTakeFirstOrThrow();
    const other = await ctx.db
      .selectFrom('room_key_epochs')
      .selectAll()
      .where('epoch', '=', 1)
      .executeTakeFirstOrThrow();
    const damages = [
      { for_node: row.for_node.with(30, (row.for_node[30] ?? 0) ^ 1) },
      { for_node: other.for_node },
      { key_id: other.key_id },
      { members_digest: other.key_id + other.key_id },
      { is_open: 1 },
    ];
    for (const damage of damages) {
      await ctx.db.updateTable('room_key_epochs').set(damage).where('epoch', '=', 2).execute();
      await expect(openRoomKeys(ctx, club.room, [1, 2])).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      await ctx.db.updateTable('room_key_epochs').set(row).where('epoch', '=', 2).execute();
    }
    (await openRoomKeys(ctx, club.room, [1, 2]))[Symbol.dispose]();

    // Of a wrap, its member notices it: one that was changed, another member's, and that of another epoch.
    const wraps = await ctx.db.selectFrom('room_key_wraps').selectAll().execute();
    const wrapOf = (epoch: number, { memberId }: Person) =>
      wraps.find((one) => one.epoch === epoch && one.member_id === memberId)?.wrapped ?? new Uint8Array();
    const mine = wrapOf(2, ann);
    for (const wrapped of [mine.with(60, (mine[60] ?? 0) ^ 1), wrapOf(2, bob), wrapOf(1, ann)]) {
      await ctx.db
        .updateTable('room_key_wraps')
        .set({ wrapped })
        .where('epoch', '=', 2)
        .where('member_id', '=', ann.memberId)
        .execute();
      await expect(club.keysOf(ann)).rejects.toThrow('ciphertext is damaged');
    }
  });

  it('are destroyed with their room', async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const [ann] = (await people(ctx, 1)) as [Person];
    await using club = await openClub(ctx, [ann.memberId]);
    const sent = await club.send(ann.memberId, 'hello');
    const prepared = await prepareEpoch(ctx, club.room, { members: [ann.memberId], historyVisible: false });
    await transaction(ctx, (tx) => destroyRoomKeys(tx, club.room));
    for (const table of ['room_key_heads', 'room_key_epochs', 'room_key_members', 'room_key_wraps'] as const)
      expect(await ctx.db.selectFrom(table).selectAll().execute()).toEqual([]);
    await expect(club.read(sent)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(club.send(ann.memberId, 'more')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const change = { members: [ann.memberId], historyVisible: false, reason: 'requested' } as const;
    await expect(transaction(ctx, (tx) => rotate(tx, prepared, change))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are encrypted to 5,000 members, and erased in steps', { tags: soak }, async () => {
    await using house = await openHouse(engine);
    const { ctx } = house;
    const all = await people(ctx, 5_000);
    const room = { kind: 'club', id: 'ab' };
    const members = all.map(({ memberId }) => memberId);
    const prepared = await prepareEpoch(ctx, room, { members, historyVisible: false });
    const change = { members, historyVisible: false, reason: 'created' } as const;
    await transaction(ctx, (tx) => rotate(tx, prepared, change));
    await sql`insert into room_key_wraps select kind, room_id, 2, member_id, wrapped from room_key_wraps`.execute(
      ctx.db,
    );
    const [one] = all.slice(4_321) as [Person];
    expect((await listOwnKeys(ctx, one, room, { sinceEpoch: 0, limit: 200 })).keys).toHaveLength(1);
    await transaction(ctx, (tx) => destroyRoomKeys(tx, room));
    const left = async () => (await ctx.db.selectFrom('room_key_wraps').select('epoch').execute()).length;
    expect(await left()).toBe(5_000);
    const job = await ctx.db
      .selectFrom('jobs')
      .selectAll()
      .where('kind', '=', 'erase-room-keys')
      .executeTakeFirstOrThrow();
    const run = eraseRoomKeysHandler(ctx.store);
    await run(JSON.parse(job.payload), { signal: AbortSignal.abort() } as never);
    await run(JSON.parse(job.payload), { signal: new AbortController().signal } as never);
    expect(await left()).toBe(0);
    const tooMany = [...members, 'aa'];
    await expect(prepareEpoch(ctx, room, { members: tooMany, historyVisible: false })).rejects.toThrow('at most 5000');
  });
});
