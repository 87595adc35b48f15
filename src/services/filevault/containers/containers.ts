import { requireNoAppPassword, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { ApprovalPolicy } from '../../../contract/filevault/approvals.ts';
import type { Container, ListedContainer } from '../../../contract/filevault/fields.ts';
import { Problem } from '../../../base/problem.ts';
import { transactionOnce } from '../../../service/repeats.ts';
import { asc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { FileContainerRow } from '../../../platform/store/tables/filevault.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import { requireContainer, requireOwnContainer } from '../access/containers.ts';
import { passagesIn } from '../access/passages.ts';
import { requireApproval } from '../approvals/guard.ts';
import { changedPolicy, isLower, policyOf, storePolicy } from '../approvals/policy.ts';
import { record } from '../audit.ts';
import { changeKeeping, type KeepingChanges } from '../keeping/policy.ts';
import { containerLocked } from '../problems.ts';
import { nameKey } from '../tree/names.ts';
import { insertNode } from '../tree/nodes.ts';
import { containerOf, listedContainers } from './summaries.ts';

/** A page, or all of them as an array. */
export async function listContainers(
  ctx: Context,
  actor: Actor,
  { limit, cursor }: PageRequest,
): Promise<ListedContainer[] | ({ vaults: ListedContainer[] } & Next)> {
  const query = ctx.db
    .selectFrom('file_containers')
    .selectAll()
    .where('state', '!=', 'destroyed')
    .where((e) =>
      e.or([
        e('owner_id', '=', actor.memberId),
        e(
          'id',
          'in',
          e.selectFrom('file_acl_entries').select('container_id').where('principal_id', '=', actor.memberId),
        ),
      ]),
    );
  const listing = {
    list: 'filevault.list-containers',
    memberId: actor.memberId,
    by: [asc<FileContainerRow>('id', (row) => row.id)],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  const seen: FileContainerRow[] = [];
  for (const row of rows)
    if (row.owner_id === actor.memberId || (await passagesIn(ctx, actor, row.id)).size > 0) seen.push(row);
  const vaults = await listedContainers(ctx, actor, seen);
  return limit === undefined && cursor === undefined ? vaults : { vaults, ...next };
}

interface NewContainer {
  readonly name: string;
  readonly description?: string | undefined;
  readonly quotaBytes?: number | undefined;
  readonly quorumGoverned: boolean;
  readonly clientEncrypted: boolean;
}

/** Every member may create containers. */
export async function createContainer(
  ctx: Context,
  actor: Actor,
  { name, description, quotaBytes, quorumGoverned, clientEncrypted }: NewContainer,
): Promise<Container> {
  return await transactionOnce(ctx, async (tx) => {
    await assertNameFree(tx, actor, name);
    const now = tx.clock.now();
    const id = recordId(now, tx.random);
    const root = recordId(now, tx.random);
    const row = {
      id,
      owner_id: actor.memberId,
      name,
      name_key: nameKey(name),
      description: description ?? null,
      state: 'active' as const,
      root_id: root,
      quota: quotaBytes ?? null,
      used: 0,
      reserved: 0,
      quorum_governed: quorumGoverned ? 1 : 0,
      client_encrypted: clientEncrypted ? 1 : 0,
      created_at: now,
      updated_at: now,
    };
    await tx.db.insertInto('file_containers').values(row).execute();
    await insertNode(tx, { id: root, containerId: id, kind: 0, parentId: null, name: '', by: actor.memberId });
    await record(tx, actor, { action: 'CONTAINER_CREATED', containerId: id });
    return await containerOf(tx, actor, row);
  }).catch(asNameTaken);
}

export async function showContainer(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<Container> {
  return await containerOf(ctx, actor, await requireContainer(ctx, actor, id));
}

interface Changes extends KeepingChanges {
  readonly id: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly quotaBytes?: number | null | undefined;
  readonly approvals?: ApprovalPolicy | undefined;
}

export async function changeContainer(ctx: Context, actor: Actor, changes: Changes): Promise<Container> {
  return await transaction(ctx, async (tx) => {
    const { id, name, description, quotaBytes, approvals } = changes;
    const row = await requireOwnContainer(tx, actor, id);
    if (row.state === 'locked') throw containerLocked();
    if (name !== undefined) await assertNameFree(tx, actor, name, id);
    await changeKeeping(tx, id, changes);
    if (approvals !== undefined) await changePolicy(tx, actor, row, approvals);
    const metadata = {
      changed: Object.keys(changes)
        .filter((field) => field !== 'id')
        .join(),
    };
    await record(tx, actor, { action: 'CONTAINER_CHANGED', containerId: id, metadata });
    const changed = await tx.db
      .updateTable('file_containers')
      .set({
        ...(name !== undefined && { name, name_key: nameKey(name) }),
        ...(description !== undefined && { description }),
        ...(quotaBytes !== undefined && { quota: quotaBytes }),
        updated_at: tx.clock.now(),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return await containerOf(tx, actor, changed);
  }).catch(asNameTaken);
}

interface State {
  readonly id: string;
  readonly state: 'active' | 'locked';
}

export async function lockContainer(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<State> {
  return await setState(ctx, actor, { id, state: 'locked' });
}

export async function unlockContainer(ctx: Context, actor: Actor, { id }: { readonly id: string }): Promise<State> {
  return await setState(ctx, actor, { id, state: 'active' });
}

async function setState(ctx: Context, actor: Actor, { id, state }: State): Promise<State> {
  return await transaction(ctx, async (tx) => {
    const row = await requireOwnContainer(tx, actor, id);
    if (row.state === state) return { id, state };
    await tx.db
      .updateTable('file_containers')
      .set({ state, updated_at: tx.clock.now() })
      .where('id', '=', id)
      .execute();
    const action = state === 'locked' ? 'CONTAINER_LOCKED' : 'CONTAINER_UNLOCKED';
    await record(tx, actor, { action, containerId: id });
    return { id, state };
  });
}

/** Otherwise the owner alone could take away what keeps the owner from acting alone. */
async function changePolicy(tx: Context, actor: Actor, row: FileContainerRow, changes: ApprovalPolicy): Promise<void> {
  const before = await policyOf(tx, row.id);
  const after = changedPolicy(before, changes);
  if (isLower(before, after)) {
    requireNoAppPassword(actor, 'lower the number of approvals that a container needs');
    await requireApproval(tx, actor, row, 'acl_change', row.id);
  }
  await storePolicy(tx, row.id, after);
}

/** @param own the container that gets the name */
async function assertNameFree(tx: Context, actor: Actor, name: string, own?: string): Promise<void> {
  const other = await tx.db
    .selectFrom('file_containers')
    .select('id')
    .where('owner_id', '=', actor.memberId)
    .where('name_key', '=', nameKey(name))
    .executeTakeFirst();
  if (other !== undefined && other.id !== own) throw containerNameTaken();
}

/** Two requests came at once, and the unique key refused this one. */
function asNameTaken(error: unknown): never {
  throw isUniqueViolation(error, 'name_key') ? containerNameTaken() : error;
}

function containerNameTaken(): Problem {
  return new Problem(
    'conflict',
    'CONTAINER_NAME_TAKEN',
    'You already have a container of this name. Choose another name.',
  );
}
