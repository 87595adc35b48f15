import { transaction, type Context } from '../../../service/context.ts';
import type { AclEntry, Conditions, GivenEntry } from '../../../contract/filevault/acl.ts';
import { filevaultLimits, type PermissionFlag } from '../../../contract/filevault/limits.ts';
import { addressHint, membersNamed } from '../../../shared/members/named.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import type { FileAclEntryRow } from '../../../platform/store/tables/filevault.ts';
import { insertRows } from '../../../platform/store/written-query.ts';
import { requireApproval } from '../approvals/guard.ts';
import { record } from '../audit.ts';
import { dropLapsedKeys } from '../client-keys/generations.ts';
import { changeHolders } from '../content/container-keys.ts';
import { withdrawUnseen } from '../notices.ts';
import { assertConditions } from './conditions.ts';
import { permissionSetNotFound } from './permission-sets.ts';
import { requirePlace, type Place, type Who } from './places.ts';
import { covers, holdingOf } from './holding.ts';
import { certainFlags, grantOf, grantsBy, listOf, possibleFlags } from './rights.ts';

interface Target {
  readonly targetType: 'file' | 'folder';
  readonly targetId: string;
}

/** An entry as the store holds it, with the flags of its permission set. */
type StoredEntry = FileAclEntryRow & { readonly set_flags: string | null };

export async function showAcl(
  ctx: Context,
  actor: Who,
  { targetType, targetId }: Target,
): Promise<{ entries: AclEntry[] }> {
  const { rights } = await requirePlace(ctx, actor, targetType === 'file' ? 1 : 0, targetId);
  const mayKnow = rights.flags.has('share') || rights.flags.has('admin');
  const rows = await entriesOf(ctx, [targetId]);
  const seen = rows.filter((row) => mayKnow || row.principal_id === actor.memberId);
  const members = await memberSummaries(
    ctx,
    seen.map(({ principal_id }) => principal_id),
  );
  return { entries: seen.map((row) => entryOf(row, members.get(row.principal_id)?.username)) };
}

export async function putAcl(
  ctx: Context,
  actor: Who,
  { targetType, targetId, entries }: Target & { readonly entries: readonly GivenEntry[] },
): Promise<{ updated: true; keyOutdated?: boolean }> {
  return await transaction(ctx, async (tx) => {
    const place = await requirePlace(tx, actor, targetType === 'file' ? 1 : 0, targetId, { flag: 'admin' });
    const before = await entriesOf(tx, [targetId]);
    const sets = await setsOf(tx, actor, entries, before);
    const members = await membersOf(tx, entries, before);
    const after = entries.map((entry, index) => rowOf(place, entry, members[index] ?? '', index, sets));
    assertOwnerRemains(after);
    if (!place.rights.owner) await assertHeld(tx, actor, place, before, after);
    await requireApproval(tx, actor, place.container, 'acl_change', targetId);
    await tx.db.deleteFrom('file_acl_entries').where('node_id', '=', targetId).execute();
    await insertRows(tx.db, 'file_acl_entries', after.map(withoutSetFlags));
    await record(tx, actor, {
      action: 'ACL_CHANGED',
      containerId: place.container.id,
      nodeId: targetId,
      metadata: { entries: after.length },
    });
    await withdrawUnseen(
      tx,
      before.map(({ principal_id }) => principal_id),
    );
    if (place.container.client_encrypted !== 1) {
      await changeHolders(tx, place.container);
      return { updated: true } as const;
    }
    return { updated: true, keyOutdated: await dropLapsedKeys(tx, place.container) } as const;
  });
}

/**
 * While the conditions of a member's entries fail, the list opens nothing to them: somebody has to be able to mend it then.
 * @throws Problem invalid VALIDATION_ERROR
 */
function assertOwnerRemains(entries: readonly StoredEntry[]): void {
  const owners = entries.filter(({ level }) => level === 'owner');
  const bound = owners.find(({ conditions }) => conditions !== null);
  if (bound === undefined || owners.some(({ conditions }) => conditions === null)) return;
  const words = 'cannot be there for the only entries of level owner. Add one without conditions, or use another level';
  throw fieldProblem(`entries.${bound.place}.conditions`, words);
}

function withoutSetFlags(entry: StoredEntry): FileAclEntryRow {
  const { node_id, place, container_id, principal_id, level, flags, set_id, conditions } = entry;
  return { node_id, place, container_id, principal_id, level, flags, set_id, conditions };
}

async function entriesOf({ db }: Pick<Context, 'db'>, nodeIds: readonly string[]): Promise<StoredEntry[]> {
  return await db
    .selectFrom('file_acl_entries as e')
    .leftJoin('file_permission_sets as s', 's.id', 'e.set_id')
    .selectAll('e')
    .select('s.flags as set_flags')
    .where('e.node_id', 'in', [...nodeIds])
    .orderBy('e.place')
    .execute();
}

function entryOf(row: StoredEntry, username: string | undefined): AclEntry {
  return {
    principalId: row.principal_id,
    ...(username !== undefined && { username }),
    ...(row.level !== null && { level: row.level }),
    flags: listOf(grantOf(row).flags),
    customPermissionSetId: row.set_id,
    ...(row.conditions !== null && { conditions: JSON.parse(row.conditions) as Conditions }),
  };
}

/** The flags of the sets that the entries name: the actor's own sets, and those that the list names already. */
async function setsOf(
  { db }: Pick<Context, 'db'>,
  actor: Who,
  entries: readonly GivenEntry[],
  before: readonly StoredEntry[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(entries.flatMap(({ customPermissionSetId: id }) => id ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('file_permission_sets').selectAll().where('id', 'in', ids).execute();
  const kept = new Set(before.map(({ set_id }) => set_id));
  const usable = rows.filter((row) => row.created_by === actor.memberId || kept.has(row.id));
  if (usable.length < ids.length) throw permissionSetNotFound();
  return new Map(usable.map(({ id, flags }) => [id, flags]));
}

/** @throws Problem invalid VALIDATION_ERROR for an entry that doesn't say what it grants, or says it twice */
function rowOf(
  { node, container }: Place,
  { level, flags, customPermissionSetId, conditions }: GivenEntry,
  memberId: string,
  index: number,
  sets: ReadonlyMap<string, string>,
): StoredEntry {
  const path = `entries.${index}`;
  const setId = customPermissionSetId ?? null;
  if (level !== undefined && setId !== null)
    throw fieldProblem(path, 'must have a level or a permission set, not both');
  if (level === undefined && setId === null && flags === undefined)
    throw fieldProblem(path, 'must have a level, a permission set or flags');
  if (conditions !== undefined) assertConditions(conditions, `${path}.conditions`);
  return {
    node_id: node.id,
    place: index,
    container_id: container.id,
    principal_id: memberId,
    level: level ?? null,
    flags: flags === undefined ? null : JSON.stringify(listOf(new Set(flags))),
    set_id: setId,
    set_flags: setId === null ? null : (sets.get(setId) ?? null),
    conditions: conditions === undefined ? null : JSON.stringify(conditions),
  };
}

/** The ids of the members of entries. Whoever the list names already may stay in it. @throws Problem invalid VALIDATION_ERROR */
async function membersOf(
  tx: Context,
  entries: readonly GivenEntry[],
  before: readonly StoredEntry[],
): Promise<string[]> {
  const known = new Set(before.map(({ principal_id }) => principal_id));
  const named = await membersNamed(
    tx,
    entries.map(({ principalId }) => principalId),
  );
  const counts = new Map<string, number>();
  return entries.map(({ principalId }, index) => {
    const id = named[index]?.id ?? principalId.toLowerCase();
    if (named[index] === undefined && !known.has(id))
      throw fieldProblem(`entries.${index}.principalId`, `is no member${addressHint(principalId)}`);
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    if (count > filevaultLimits.entriesOfMember)
      throw fieldProblem(
        `entries.${index}.principalId`,
        `is in more than ${filevaultLimits.entriesOfMember} entries of the list`,
      );
    return id;
  });
}

/**
 * Nobody grants what they don't hold. An entry that is new or changed has only flags that the actor holds: at every time and from every
 * address, unless it has the conditions of the actor. And where an entry goes, nobody gets more from the folders above than the actor
 * holds: taking away a refusal grants, too.
 *
 * @throws Problem forbidden FORBIDDEN
 */
async function assertHeld(
  tx: Context,
  actor: Who,
  place: Place,
  before: readonly StoredEntry[],
  after: readonly StoredEntry[],
): Promise<void> {
  const { chain, rights } = place;
  const holding = await holdingOf(tx, actor, place);
  const kept = new Set(before.map(identityOf));
  const missing = new Set<PermissionFlag>();
  for (const { flags, conditions } of after.filter((row) => !kept.has(identityOf(row))).map(grantOf))
    for (const flag of flags) if (!rights.flags.has(flag) || !covers(holding, flag, conditions)) missing.add(flag);
  const ids = chain.map(({ id }) => id);
  const above = ids.length > 1 ? await entriesOf(tx, ids.slice(1)) : [];
  // Once for all, because there can be hundreds of members in each of many lists.
  const [earlier, later, inherited] = [byMember(before), byMember(after), byMember(above)];
  for (const member of new Set([...earlier.keys(), ...later.keys()])) {
    const [had, has] = [earlier.get(member) ?? [], later.get(member) ?? []];
    const from = inherited.get(member) ?? [];
    const grantsBefore = grantsBy([...had, ...from]);
    const possible = possibleFlags(ids, grantsBefore);
    // Only where the list no longer names the member do the folders above decide.
    const certain = has.length > 0 ? undefined : certainFlags(ids, grantsBefore);
    for (const flag of possibleFlags(ids, grantsBy([...has, ...from]))) {
      const isNew = !possible.has(flag) && !rights.flags.has(flag);
      const isFreed = certain !== undefined && !certain.has(flag) && !holding.certain.has(flag);
      if (isNew || isFreed) missing.add(flag);
    }
  }
  if (missing.size === 0) return;
  const isBound = [...missing].every((flag) => rights.flags.has(flag));
  const words = `You cannot grant what you do not hold: ${listOf(missing).join(', ')}.${
    isBound ? ' You hold it under conditions, so grant it under the same.' : ''
  }`;
  throw new Problem('forbidden', 'FORBIDDEN', words);
}

function byMember(rows: readonly StoredEntry[]): ReadonlyMap<string, readonly StoredEntry[]> {
  const members = new Map<string, StoredEntry[]>();
  for (const row of rows) {
    const same = members.get(row.principal_id);
    if (same === undefined) members.set(row.principal_id, [row]);
    else same.push(row);
  }
  return members;
}

/** What makes two entries the same: all but their place, and flags as they count. */
function identityOf(row: StoredEntry): string {
  return JSON.stringify([row.principal_id, row.level, row.set_id, listOf(grantOf(row).flags), row.conditions]);
}
