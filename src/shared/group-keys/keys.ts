import type { Context } from '../../service/context.ts';
import { groupBy } from '../../base/group-by.ts';
import { CryptoError } from '../../crypto/crypto-error.ts';
import {
  nodeContext,
  openMessage,
  openRoomSecret,
  sealMessage,
  sealRoomSecret,
  type MessagePlace,
  type Room,
  type RoomSecret,
} from '../../crypto/room-keys.ts';
import { openWithKey } from '../../crypto/sealing.ts';
import type { EngineStatements } from '../../platform/store/per-engine.ts';
import type { RoomKeyEpochRow, RoomKeyHeadRow } from '../../platform/store/tables/room-keys.ts';
import { writtenList, writtenQuery } from '../../platform/store/written-query.ts';
import { epochChanged, epochClosed, keysDamaged, noKeys } from './problems.ts';

type Reading = Pick<Context, 'db' | 'keys' | 'random'>;

/** Keys of some epochs of a room, for as long as they are needed. Disposing of them overwrites them. */
export interface RoomKeys extends Disposable {
  /** whether the key of an epoch is among them: those of a deleted room are not, nor those that only members have */
  has(epoch: number): boolean;
  /** @throws Problem internal STORE_DAMAGED if the epoch is not among them */
  seal(place: MessagePlace, bytes: Uint8Array): Uint8Array;
  /** @throws Problem internal STORE_DAMAGED if the epoch is not among them, or the message is not what was sealed for this place */
  open(place: MessagePlace, sealed: Uint8Array): Uint8Array;
  /** the same for a secret of the room itself */
  sealSecret(secret: RoomSecret, bytes: Uint8Array): Uint8Array;
  /** the caller overwrites it */
  openSecret(secret: RoomSecret, sealed: Uint8Array): Uint8Array;
}

type Head = Pick<RoomKeyHeadRow, 'epoch' | 'key_id' | 'closed'>;

const headOf = 'select epoch, key_id, closed from room_key_heads where kind = $1 and room_id = $2';
const findHead = writtenQuery<Head>(headOf);
const holdHead = writtenQuery<Head>(`${headOf} for share`);
export const engineStatements: EngineStatements = { sqljs: () => [findHead()], postgres: () => [holdHead()] };

const findEpochs = writtenList<RoomKeyEpochRow>(
  2,
  (epochs) => `select * from room_key_epochs where kind = $1 and room_id = $2 and epoch in ${epochs}`,
);

/** What names the newest key of a room. @returns undefined if it has none */
export async function headIfAny({ db }: Pick<Context, 'db'>, { kind, id }: Room): Promise<Head | undefined> {
  return (await db.executeQuery(findHead(kind, id))).rows[0];
}

/** The same. @throws Problem missing NOT_FOUND when the room has no keys */
export async function newestHead(ctx: Pick<Context, 'db'>, room: Room): Promise<Head> {
  const head = await headIfAny(ctx, room);
  if (head === undefined) throw noKeys();
  return head;
}

/** @throws Problem missing NOT_FOUND when the room has no keys */
export async function currentEpoch(ctx: Pick<Context, 'db'>, room: Room): Promise<number> {
  return (await newestHead(ctx, room)).epoch;
}

/**
 * Makes sure that an epoch is the current one until the transaction ends. Call it in the transaction that stores what was sealed under the
 * key of the epoch. A change of the members waits for that transaction, or the transaction finds the new epoch.
 *
 * @throws Problem conflict EPOCH_CHANGED, which names the current epoch; missing NOT_FOUND
 */
export async function holdEpoch(tx: Pick<Context, 'db' | 'store'>, room: Room, epoch: number): Promise<void> {
  const current = await heldEpoch(tx, room);
  if (current !== epoch) throw epochChanged(current);
}

/**
 * The same for what a member sealed, in a room whose keys members make.
 * @param mostAge in milliseconds, which a key may have when something is sealed under it; undefined: any
 * @throws Problem conflict EPOCH_CHANGED, EPOCH_CLOSED; missing NOT_FOUND
 */
export async function holdOpenEpoch(
  tx: Pick<Context, 'db' | 'store' | 'clock'>,
  room: Room,
  epoch: number,
  mostAge?: number,
): Promise<void> {
  const head = await heldHead(tx, room);
  if (head.epoch !== epoch) throw epochChanged(head.epoch);
  if (head.closed === 1 || (await isTooOld(tx, room, epoch, mostAge))) throw epochClosed(epoch);
}

const madeAt = writtenQuery<{ created_at: number }>(
  'select created_at from room_key_epochs where kind = $1 and room_id = $2 and epoch = $3',
);

/**
 * Whether the key of an epoch is too old for anything more to be sealed under it.
 * @param mostAge in milliseconds; undefined: it may have any age
 */
export async function isTooOld(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { kind, id }: Room,
  epoch: number,
  mostAge: number | undefined,
): Promise<boolean> {
  if (mostAge === undefined) return false;
  const [made] = (await db.executeQuery(madeAt(kind, id, epoch))).rows;
  return made !== undefined && made.created_at + mostAge <= clock.now();
}

/**
 * The current epoch, which stays the current one until the transaction ends. For what is sealed in the transaction that stores it.
 *
 * @throws Problem missing NOT_FOUND
 */
export async function heldEpoch(tx: Pick<Context, 'db' | 'store'>, room: Room): Promise<number> {
  return (await heldHead(tx, room)).epoch;
}

/** The same with whether it is closed. */
export async function heldHead({ db, store }: Pick<Context, 'db' | 'store'>, { kind, id }: Room): Promise<Head> {
  // The embedded engine runs one transaction at a time.
  const query = store.engine === 'postgres' ? holdHead : findHead;
  const { rows } = await db.executeQuery(query(kind, id));
  if (rows[0] === undefined) throw noKeys();
  return rows[0];
}

/**
 * Opens keys of a room with the key of the node. The caller has checked that whoever asks may read what is sealed under them.
 *
 * @throws Problem internal STORE_DAMAGED
 */
export async function openRoomKeys(ctx: Reading, room: Room, epochs: readonly number[]): Promise<RoomKeys> {
  const wanted = [...new Set(epochs)];
  const { rows } =
    wanted.length === 0 ? { rows: [] } : await ctx.db.executeQuery(findEpochs(wanted, room.kind, room.id));
  return keysIn(ctx, room, rows);
}

/** Keys of many rooms, for as long as they are needed. Disposing of them overwrites them. */
export interface KeysOfRooms extends Disposable {
  /** @param id of a room for which a key was wanted */
  of(id: string): RoomKeys;
}

/**
 * As `openRoomKeys`, for many rooms of one kind in one statement.
 * @throws Problem internal STORE_DAMAGED
 */
export async function openKeysOfRooms(
  ctx: Reading,
  kind: string,
  wanted: readonly { readonly id: string; readonly epoch: number }[],
): Promise<KeysOfRooms> {
  const rows =
    wanted.length === 0
      ? []
      : await ctx.db
          .selectFrom('room_key_epochs')
          .selectAll()
          .where('kind', '=', kind)
          .where((e) =>
            e(
              e.refTuple('room_id', 'epoch'),
              'in',
              wanted.map(({ id, epoch }) => e.tuple(id, epoch)),
            ),
          )
          .execute();
  const byRoom = groupBy(rows, (row) => row.room_id);
  const keys = new Map<string, RoomKeys>();
  const wipe = (): void => {
    for (const one of keys.values()) one[Symbol.dispose]();
    keys.clear();
  };
  try {
    for (const { id } of wanted) if (!keys.has(id)) keys.set(id, keysIn(ctx, { kind, id }, byRoom.get(id) ?? []));
  } catch (error) {
    wipe();
    throw error;
  }
  return {
    of(id) {
      const found = keys.get(id);
      if (found === undefined) throw new Error('no key of this room was wanted');
      return found;
    },
    [Symbol.dispose]: wipe,
  };
}

function keysIn(ctx: Reading, room: Room, rows: readonly RoomKeyEpochRow[]): RoomKeys {
  const keys = new Map<number, Uint8Array>();
  const wipe = (): void => {
    for (const key of keys.values()) key.fill(0);
    keys.clear();
  };
  try {
    // Of keys that members made, the node has nothing that opens them.
    for (const row of rows) if (row.for_node.length > 0) keys.set(row.epoch, openForNode(ctx, row));
  } catch (error) {
    wipe();
    throw error;
  }
  const keyOf = (epoch: number): Uint8Array => {
    const key = keys.get(epoch);
    if (key === undefined) throw keysDamaged();
    return key;
  };
  return {
    has: (epoch) => keys.has(epoch),
    seal: (place, bytes) => sealMessage(keyOf(place.epoch), room, place, bytes, ctx.random),
    open(place, sealed) {
      const key = keyOf(place.epoch);
      return undamaged(() => openMessage(key, room, place, sealed));
    },
    sealSecret: (secret, bytes) => sealRoomSecret(keyOf(secret.epoch), room, secret, bytes, ctx.random),
    openSecret(secret, sealed) {
      const key = keyOf(secret.epoch);
      return undamaged(() => openRoomSecret(key, room, secret, sealed));
    },
    [Symbol.dispose]: wipe,
  };
}

/** The key of an epoch. The caller overwrites it. @throws Problem internal STORE_DAMAGED */
export function openForNode({ keys }: Pick<Context, 'keys'>, row: RoomKeyEpochRow): Uint8Array {
  const { kind, room_id: id, key_id: keyId, epoch, members_digest: membersDigest, is_open: isOpen } = row;
  return undamaged(() => {
    const facts = { room: { kind, id }, keyId, epoch, membersDigest, isOpen: isOpen === 1 };
    return openWithKey(keys.wrap, row.for_node, nodeContext(facts));
  });
}

function undamaged<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CryptoError ? keysDamaged(error) : error;
  }
}
