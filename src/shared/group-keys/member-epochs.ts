import type { Context } from '../../service/context.ts';
import type { SentEpoch } from '../../contract/chat/client-mode.ts';
import type { RotationReason } from '../../contract/room-keys/fields.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { fromHex, toHex } from '../../crypto/bytes.ts';
import { digestOfMembers, type Room } from '../../crypto/room-keys.ts';
import { epochStatement } from '../../crypto/room-signatures.ts';
import { verify } from '../../crypto/signature.ts';
import { publicKeysOf } from '../members/public-keys.ts';
import type { RoomKeyEpochRow } from '../../platform/store/tables/room-keys.ts';
import { insertRows, writtenQuery } from '../../platform/store/written-query.ts';
import { headIfAny, isTooOld, newestHead } from './keys.ts';
import { dismiss } from './on-demand.ts';
import { epochChanged, noKeys } from './problems.ts';
import { replaceMembers, storeEpoch, type Rotation } from './rotate.ts';

/**
 * Keys of rooms that only members have: one of them makes a key, encrypts it to all who share it, and signs the list. The node checks that it is for
 * the members that there are, keeps it, and opens nothing with it.
 */

const holders = writtenQuery<{ member_id: string }>(
  'select member_id from room_key_members where kind = $1 and room_id = $2 order by member_id',
);
const used = writtenQuery<{ epoch: number }>(
  'select epoch from room_key_epochs where kind = $1 and room_id = $2 and key_id = $3',
);
const close = writtenQuery('update room_key_heads set closed = 1 where kind = $1 and room_id = $2');

interface Given {
  /** who made the key */
  readonly authorId: string;
  readonly sent: SentEpoch;
  /** members of the room as they are in the transaction, after its change */
  readonly members: readonly string[];
  /** those of them who get the key with this change, beside those who have the one before */
  readonly joined?: readonly string[];
  /** others who may get it too: members who wait for a key */
  readonly admissible?: readonly string[];
  readonly reason: RotationReason;
}

/**
 * Makes a key of a member the newest one of its room, in the transaction that changes the members. It is for everybody who has the key before it
 * and is still a member, and for those who are added.
 * @throws Problem conflict EPOCH_CHANGED if it is not for these, or not the next one; invalid INVALID_SIGNATURE, VALIDATION_ERROR; forbidden
 *   FORBIDDEN if the author does not have the key before it; missing NOT_FOUND if the keys of the room were destroyed
 */
export async function storeSentEpoch(tx: Context, room: Room, given: Given): Promise<Rotation> {
  const { authorId, sent, members, joined = [], admissible = [], reason } = given;
  const { epoch, keyId } = sent;
  const head = await headIfAny(tx, room);
  const current = head?.epoch ?? 0;
  if (current === 0 && epoch > 1) throw noKeys();
  if (current !== epoch - 1) throw epochChanged(current);
  const before = await keyHolders(tx, room);
  if (current > 0 && !before.includes(authorId)) throw withoutKey();
  const getting = sent.wraps.map(({ memberId }) => memberId).toSorted();
  const there = new Set(members);
  const needed = current === 0 ? members : [...before.filter((id) => there.has(id)), ...joined];
  const allowed = new Set([...needed, ...admissible]);
  const isForThese =
    new Set(getting).size === getting.length &&
    getting.every((id) => there.has(id) && allowed.has(id)) &&
    needed.every((id) => getting.includes(id));
  if (!isForThese) throw epochChanged(current);
  // Somebody who is gone may have it.
  if ((await tx.db.executeQuery(used(room.kind, room.id, keyId))).rows.length > 0)
    throw fieldProblem('epoch.keyId', 'must be that of a new key');
  const membersDigest = digestOfMembers(getting);
  if (sent.membersDigest !== membersDigest)
    throw fieldProblem('epoch.membersDigest', 'must be the hash of the ids in epoch.wraps');
  const signature = fromHex(sent.signature);
  const statement = epochStatement({ room, epoch, keyId, previousKeyId: head?.key_id, membersDigest });
  await requireSigned(tx, authorId, statement, signature);
  const facts = { room, epoch, keyId, membersDigest, isOpen: false, forNode: new Uint8Array() };
  await storeEpoch(tx, { ...facts, signed: { authorId, memberIds: getting, signature } }, reason);
  const departed = before.filter((id) => !getting.includes(id));
  const newcomers = getting.filter((id) => !before.includes(id));
  await replaceMembers(tx, { room, epoch, departed, newcomers, wraps: new Map() });
  await insertRows(
    tx.db,
    'room_key_wraps',
    sent.wraps.map(({ memberId, wrapped }) => ({
      kind: room.kind,
      room_id: room.id,
      epoch,
      member_id: memberId,
      wrapped: fromHex(wrapped),
    })),
  );
  return { epoch, reason };
}

function withoutKey(): Problem {
  const message = 'You do not have the key of this conversation. Wait until a member gives it to you.';
  return new Problem('forbidden', 'FORBIDDEN', message);
}

/** @throws Problem invalid INVALID_SIGNATURE */
export async function requireSigned(
  ctx: Pick<Context, 'db'>,
  memberId: string,
  statement: Uint8Array,
  signature: Uint8Array,
): Promise<void> {
  const [holder] = await publicKeysOf(ctx, [memberId]);
  if (holder !== undefined && verify(holder.publicKey, statement, signature)) return;
  const message = 'The signature is not one of your key over this. Sign it with the key of your recovery phrase.';
  throw new Problem('invalid', 'INVALID_SIGNATURE', message);
}

/** Ids of those who have the newest key, in their order. */
export async function keyHolders({ db }: Pick<Context, 'db'>, { kind, id }: Room): Promise<string[]> {
  return (await db.executeQuery(holders(kind, id))).rows.map((row) => row.member_id);
}

/**
 * Ends the right of members to later keys, when nobody has made the next one with it. If one of them has the newest key, nothing is sealed under that
 * any more.
 */
export async function dismissHolders(tx: Context, room: Room, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return;
  const before = await keyHolders(tx, room);
  if (!memberIds.some((id) => before.includes(id))) return;
  await dismiss(tx, room, memberIds);
  await tx.db.executeQuery(close(room.kind, room.id));
}

const heldRooms = `kind = $1 and room_id in (
  select m.room_id from room_key_members m
  join room_key_epochs e on e.kind = m.kind and e.room_id = m.room_id and e.epoch = 1 and e.author_id is not null
  where m.kind = $1 and m.member_id = $2)`;
const closeAll = writtenQuery(`update room_key_heads set closed = 1 where ${heldRooms}`);
const forgetAll = writtenQuery(`delete from room_key_members where ${heldRooms} and member_id = $2`);

/** The same for all rooms of one kind whose keys members make: for somebody who may not come in for a time, or any more. */
export async function dismissEverywhere({ db }: Pick<Context, 'db'>, kind: string, memberId: string): Promise<void> {
  await db.executeQuery(closeAll(kind, memberId));
  await db.executeQuery(forgetAll(kind, memberId));
}

/** The newest key of a room. */
export interface Newest {
  readonly epoch: number;
  readonly keyId: string;
  /** whether nothing can be sealed under it */
  readonly closed: boolean;
  readonly isOld: boolean;
}

/**
 * @param mostAge in milliseconds, which it may have when something is sealed under it; undefined: any
 * @throws Problem missing NOT_FOUND
 */
export async function newestOf(ctx: Pick<Context, 'db' | 'clock'>, room: Room, mostAge?: number): Promise<Newest> {
  const { epoch, key_id: keyId, closed } = await newestHead(ctx, room);
  const isOld = await isTooOld(ctx, room, epoch, mostAge);
  return { epoch, keyId, closed: closed === 1 || isOld, isOld };
}

const oldest = writtenQuery<{ since: number }>(
  'select since from room_key_members where kind = $1 and room_id = $2 and member_id = $3',
);

/** The first epoch that a member has a key of. @returns undefined if there is none */
export async function oldestEpochOf(
  { db }: Pick<Context, 'db'>,
  { kind, id }: Room,
  memberId: string,
): Promise<number | undefined> {
  return (await db.executeQuery(oldest(kind, id, memberId))).rows[0]?.since;
}

type EpochRow = RoomKeyEpochRow & { readonly previous: string | null };

const epochsAfter = writtenQuery<EpochRow>(`
  select e.*, b.key_id as previous from room_key_epochs e
  left join room_key_epochs b on b.kind = e.kind and b.room_id = e.room_id and b.epoch = e.epoch - 1
  where e.kind = $1 and e.room_id = $2 and e.epoch > $3 and e.author_id is not null order by e.epoch limit $4`);

/** A key that a member made, with whom it is for. */
export interface MemberEpoch {
  readonly epoch: number;
  readonly reason: RotationReason;
  readonly keyId: string;
  readonly previousKeyId: string | null;
  readonly authorId: string;
  readonly memberIds: string[];
  readonly membersDigest: string;
  readonly signature: string;
  readonly createdAt: string;
}

/** Keys that members made, after an epoch. */
export async function memberEpochs(
  { db }: Pick<Context, 'db'>,
  { kind, id }: Room,
  after: number,
  limit: number,
): Promise<MemberEpoch[]> {
  const { rows } = await db.executeQuery(epochsAfter(kind, id, after, limit));
  return rows.map((row) => ({
    epoch: row.epoch,
    reason: row.reason as RotationReason,
    keyId: row.key_id,
    previousKeyId: row.previous,
    authorId: row.author_id ?? '',
    memberIds: (row.member_ids ?? '').split(','),
    membersDigest: row.members_digest,
    signature: toHex(row.signature ?? new Uint8Array()),
    createdAt: new Date(row.created_at).toISOString(),
  }));
}
