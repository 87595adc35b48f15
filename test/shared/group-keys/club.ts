import { sql, type RawBuilder } from 'kysely';
import { openOwnKeys } from '../../../src/client/room-keys.ts';
import { transaction, type Context } from '../../../src/service/context.ts';
import type { RotationReason } from '../../../src/contract/room-keys/fields.ts';
import { fromUtf8, toHex, utf8 } from '../../../src/crypto/bytes.ts';
import { generateKeyPair, type KeyPair } from '../../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../../src/crypto/public-key.ts';
import type { Room } from '../../../src/crypto/room-keys.ts';
import { Problem } from '../../../src/base/problem.ts';
import { currentEpoch, holdEpoch, openRoomKeys } from '../../../src/shared/group-keys/keys.ts';
import { listOwnKeys } from '../../../src/shared/group-keys/own-keys.ts';
import { rotating, type Rotation } from '../../../src/shared/group-keys/rotate.ts';
import type { Db } from '../../../src/platform/store/database.ts';
import { recordId } from '../../../src/platform/store/record-id.ts';
import { memberRow } from '../../support/sample-store.ts';

export interface Person extends KeyPair {
  readonly memberId: string;
}

/** Members who exist, whose private keys the test has. */
export async function people(ctx: Context, count: number): Promise<Person[]> {
  const made = Array.from({ length: count }, () => {
    const pair = generateKeyPair();
    return { ...pair, memberId: memberIdOf(pair.publicKey) };
  });
  const rows = made.map(({ memberId, publicKey }) =>
    memberRow(`p-${memberId}`, { id: memberId, public_key: toHex(publicKey) }),
  );
  await ctx.store.transaction(async (db) => {
    for (let start = 0; start < rows.length; start += 200)
      await db
        .insertInto('members')
        .values(rows.slice(start, start + 200))
        .execute();
  });
  return made;
}

export interface Sent {
  readonly messageId: string;
  readonly senderId: string;
  readonly epoch: number;
  readonly sealed: Uint8Array;
}

/** A room of a service, as small as one can be: it keeps its members in a table of its own. */
export interface Club extends AsyncDisposable {
  readonly room: Room;
  change(reason: RotationReason, who: { add?: readonly string[]; remove?: readonly string[] }): Promise<Rotation>;
  show(historyVisible: boolean): Promise<Rotation>;
  /** seals under the newest key, and begins again when it is the newest no more */
  send(senderId: string, text: string): Promise<Sent>;
  read(sent: Sent): Promise<string>;
  members(): Promise<string[]>;
  /** the messages that are committed */
  stored(): Promise<Pick<Sent, 'messageId' | 'epoch'>[]>;
  /** opens what the API answers with the member's own key */
  keysOf(person: Person, sinceEpoch?: number): Promise<Map<number, Uint8Array>>;
}

const notMember = () => new Problem('forbidden', 'FORBIDDEN', 'You are no member of the club.');

export async function openClub(ctx: Context, founders: readonly string[], historyVisible = false): Promise<Club> {
  const room: Room = { kind: 'club', id: recordId(ctx.clock.now(), ctx.random) };
  const [members, rule, messages] = [`members_${room.id}`, `rules_${room.id}`, `messages_${room.id}`].map((name) =>
    sql.table(name),
  ) as [RawBuilder<unknown>, RawBuilder<unknown>, RawBuilder<unknown>];
  await sql`create table ${members} (member_id text primary key)`.execute(ctx.db);
  await sql`create table ${rule} (history integer)`.execute(ctx.db);
  await sql`create table ${messages} (message_id text primary key, epoch integer)`.execute(ctx.db);
  await sql`insert into ${rule} (history) values (${historyVisible ? 1 : 0})`.execute(ctx.db);
  const list = async (db: Db): Promise<string[]> =>
    (await sql<{ member_id: string }>`select member_id from ${members}`.execute(db)).rows.map((row) => row.member_id);
  const rules = async (db: Db): Promise<boolean> =>
    (await sql<{ history: number }>`select history from ${rule}`.execute(db)).rows[0]?.history === 1;

  const change: Club['change'] = async (reason, { add = [], remove = [] }) =>
    await rotating(
      ctx,
      room,
      async ({ db }) => ({
        members: [...new Set([...(await list(db)), ...add])].filter((id) => !remove.includes(id)),
        historyVisible: await rules(db),
      }),
      async (tx, rotateNow) => {
        for (const id of remove) await sql`delete from ${members} where member_id = ${id}`.execute(tx.db);
        for (const id of add)
          await sql`insert into ${members} (member_id) values (${id}) on conflict do nothing`.execute(tx.db);
        return await rotateNow({ members: await list(tx.db), historyVisible: await rules(tx.db), reason });
      },
    );
  const club: Club = {
    room,
    change,
    show: async (visible) =>
      await rotating(
        ctx,
        room,
        async ({ db }) => ({ members: await list(db), historyVisible: visible }),
        async (tx, rotateNow) => {
          await sql`update ${rule} set history = ${visible ? 1 : 0}`.execute(tx.db);
          return await rotateNow({
            members: await list(tx.db),
            historyVisible: await rules(tx.db),
            reason: 'history_changed',
          });
        },
      ),
    async send(senderId, text) {
      for (;;) {
        const epoch = await currentEpoch(ctx, room);
        const messageId = recordId(ctx.clock.now(), ctx.random);
        using keys = await openRoomKeys(ctx, room, [epoch]);
        const sealed = keys.seal({ epoch, senderId, messageId }, utf8(text));
        try {
          return await transaction(ctx, async (tx) => {
            await holdEpoch(tx, room, epoch);
            if (!(await list(tx.db)).includes(senderId)) throw notMember();
            await sql`insert into ${messages} (message_id, epoch) values (${messageId}, ${epoch})`.execute(tx.db);
            return { messageId, senderId, epoch, sealed };
          });
        } catch (error) {
          if (!(error instanceof Problem && error.code === 'EPOCH_CHANGED')) throw error;
        }
      }
    },
    async read({ sealed, ...place }) {
      using keys = await openRoomKeys(ctx, room, [place.epoch]);
      return fromUtf8(keys.open(place, sealed));
    },
    members: async () => await list(ctx.db),
    stored: async () =>
      (
        await sql<Pick<Sent, 'messageId' | 'epoch'>>`select message_id as "messageId", epoch from ${messages}`.execute(
          ctx.db,
        )
      ).rows,
    async keysOf({ privateKey, memberId }, sinceEpoch = 0) {
      const { keys } = await listOwnKeys(ctx, { memberId }, room, { sinceEpoch, limit: 200 });
      return openOwnKeys(privateKey, memberId, room, keys);
    },
    async [Symbol.asyncDispose]() {
      await sql`drop table ${members}`.execute(ctx.db);
      await sql`drop table ${rule}`.execute(ctx.db);
      await sql`drop table ${messages}`.execute(ctx.db);
    },
  };
  await change('created', { add: founders });
  return club;
}
