import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { PermissionSet } from '../../../contract/filevault/acl.ts';
import { filevaultLimits, type PermissionFlag } from '../../../contract/filevault/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { transactionOnce } from '../../../service/repeats.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { FilePermissionSetRow } from '../../../platform/store/tables/filevault.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import { record } from '../audit.ts';
import { nameKey } from '../tree/names.ts';
import { flagsIn, listOf } from './rights.ts';

interface NewSet {
  readonly name: string;
  readonly flags: readonly PermissionFlag[];
  readonly organizationId?: string | undefined;
}

/** Every member may make sets: a set grants nothing by itself. */
export async function createPermissionSet(
  ctx: Context,
  actor: Actor,
  { name, flags, organizationId }: NewSet,
): Promise<PermissionSet> {
  return await transactionOnce(ctx, async (tx) => {
    const own = await tx.db
      .selectFrom('file_permission_sets')
      .select('name_key')
      .where('created_by', '=', actor.memberId)
      .execute();
    if (own.length >= filevaultLimits.permissionSets)
      throw new Problem('conflict', 'PERMISSION_SETS_FULL', 'You have too many permission sets. Remove one first.');
    if (own.some((set) => set.name_key === nameKey(name))) throw setNameTaken();
    const now = tx.clock.now();
    const row = {
      id: recordId(now, tx.random),
      created_by: actor.memberId,
      name,
      name_key: nameKey(name),
      flags: JSON.stringify(listOf(new Set(flags))),
      organization_id: organizationId ?? null,
      created_at: now,
    };
    await tx.db.insertInto('file_permission_sets').values(row).execute();
    await record(tx, actor, { action: 'PERMISSION_SET_CREATED', metadata: { setId: row.id } });
    return setOf(row);
  }).catch((error: unknown) => {
    throw isUniqueViolation(error, 'name_key') ? setNameTaken() : error;
  });
}

/** A page, or all of them as an array. */
export async function listPermissionSets(
  ctx: Context,
  actor: Actor,
  { organizationId, limit, cursor }: { readonly organizationId?: string | undefined } & PageRequest,
): Promise<PermissionSet[] | ({ permissionSets: PermissionSet[] } & Next)> {
  let query = ctx.db.selectFrom('file_permission_sets').selectAll().where('created_by', '=', actor.memberId);
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  const listing = {
    list: 'filevault.list-permission-sets',
    memberId: actor.memberId,
    filter: { organizationId },
    by: [asc<FilePermissionSetRow>('id', (row) => row.id)],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  const permissionSets = rows.map(setOf);
  return limit === undefined && cursor === undefined ? permissionSets : { permissionSets, ...next };
}

export async function removePermissionSet(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<null> {
  return await transaction(ctx, async (tx) => {
    const own = await tx.db
      .selectFrom('file_permission_sets')
      .select('id')
      .where('id', '=', id)
      .where('created_by', '=', actor.memberId)
      .executeTakeFirst();
    if (own === undefined) throw permissionSetNotFound();
    const use = await tx.db
      .selectFrom('file_acl_entries')
      .select('node_id')
      .where('set_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    if (use !== undefined)
      throw new Problem(
        'conflict',
        'PERMISSION_SET_IN_USE',
        'An access control list uses the permission set. Take it out of the list first.',
      );
    await tx.db.deleteFrom('file_permission_sets').where('id', '=', id).execute();
    await record(tx, actor, { action: 'PERMISSION_SET_REMOVED', metadata: { setId: id } });
    return null;
  });
}

export function permissionSetNotFound(): Problem {
  return new Problem('missing', 'PERMISSION_SET_NOT_FOUND', 'You have no such permission set.');
}

function setNameTaken(): Problem {
  return new Problem('conflict', 'NAME_TAKEN', 'You already have a permission set of this name. Choose another name.');
}

function setOf(row: FilePermissionSetRow): PermissionSet {
  return {
    id: row.id,
    name: row.name,
    flags: flagsIn(row.flags) ?? [],
    ...(row.organization_id !== null && { organizationId: row.organization_id }),
    createdBy: row.created_by,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
