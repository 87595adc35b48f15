import { sql, type RawBuilder } from 'kysely';
import type { Context } from '../../../service/context.ts';
import type { Conditions } from '../../../contract/filevault/acl.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileClientKeyRow } from '../../../platform/store/tables/file-client-keys.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { grantOf, type EntryRow } from '../access/rights.ts';

/**
 * The members of a client-encrypted container make its keys. The node keeps them encrypted to each member, and sees to it that nothing new
 * is encrypted under a key that somebody without access has.
 */
type Container = Pick<FileContainerRow, 'id' | 'owner_id'>;

/** @returns undefined while there is no key */
export async function newestKey(
  { db }: Pick<Context, 'db'>,
  containerId: string,
): Promise<FileClientKeyRow | undefined> {
  return await db
    .selectFrom('file_client_keys')
    .selectAll()
    .where('container_id', '=', containerId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The number of the key under which something may be encrypted now. @throws Problem conflict KEY_MISSING, KEY_OUTDATED */
export async function requireCurrentKey(ctx: Pick<Context, 'db' | 'clock'>, container: Container): Promise<number> {
  const newest = await newestKey(ctx, container.id);
  if (newest === undefined) throw keyMissing();
  if (await isOutdated(ctx, container, newest)) throw keyOutdated();
  return newest.number;
}

/** Whether somebody has the key, or had it, who has no access any more. */
export async function isOutdated(
  ctx: Pick<Context, 'db' | 'clock'>,
  container: Container,
  key: FileClientKeyRow,
): Promise<boolean> {
  return key.retired_at !== null || (await lapsedHolders(ctx, container, key.number)).length > 0;
}

/**
 * Takes the keys from members who have no access any more. They may have kept copies, so the newest key is not used any more either. It
 * must run in the transaction that takes the access away.
 *
 * @returns whether a new key has to be made
 */
export async function dropLapsedKeys(tx: Context, container: Container): Promise<boolean> {
  const newest = await newestKey(tx, container.id);
  if (newest === undefined) return false;
  const lapsed = await lapsedHolders(tx, container);
  if (lapsed.length > 0) {
    const had = await lapsedHolders(tx, container, newest.number);
    await tx.db
      .deleteFrom('file_member_keys')
      .where('container_id', '=', container.id)
      .where('member_id', 'in', lapsed)
      .execute();
    if (had.length > 0)
      await tx.db
        .updateTable('file_client_keys')
        .set({ retired_at: tx.clock.now() })
        .where('container_id', '=', container.id)
        .where('number', '=', newest.number)
        .where('retired_at', 'is', null)
        .execute();
    if (had.length > 0) return true;
  }
  return newest.retired_at !== null;
}

/** @param number of one key; otherwise of any */
async function lapsedHolders(
  ctx: Pick<Context, 'db' | 'clock'>,
  container: Container,
  number?: number,
): Promise<string[]> {
  let query = ctx.db
    .selectFrom('file_member_keys')
    .select('member_id')
    .distinct()
    .where('container_id', '=', container.id)
    .where('member_id', '!=', container.owner_id);
  if (number !== undefined) query = query.where('number', '=', number);
  const holders = await query.execute();
  if (holders.length === 0) return [];
  const access = await membersWithAccess(ctx, container);
  return holders.map(({ member_id }) => member_id).filter((id) => !access.has(id));
}

/**
 * The owner, and everybody to whom a list of the container grants something. Conditions of address and hour come and go, so they don't
 * count. An entry that has ended doesn't either.
 *
 * @param where entries `e` that count; undefined: all
 */
export async function membersWithAccess(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id, owner_id }: Container,
  where: RawBuilder<boolean> = sql<boolean>`1 = 1`,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('file_acl_entries as e')
    .leftJoin('file_permission_sets as s', 's.id', 'e.set_id')
    .select(['e.principal_id', 'e.node_id', 'e.level', 'e.flags', 'e.conditions', 's.flags as set_flags'])
    .where('e.container_id', '=', id)
    .where(where)
    .execute();
  const now = clock.now();
  const granted = rows.filter((row) => grantsSomething(row, now)).map(({ principal_id }) => principal_id);
  return new Set([owner_id, ...granted]);
}

function grantsSomething(row: EntryRow, now: number): boolean {
  const { notAfter }: Conditions = row.conditions === null ? {} : (JSON.parse(row.conditions) as Conditions);
  return grantOf(row).flags.size > 0 && (notAfter === undefined || now < Date.parse(notAfter));
}

function keyMissing(): Problem {
  return new Problem(
    'conflict',
    'KEY_MISSING',
    'The container has no key yet. Its owner makes it with any command that stores something in it: conclave files put',
  );
}

/** Somebody has access, and nobody has given them the key. */
export function keyNotGiven(): Problem {
  return new Problem(
    'conflict',
    'KEY_MISSING',
    'Nobody has encrypted the key of the container to you yet. Ask its owner to grant you the access again: conclave files acl grant',
  );
}

export function keyOutdated(): Problem {
  return new Problem(
    'conflict',
    'KEY_OUTDATED',
    'A member who has the key of the container lost access, or the key was replaced. Its owner makes a new one with: conclave files put',
  );
}

export function notClientEncrypted(): Problem {
  return new Problem(
    'conflict',
    'NOT_CLIENT_ENCRYPTED',
    'The node encrypts this container. Use the ordinary download.',
  );
}
