import type { Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { fieldProblem, Problem } from '../../base/problem.ts';
import { writtenList } from '../../platform/store/written-query.ts';

/**
 * Blocks and mutes of members. A block works in both directions: neither member sees or reaches the other. A mute works for one member:
 * they do not see the other one, who never learns of it.
 */

/** A filter that hides objects from a member because of other members in them. */
export type HiddenBy = 'nothing' | 'blocks' | 'blocks and mutes';

/** Both engines allow more parameters. */
const IDS_AT_ONCE = 5_000;

/** @returns whether the block is new. @throws Problem invalid VALIDATION_ERROR, missing MEMBER_NOT_FOUND */
export async function block(tx: Context, actor: Pick<Actor, 'memberId'>, otherId: string): Promise<boolean> {
  await assertOther(tx, actor, otherId);
  const added = await tx.db
    .insertInto('member_blocks')
    .values({ member_id: actor.memberId, blocked_id: otherId, created_at: tx.clock.now() })
    .onConflict((conflict) => conflict.columns(['member_id', 'blocked_id']).doNothing())
    .executeTakeFirst();
  return added.numInsertedOrUpdatedRows === 1n;
}

/** @returns whether there was a block */
export async function unblock(tx: Context, actor: Pick<Actor, 'memberId'>, otherId: string): Promise<boolean> {
  const gone = await tx.db
    .deleteFrom('member_blocks')
    .where('member_id', '=', actor.memberId)
    .where('blocked_id', '=', otherId)
    .executeTakeFirst();
  return gone.numDeletedRows > 0n;
}

/**
 * Mutes a member, or changes the end of a mute.
 * @param until milliseconds since 1970; without it the mute has no end
 * @throws Problem invalid VALIDATION_ERROR, missing MEMBER_NOT_FOUND
 */
export async function mute(
  tx: Context,
  actor: Pick<Actor, 'memberId'>,
  otherId: string,
  until?: number,
): Promise<void> {
  await assertOther(tx, actor, otherId);
  const ends = { ends_at: until ?? null };
  await tx.db
    .insertInto('member_mutes')
    .values({ member_id: actor.memberId, muted_id: otherId, created_at: tx.clock.now(), ...ends })
    .onConflict((conflict) => conflict.columns(['member_id', 'muted_id']).doUpdateSet(ends))
    .execute();
}

/** @returns whether they were muted until now */
export async function unmute(tx: Context, actor: Pick<Actor, 'memberId'>, otherId: string): Promise<boolean> {
  const gone = await tx.db
    .deleteFrom('member_mutes')
    .where('member_id', '=', actor.memberId)
    .where('muted_id', '=', otherId)
    .returning('ends_at')
    .executeTakeFirst();
  return gone !== undefined && (gone.ends_at === null || gone.ends_at > tx.clock.now());
}

const blockers = writtenList<{ id: string }>(
  1,
  (ids) => `select member_id as id from member_blocks where blocked_id = $1 and member_id in ${ids}`,
);

/** Those of the given members who blocked one member. To that member they answer as if they didn't exist. */
export async function whoBlocked(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  others: Iterable<string>,
): Promise<Set<string>> {
  return await inParts(others, async (ids) => {
    const { rows } = await db.executeQuery(blockers(ids, memberId));
    return rows;
  });
}

const blockedOnes = writtenList<{ id: string }>(
  1,
  (ids) => `select blocked_id as id from member_blocks where member_id = $1 and blocked_id in ${ids}`,
);

/** Those of the given members whom one member has blocked. */
export async function whomBlocks(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  others: Iterable<string>,
): Promise<Set<string>> {
  return await inParts(others, async (ids) => {
    const { rows } = await db.executeQuery(blockedOnes(ids, memberId));
    return rows;
  });
}

/** Those of the given members whom one member has muted now. */
export async function whomMutes(ctx: Muting, memberId: string, others: Iterable<string>): Promise<Set<string>> {
  return await inMutes(ctx, 'member_id', memberId, others);
}

/** Those of the given members who have muted one member now. */
export async function whoMutes(ctx: Muting, memberId: string, others: Iterable<string>): Promise<Set<string>> {
  return await inMutes(ctx, 'muted_id', memberId, others);
}

type Muting = Pick<Context, 'db' | 'clock'>;
type MuteColumn = 'member_id' | 'muted_id';

const mutesOf =
  (side: MuteColumn, other: MuteColumn) =>
  (ids: string): string =>
    `
    select ${other} as id from member_mutes
    where ${side} = $1 and (ends_at is null or ends_at > $2) and ${other} in ${ids}`;
const mutedBy = mutesOf('member_id', 'muted_id');
const mutes = {
  member_id: writtenList<{ id: string }>(2, mutedBy),
  muted_id: writtenList<{ id: string }>(2, mutesOf('muted_id', 'member_id')),
};

async function inMutes(
  { db, clock }: Muting,
  side: MuteColumn,
  memberId: string,
  others: Iterable<string>,
): Promise<Set<string>> {
  return await inParts(others, async (ids) => {
    const { rows } = await db.executeQuery(mutes[side](ids, memberId, clock.now()));
    return rows;
  });
}

const between = (ids: string): string => `
  select member_id as id from member_blocks where blocked_id = $1 and member_id in ${ids}
  union all select blocked_id as id from member_blocks where member_id = $1 and blocked_id in ${ids}`;
const parted = writtenList<{ id: string }>(1, between);
const partedOrMuted = writtenList<{ id: string }>(2, (ids) => `${mutedBy(ids)} union all ${between(ids)}`);

/**
 * Those of the given members who are hidden from one member: blocked in either direction, or muted if mutes count. It is one statement,
 * because whoever likes a post waits for it.
 */
export async function hiddenFrom(
  { db, clock }: Muting,
  memberId: string,
  others: Iterable<string>,
  by: HiddenBy,
): Promise<Set<string>> {
  if (by === 'nothing') return new Set();
  return await inParts(others, async (ids) => {
    const query = by === 'blocks' ? parted(ids, memberId) : partedOrMuted(ids, memberId, clock.now());
    return (await db.executeQuery(query)).rows;
  });
}

/** Those of the given members whom a block parts from one member, in either direction. */
export async function blockedEitherWay(
  { db }: Pick<Context, 'db'>,
  memberId: string,
  others: Iterable<string>,
): Promise<Set<string>> {
  return await inParts(others, async (ids) => (await db.executeQuery(parted(ids, memberId))).rows);
}

/** Those of the given members who blocked another one of them, as `id of the first` and `id of the second` with a space between. */
export async function blockedPairs({ db }: Pick<Context, 'db'>, members: ReadonlySet<string>): Promise<Set<string>> {
  const pairs = await inParts(members, async (ids) => {
    const rows = await db.selectFrom('member_blocks').selectAll().where('member_id', 'in', ids).execute();
    return rows
      .filter(({ blocked_id }) => members.has(blocked_id))
      .map(({ member_id, blocked_id }) => ({ id: `${member_id} ${blocked_id}` }));
  });
  return pairs;
}

/** Deletes ended mutes, at most `most`. Safe from several processes. @returns the number of deleted mutes */
export async function forgetEndedMutes(tx: Context, nowMs: number, most: number): Promise<number> {
  const gone = await tx.db
    .deleteFrom('member_mutes')
    .where((e) =>
      e(
        e.refTuple('member_id', 'muted_id'),
        'in',
        e
          .selectFrom('member_mutes')
          .select(['member_id', 'muted_id'])
          .where('ends_at', '<=', nowMs)
          .limit(most)
          .$asTuple('member_id', 'muted_id'),
      ),
    )
    .executeTakeFirst();
  return Number(gone.numDeletedRows);
}

async function assertOther(tx: Context, actor: Pick<Actor, 'memberId'>, otherId: string): Promise<void> {
  if (otherId === actor.memberId) {
    throw fieldProblem('id', 'must not be yourself');
  }
  const other = await tx.db.selectFrom('members').select('id').where('id', '=', otherId).executeTakeFirst();
  if (other === undefined) throw new Problem('missing', 'MEMBER_NOT_FOUND', 'There is no such member.');
}

async function inParts(
  all: Iterable<string>,
  read: (ids: readonly string[]) => Promise<readonly { readonly id: string }[]>,
): Promise<Set<string>> {
  const wanted = [...new Set(all)];
  const found = new Set<string>();
  for (let from = 0; from < wanted.length; from += IDS_AT_ONCE)
    for (const { id } of await read(wanted.slice(from, from + IDS_AT_ONCE))) found.add(id);
  return found;
}
