import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import { flagsOfLevel, permissionFlags, type PermissionFlag } from '../../../contract/filevault/limits.ts';
import { blockedPairs } from '../../../shared/members/blocks.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import type { FileShareRow } from '../../../platform/store/tables/file-shares.ts';
import { writtenQuery } from '../../../platform/store/written-query.ts';
import type { Moment } from './conditions.ts';
import { certainFlags, grantsBy, possibleFlags, rightsBy, type EntryRow, type Grant, type Rights } from './rights.ts';

type Reading = Pick<Context, 'db' | 'clock'>;
type Who = Pick<Actor, 'memberId' | 'address'>;
type Flags = ReadonlySet<PermissionFlag>;
type FlagsBy = (chain: readonly string[], grants: ReadonlyMap<string, readonly Grant[]>) => Flags;

/** What internal shares grant a member on one file. */
export interface Shared {
  readonly flags: Flags;
  readonly shares: readonly FileShareRow[];
}

/** Ids in one statement; both engines allow more. */
const IDS_AT_ONCE = 5_000;

const findOwn = writtenQuery<{ id: string }>(
  'select id from file_shares where recipient_id = $1 and file_id = $2 limit 1',
);

/** What is shared with a member on a file now. */
export async function sharedOn(ctx: Reading, actor: Who, fileId: string): Promise<Shared | undefined> {
  const { rows } = await ctx.db.executeQuery(findOwn(actor.memberId, fileId));
  return rows.length === 0 ? undefined : (await sharedAmong(ctx, actor, [fileId])).get(fileId);
}

/** The same for the files of containers, by their ids. @param among only these */
export async function sharedIn(
  ctx: Reading,
  actor: Who,
  containerIds: readonly string[],
  among?: ReadonlySet<string>,
): Promise<Map<string, Shared>> {
  if (containerIds.length === 0) return new Map();
  const rows = await ctx.db
    .selectFrom('file_shares')
    .select('file_id')
    .where('recipient_id', '=', actor.memberId)
    .where('container_id', 'in', [...containerIds])
    .execute();
  const ids = new Set(rows.map(({ file_id }) => file_id));
  return await sharedAmong(
    ctx,
    actor,
    [...ids].filter((id) => among === undefined || among.has(id)),
  );
}

async function sharedAmong(ctx: Reading, actor: Who, fileIds: readonly string[]): Promise<Map<string, Shared>> {
  const shared = new Map<string, Shared>();
  for (const share of await liveShares(ctx, actor.address, fileIds)) {
    if (share.recipient_id !== actor.memberId) continue;
    const { flags = [], shares = [] } = shared.get(share.file_id) ?? {};
    shared.set(share.file_id, {
      flags: new Set([...flags, ...flagsOfLevel[share.level]]),
      shares: [...shares, share],
    });
  }
  return shared;
}

/** Shares add to what the lists grant. */
export function withShares(listed: Rights, shared: Shared | undefined): Rights {
  const adding = shared?.shares.find(({ level }) => flagsOfLevel[level].some((flag) => !listed.flags.has(flag)));
  if (shared === undefined || adding === undefined) return listed;
  return { ...listed, flags: new Set([...listed.flags, ...shared.flags]), share: adding.id };
}

/**
 * The shares of files that count: whoever made one is an active member, holds `share` and everything that it grants, and neither of the two
 * has blocked the other. What its maker holds may come from another share. It counts if there is a way to it from what the lists grant, so
 * members whose shares rest on each other hold nothing. Conditions on what the maker holds are asked of whoever uses the share.
 */
export async function liveShares(ctx: Reading, address: string, fileIds: readonly string[]): Promise<FileShareRow[]> {
  const moment: Moment = { address, now: ctx.clock.now() };
  return await sharesCounting(ctx, (chain, grants) => rightsBy(chain, grants, moment).flags, fileIds);
}

/** What shares of a file grant members, by their ids, that count at every time, from every address. */
export async function certainlyShared(ctx: Reading, fileId: string): Promise<ReadonlyMap<string, Flags>> {
  const shared = new Map<string, Flags>();
  for (const { recipient_id: member, level } of await sharesCounting(ctx, certainFlags, [fileId]))
    shared.set(member, new Set([...(shared.get(member) ?? []), ...flagsOfLevel[level]]));
  return shared;
}

/**
 * Members to whom shares of a file give `admin`, at some time, from some address, and would if the requester had never shared it: whoever
 * asks for approval must not choose who gives it, themselves or by way of another.
 */
export async function possiblyAdministering(ctx: Reading, fileId: string, requester: string): Promise<string[]> {
  const shares = await sharesCounting(ctx, possibleFlags, [fileId], requester);
  return shares.flatMap((share) => (flagsOfLevel[share.level].includes('admin') ? share.recipient_id : []));
}

/** @param without shares of this member count for nothing, and neither does what rests on them */
async function sharesCounting(
  ctx: Reading,
  flagsBy: FlagsBy,
  fileIds: readonly string[],
  without = '',
): Promise<FileShareRow[]> {
  const live: FileShareRow[] = [];
  for (let from = 0; from < fileIds.length; from += IDS_AT_ONCE) {
    const shares = await ctx.db
      .selectFrom('file_shares')
      .selectAll()
      .where('file_id', 'in', fileIds.slice(from, from + IDS_AT_ONCE))
      .where('shared_by', '!=', without)
      .orderBy('id')
      .execute();
    if (shares.length > 0) live.push(...(await counting(ctx, flagsBy, shares)));
  }
  return live;
}

async function counting(ctx: Reading, flagsBy: FlagsBy, shares: readonly FileShareRow[]): Promise<FileShareRow[]> {
  const makers = [...new Set(shares.map(({ shared_by }) => shared_by))];
  const members = new Set([...makers, ...shares.map(({ recipient_id }) => recipient_id)]);
  const summaries = await memberSummaries(ctx, makers);
  const blocked = await blockedPairs(ctx, members);
  const possible = shares.filter(
    ({ shared_by: maker, recipient_id: recipient }) =>
      summaries.get(maker)?.active === true &&
      !blocked.has(`${maker} ${recipient}`) &&
      !blocked.has(`${recipient} ${maker}`),
  );
  const held = await listedRights(ctx, flagsBy, possible);
  const live = new Set<FileShareRow>();
  for (let grew = true; grew;) {
    grew = false;
    for (const share of possible) {
      if (live.has(share)) continue;
      const needed = ['share', ...flagsOfLevel[share.level]] as const;
      const own = held.get(keyOf(share.file_id, share.shared_by));
      if (!needed.every((flag) => own?.has(flag) === true)) continue;
      live.add(share);
      const key = keyOf(share.file_id, share.recipient_id);
      held.set(key, new Set([...(held.get(key) ?? []), ...flagsOfLevel[share.level]]));
      grew = true;
    }
  }
  return shares.filter((share) => live.has(share));
}

function keyOf(fileId: string, memberId: string): string {
  return `${fileId} ${memberId}`;
}

type StepRow = EntryRow & {
  readonly start: string;
  readonly owner_id: string;
  readonly principal_id: string | null;
};

/** What the lists grant to those who shared files, by file and member. */
async function listedRights(
  { db }: Reading,
  flagsBy: FlagsBy,
  shares: readonly FileShareRow[],
): Promise<Map<string, Flags>> {
  const held = new Map<string, Flags>();
  if (shares.length === 0) return held;
  const files = [...new Set(shares.map(({ file_id }) => file_id))];
  const makers = [...new Set(shares.map(({ shared_by }) => shared_by))];
  const { rows } = await sql<StepRow>`
    with recursive up (start, id, parent_id, container_id, depth) as (
      select id, id, parent_id, container_id, 0 from file_nodes where id in (${sql.join(files)})
      union all
      select up.start, n.id, n.parent_id, n.container_id, up.depth + 1
      from file_nodes n join up on n.id = up.parent_id
    )
    select up.start, up.id as node_id, c.owner_id, e.principal_id, e.level, e.flags, e.conditions, s.flags as set_flags
    from up
    join file_containers c on c.id = up.container_id
    left join file_acl_entries e on e.node_id = up.id and e.principal_id in (${sql.join(makers)})
    left join file_permission_sets s on s.id = e.set_id
    order by up.start, up.depth`.execute(db);
  const byFile = new Map<string, StepRow[]>();
  for (const row of rows) byFile.set(row.start, [...(byFile.get(row.start) ?? []), row]);
  for (const { file_id: fileId, shared_by: maker } of shares) {
    const steps = byFile.get(fileId) ?? [];
    const entries = steps.filter(({ principal_id }) => principal_id === maker);
    const isOwner = steps[0]?.owner_id === maker;
    const chain = [...new Set(steps.map(({ node_id }) => node_id))];
    held.set(keyOf(fileId, maker), isOwner ? new Set(permissionFlags) : flagsBy(chain, grantsBy(entries)));
  }
  return held;
}
