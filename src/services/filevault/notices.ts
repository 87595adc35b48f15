import type { Context } from '../../service/context.ts';
import type { NotificationType } from '../../contract/notifications/notification.ts';
import { memberSummaries } from '../../shared/members/summaries.ts';
import { notify } from '../../shared/notifications/notify.ts';
import { withdraw } from '../../shared/notifications/withdraw.ts';
import type { FileApprovalRow, FileCanaryRow } from '../../platform/store/tables/file-workflow.ts';
import type { FileContainerRow, FileDestructionRow, FileNodeRow } from '../../platform/store/tables/filevault.ts';
import { placeOf, type Who } from './access/places.ts';

/**
 * What members are told of their files. Each of these runs in the transaction of what happened. No notice has the name of a file or folder:
 * rights end in many ways, by a block, a move or the suspension of somebody else too, and a notice stays in lists, push messages and digests. Clients
 * ask for the name by the id, and get it as long as the reader may see it.
 */

interface Notice {
  readonly type: NotificationType;
  /** undefined: nobody in particular */
  readonly actorId?: string | undefined;
  readonly targetId: string;
  readonly content: string;
}

async function tell(tx: Context, recipients: Iterable<string>, notice: Notice): Promise<void> {
  // In one order, so that no two transactions wait for each other.
  for (const recipientId of [...new Set(recipients)].toSorted()) await notify(tx, { ...notice, recipientId });
}

async function nameOf(tx: Context, memberId: string): Promise<string> {
  return (await memberSummaries(tx, [memberId])).get(memberId)?.username ?? 'Somebody';
}

type Item = Pick<FileNodeRow, 'id' | 'kind'>;

const kindOf = ({ kind }: Item): string => (kind === 1 ? 'file' : 'folder');

/** A file or folder was shared with members. */
export async function noticeShared(
  tx: Context,
  { actorId, item, recipientIds }: { readonly actorId: string; readonly item: Item; readonly recipientIds: string[] },
): Promise<void> {
  const content = `${await nameOf(tx, actorId)} shared a ${kindOf(item)} with you.`;
  await tell(tx, recipientIds, { type: 'file_shared', actorId, targetId: item.id, content });
}

/** A share was revoked: what was told of it is taken back. */
export async function noticeRevoked(
  tx: Context,
  { actorId, item, recipientIds }: { readonly actorId: string; readonly item: Item; readonly recipientIds: string[] },
): Promise<void> {
  const content = `${await nameOf(tx, actorId)} no longer shares a ${kindOf(item)} with you.`;
  for (const recipientId of recipientIds.toSorted()) await withdraw(tx, { targetId: item.id, recipientId });
  await tell(tx, recipientIds, { type: 'file_share_revoked', actorId, targetId: item.id, content });
}

/** A link was opened for the first time. @param shareId of the link; its notice goes when the link does, by `linkOver` */
export async function noticeLinkOpened(
  tx: Context,
  { makerId, shareId, item }: { readonly makerId: string; readonly shareId: string; readonly item: Item },
): Promise<void> {
  const content = `Your link to a ${kindOf(item)} was opened for the first time.`;
  await tell(tx, [makerId], { type: 'file_link_opened', targetId: shareId, content });
}

/** A link is over, and the notice of it. */
export async function linkOver(tx: Context, id: string): Promise<void> {
  await withdraw(tx, { targetId: id, type: 'file_link_opened' });
}

const words: Readonly<Record<FileApprovalRow['operation'], string>> = {
  destruction: 'destroy',
  external_share: 'share with somebody outside',
  bulk_delete: 'move to the trash with all its content',
  acl_change: 'change who may use',
};

function what({ operation, target_type: type, to_id: to }: FileApprovalRow): string {
  if (to !== null) return `move a ${type} to where others get rights on it`;
  return `${words[operation]} a ${type}`;
}

export async function approvalWanted(tx: Context, row: FileApprovalRow, approvers: readonly string[]): Promise<void> {
  const { requester_id: actorId, id: targetId } = row;
  const content = `${await nameOf(tx, actorId)} asks for your approval to ${what(row)}.`;
  await tell(tx, approvers, { type: 'file_approval_wanted', actorId, targetId, content });
}

/** Nobody has to approve it any more, or not this member. */
export async function approvalOver(tx: Context, id: string, recipientId?: string): Promise<void> {
  await withdraw(tx, {
    targetId: id,
    type: 'file_approval_wanted',
    ...(recipientId !== undefined && { recipientId }),
  });
}

export async function approvalDecided(
  tx: Context,
  row: FileApprovalRow,
  actorId: string | undefined,
  outcome: 'approved' | 'rejected' | 'expired',
): Promise<void> {
  const ended = outcome === 'expired' ? 'has expired' : `was ${outcome}`;
  const content = `Your request to ${what(row)} ${ended}.`;
  await tell(tx, [row.requester_id], { type: 'file_approval_decided', actorId, targetId: row.id, content });
}

interface Scheduled {
  readonly node: Item & Pick<FileNodeRow, 'created_by'>;
  readonly container: Pick<FileContainerRow, 'owner_id'>;
  readonly at: string;
}

/** Its owner, and whoever stored it and still sees it. */
export async function destructionScheduled(tx: Context, actor: Who, { node, container, at }: Scheduled): Promise<void> {
  const maker = { memberId: node.created_by, address: actor.address };
  const sees = (await placeOf(tx, maker, node.id))?.rights.flags.has('read') === true;
  const content = `${await nameOf(tx, actor.memberId)} scheduled the destruction of a file of yours for ${at}.`;
  await tell(tx, [container.owner_id, ...(sees ? [node.created_by] : [])], {
    type: 'file_destruction',
    actorId: actor.memberId,
    targetId: node.id,
    content,
  });
}

export async function destructionCancelled(tx: Context, fileId: string): Promise<void> {
  await withdraw(tx, { targetId: fileId, type: 'file_destruction' });
}

/** Nothing that is about the file stays. */
export async function destructionBegun(tx: Context, fileId: string): Promise<void> {
  await withdraw(tx, { targetId: fileId });
}

/** The owner hears of what others destroyed. Of several within an hour there is one notice. */
export async function destructionDone(tx: Context, actor: Who, row: FileDestructionRow): Promise<void> {
  const { owner_id: owner, state } = await tx.db
    .selectFrom('file_containers')
    .select(['owner_id', 'state'])
    .where('id', '=', row.container_id)
    .executeTakeFirstOrThrow();
  if (state === 'destroyed') return;
  const content = `A file of yours was destroyed by ${await nameOf(tx, actor.memberId)}.`;
  const notice = { type: 'file_destruction', actorId: actor.memberId, targetId: row.container_id, content } as const;
  await tell(tx, [owner], notice);
}

/** @param subject the container or member whose quota it is */
export async function noticeQuota(
  tx: Context,
  { ownerId, subject, what: of, percent }: { ownerId: string; subject: string; what: string; percent: number },
): Promise<void> {
  await tell(tx, [ownerId], {
    type: 'file_quota',
    targetId: subject,
    content: `${of} is filled to ${percent} %.`,
  });
}

export async function canaryWarned(
  tx: Context,
  { owner_id: owner, id, name }: FileCanaryRow,
  at: string,
): Promise<void> {
  const content = `Your canary “${name}” goes off at ${at} unless you check in or sign in.`;
  await tell(tx, [owner], { type: 'file_canary', targetId: id, content });
}

/** The owner hears that it went off. */
export async function canaryFired(tx: Context, { owner_id: owner, id, name }: FileCanaryRow): Promise<void> {
  await tell(tx, [owner], { type: 'file_canary', targetId: id, content: `Your canary “${name}” went off.` });
}

export async function canaryNotice(
  tx: Context,
  { owner_id: actorId, id: targetId }: FileCanaryRow,
  recipientId: string,
  message: string,
): Promise<void> {
  const content = `A canary of ${await nameOf(tx, actorId)} went off: ${message}`;
  await tell(tx, [recipientId], { type: 'file_canary', actorId, targetId, content });
}

/** Takes back notices of things that their readers may no longer see. Call it when the rights of members have changed. */
export async function withdrawUnseen(tx: Context, memberIds: Iterable<string>): Promise<void> {
  for (const recipientId of [...new Set(memberIds)].toSorted()) {
    const rows = await tx.db
      .selectFrom('notifications as n')
      .innerJoin('file_nodes as f', 'f.id', 'n.target_id')
      .select('n.target_id')
      .distinct()
      .where('n.recipient_id', '=', recipientId)
      .where('n.type', 'in', ['file_shared', 'file_destruction'])
      .execute();
    for (const { target_id: targetId } of rows) {
      if (targetId === null) continue;
      const place = await placeOf(tx, { memberId: recipientId, address: '' }, targetId);
      if (place === undefined || place.rights.flags.size === 0) await withdraw(tx, { targetId, recipientId });
    }
    const links = await tx.db
      .selectFrom('notifications as n')
      .innerJoin('file_links as l', 'l.id', 'n.target_id')
      .select(['l.id', 'l.file_id'])
      .distinct()
      .where('n.recipient_id', '=', recipientId)
      .where('n.type', '=', 'file_link_opened')
      .execute();
    for (const { id, file_id: fileId } of links) {
      const place = await placeOf(tx, { memberId: recipientId, address: '' }, fileId);
      if (place === undefined || place.rights.flags.size === 0) await linkOver(tx, id);
    }
  }
}
