import type { Context } from '../../../service/context.ts';
import type { FileKeepingRow } from '../../../platform/store/tables/file-keeping.ts';
import type { FileContainerRow, FileNodeRow } from '../../../platform/store/tables/filevault.ts';
import { policiesOf, type Policy } from '../approvals/policy.ts';

const DAY_MS = 86_400_000;

/** What holds for a container: what its owner chose, and otherwise what the operator configured. */
export interface Keeping {
  /** 0: the trash is emptied by hand alone */
  readonly trashDays: number;
  /** how many versions of a file stay, the current one included; 0: all */
  readonly versionsNumber: number;
  /** how many days a version that was replaced stays; 0: for ever */
  readonly versionsDays: number;
  readonly visibleWatermark: boolean;
  readonly invisibleWatermark: boolean;
}

type Reading = Pick<Context, 'db' | 'config'>;

export async function keepingOf(ctx: Reading, containerIds: readonly string[]): Promise<Map<string, Keeping>> {
  if (containerIds.length === 0) return new Map();
  const rows = await ctx.db.selectFrom('file_keeping').selectAll().where('container_id', 'in', containerIds).execute();
  const chosen = new Map(rows.map((row) => [row.container_id, row]));
  const policies = await policiesOf(ctx, containerIds);
  return new Map(containerIds.map((id) => [id, keepingBy(ctx, chosen.get(id), policies.get(id))]));
}

export async function keepingIn(ctx: Reading, containerId: string): Promise<Keeping> {
  const found = (await keepingOf(ctx, [containerId])).get(containerId);
  return found ?? keepingBy(ctx, undefined, undefined);
}

/** Where the destruction of a file needs approvals, the clock destroys none. */
function keepingBy(
  { config: { files } }: Reading,
  row: FileKeepingRow | undefined,
  policy: Pick<Policy, 'destruction'> | undefined,
): Keeping {
  const byHand = (policy?.destruction ?? 0) > 0;
  return {
    trashDays: byHand ? 0 : (row?.trash_days ?? files.trashDays),
    versionsNumber: byHand ? 0 : (row?.versions_number ?? files.versionsKept),
    versionsDays: byHand ? 0 : (row?.versions_days ?? files.versionsDays),
    visibleWatermark: row?.visible_watermark === 1,
    invisibleWatermark: row?.invisible_watermark === 1,
  };
}

export interface KeepingChanges {
  readonly trashDays?: number | null | undefined;
  readonly versionPolicy?:
    | { readonly number?: number | null | undefined; readonly days?: number | null | undefined }
    | null
    | undefined;
  readonly visibleWatermark?: boolean | undefined;
  readonly invisibleWatermark?: boolean | undefined;
}

/** Keeps what the owner of a container chooses. What is left out stays, and null is what the operator configured. */
export async function changeKeeping(tx: Context, containerId: string, changes: KeepingChanges): Promise<void> {
  const { trashDays, versionPolicy, visibleWatermark, invisibleWatermark } = changes;
  const policy = versionPolicy === null ? { number: null, days: null } : versionPolicy;
  const set = {
    ...(trashDays !== undefined && { trash_days: trashDays }),
    ...(policy?.number !== undefined && { versions_number: policy.number }),
    ...(policy?.days !== undefined && { versions_days: policy.days }),
    ...(visibleWatermark !== undefined && { visible_watermark: visibleWatermark ? 1 : 0 }),
    ...(invisibleWatermark !== undefined && { invisible_watermark: invisibleWatermark ? 1 : 0 }),
  };
  if (Object.keys(set).length === 0) return;
  const none = {
    trash_days: null,
    versions_number: null,
    versions_days: null,
    visible_watermark: null,
    invisible_watermark: null,
  };
  await tx.db
    .insertInto('file_keeping')
    .values({ container_id: containerId, ...none, ...set })
    .onConflict((conflict) => conflict.column('container_id').doUpdateSet(set))
    .execute();
}

/** Whether the clock destroys anything in a container: the quorum decides on governed ones, and nothing changes in locked ones. */
export function isCleared({ state, quorum_governed }: Pick<FileContainerRow, 'state' | 'quorum_governed'>): boolean {
  return state === 'active' && quorum_governed === 0;
}

/** What was deleted then or earlier has gone. @returns undefined: nothing goes by the clock */
export function trashCutoff(now: number, keeping: Keeping): number | undefined {
  return keeping.trashDays === 0 ? undefined : now - keeping.trashDays * DAY_MS;
}

/** When something in the trash goes. @returns undefined: by hand alone */
export function goesAt(
  container: Pick<FileContainerRow, 'state' | 'quorum_governed'>,
  node: Pick<FileNodeRow, 'deleted_at' | 'quorum_governed'>,
  keeping: Keeping,
): number | undefined {
  if (!isCleared(container) || node.quorum_governed === 1 || keeping.trashDays === 0 || node.deleted_at === null)
    return undefined;
  return node.deleted_at + keeping.trashDays * DAY_MS;
}

/** What was replaced then or earlier has gone. @returns undefined: never */
export function versionsCutoff(now: number, keeping: Keeping): number | undefined {
  return keeping.versionsDays === 0 ? undefined : now - keeping.versionsDays * DAY_MS;
}
