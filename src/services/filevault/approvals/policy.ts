import type { Context } from '../../../service/context.ts';
import type { ApprovalPolicy } from '../../../contract/filevault/approvals.ts';
import type { ApprovalOperation, FileApprovalPolicyRow } from '../../../platform/store/tables/file-workflow.ts';

/** How many approvals each operation in a container needs. */
export type Policy = Readonly<Record<ApprovalOperation, number>>;

type Reading = Pick<Context, 'db'>;

const none: Policy = { destruction: 0, external_share: 0, bulk_delete: 0, acl_change: 0 };

export async function policyOf(ctx: Reading, containerId: string): Promise<Policy> {
  return (await policiesOf(ctx, [containerId])).get(containerId) ?? none;
}

/** Of those containers that have one. */
export async function policiesOf({ db }: Reading, ids: readonly string[]): Promise<ReadonlyMap<string, Policy>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('file_approval_policies')
    .selectAll()
    .where('container_id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.container_id, row]));
}

/** What the operation needs. To change the policy of a container takes as many as the strictest of its rules. */
export function neededFor(policy: Policy, operation: ApprovalOperation, isContainer: boolean): number {
  if (operation !== 'acl_change' || !isContainer) return policy[operation];
  return Math.max(policy.destruction, policy.external_share, policy.bulk_delete, policy.acl_change);
}

/** The policy with changes; what is left out stays. */
export function changedPolicy(before: Policy, changes: ApprovalPolicy): Policy {
  return {
    destruction: changes.destruction ?? before.destruction,
    external_share: changes.externalShare ?? before.external_share,
    bulk_delete: changes.bulkDelete ?? before.bulk_delete,
    acl_change: changes.aclChange ?? before.acl_change,
  };
}

export function isLower(before: Policy, after: Policy): boolean {
  return (Object.keys(none) as ApprovalOperation[]).some((operation) => after[operation] < before[operation]);
}

export async function storePolicy({ db }: Reading, containerId: string, policy: Policy): Promise<void> {
  const row: FileApprovalPolicyRow = { container_id: containerId, ...columnsOf(policy) };
  await db
    .insertInto('file_approval_policies')
    .values(row)
    .onConflict((conflict) => conflict.column('container_id').doUpdateSet(columnsOf(policy)))
    .execute();
}

function columnsOf({ destruction, external_share, bulk_delete, acl_change }: Policy): Policy {
  return { destruction, external_share, bulk_delete, acl_change };
}

/** As containers show it: operations that need no approval are missing. */
export function shownPolicy(policy: Policy | undefined): ApprovalPolicy {
  if (policy === undefined) return {};
  return {
    ...(policy.destruction > 0 && { destruction: policy.destruction }),
    ...(policy.external_share > 0 && { externalShare: policy.external_share }),
    ...(policy.bulk_delete > 0 && { bulkDelete: policy.bulk_delete }),
    ...(policy.acl_change > 0 && { aclChange: policy.acl_change }),
  };
}
