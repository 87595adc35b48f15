import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { PermissionLevel } from '../../../contract/filevault/limits.ts';
import type { LinkRecord, ShareAuditRecord, SharedFile, SharedRecord } from '../../../contract/filevault/sharing.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { Problem } from '../../../base/problem.ts';
import { desc, readPage, type Next, type PageRequest } from '../../../platform/store/page.ts';
import type { FileLinkRow } from '../../../platform/store/tables/file-shares.ts';
import { liveAmong } from '../access/passages.ts';
import { liveShares } from '../access/shares.ts';
import { requireSharing } from './granting.ts';
import { isLeft, requireLive } from './live-links.ts';
import { publicUrl } from './public-url.ts';

const iso = (time: number): string => new Date(time).toISOString();

interface SharedRow {
  readonly id: string;
  readonly file_id: string;
  readonly container_id: string;
  readonly shared_by: string;
  readonly level: PermissionLevel;
  readonly created_at: number;
  readonly name: string;
  readonly size: number;
  readonly mime_type: string;
  readonly client_encrypted: number;
}

/** Files that are shared with the actor now: a page, or all of them as an array. */
export async function listSharedWithMe(
  ctx: Context,
  actor: Actor,
  { limit, cursor }: PageRequest,
): Promise<SharedFile[] | ({ shares: SharedFile[] } & Next)> {
  const query = ctx.db
    .selectFrom('file_shares as s')
    .innerJoin('file_nodes as n', 'n.id', 's.file_id')
    .innerJoin('file_containers as c', 'c.id', 's.container_id')
    .select(['s.id', 's.file_id', 's.container_id', 's.shared_by', 's.level', 's.created_at'])
    .select(['n.name', 'n.size', 'n.mime_type', 'c.client_encrypted'])
    .where('s.recipient_id', '=', actor.memberId)
    .where('c.state', '!=', 'destroyed');
  const listing = {
    list: 'filevault.list-shared-with-me',
    memberId: actor.memberId,
    by: [desc<SharedRow>('s.id', (row) => row.id)],
  };
  const { rows, next } = await readPage(ctx, query, listing, { limit, cursor });
  const files = [...new Set(rows.map(({ file_id }) => file_id))];
  const counting = new Set((await liveShares(ctx, actor.address, files)).map(({ id }) => id));
  const present = new Set(await liveAmong(ctx, files));
  const counted = rows.filter((row) => counting.has(row.id) && present.has(row.file_id));
  const makers = await memberSummaries(ctx, [...new Set(counted.map(({ shared_by }) => shared_by))]);
  const shares = counted.map((row) => ({
    fileId: row.file_id,
    fileName: row.name,
    sharedBy: row.shared_by,
    fromUsername: makers.get(row.shared_by)?.username,
    permissionLevel: row.level,
    sharedAt: iso(row.created_at),
    shareId: row.id,
    sizeBytes: row.size,
    mimeType: row.mime_type,
    vaultContainerId: row.container_id,
    clientEncrypted: row.client_encrypted === 1,
  }));
  return limit === undefined && cursor === undefined ? shares : { shares, ...next };
}

/** Everything that lets somebody in to a file beside the access control lists: also what doesn't count now, because it may count again. */
export async function listShares(
  ctx: Context,
  actor: Actor,
  { fileId }: { readonly fileId: string },
): Promise<{ shares: SharedRecord[]; links: LinkRecord[] }> {
  await requireSharing(ctx, actor, fileId, ['share', 'admin']);
  const rows = await ctx.db.selectFrom('file_shares').selectAll().where('file_id', '=', fileId).orderBy('id').execute();
  const counting = new Set((await liveShares(ctx, actor.address, [fileId])).map(({ id }) => id));
  const members = await memberSummaries(
    ctx,
    rows.map(({ recipient_id }) => recipient_id),
  );
  const shares = rows.map((row) => ({
    shareId: row.id,
    recipientId: row.recipient_id,
    username: members.get(row.recipient_id)?.username,
    permissionLevel: row.level,
    sharedBy: row.shared_by,
    sharedAt: iso(row.created_at),
    active: counting.has(row.id),
  }));
  const links = await ctx.db
    .selectFrom('file_links')
    .selectAll()
    .where('file_id', '=', fileId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
  const records: LinkRecord[] = [];
  for (const link of links) records.push(linkRecordOf(link, await opensNow(ctx, actor, link)));
  return { shares, links: records };
}

async function opensNow(ctx: Context, { address }: Actor, link: FileLinkRow): Promise<boolean> {
  if (!isLeft(link, ctx.clock.now())) return false;
  try {
    await requireLive(ctx, address, link);
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function linkRecordOf(link: FileLinkRow, active: boolean): LinkRecord {
  return {
    id: link.id,
    tokenStart: link.token_start,
    mode: link.mode,
    versionId: link.version_id,
    createdBy: link.created_by,
    createdAt: iso(link.created_at),
    expiresAt: link.expires_at === null ? null : iso(link.expires_at),
    maxAccessCount: link.max_count,
    accessCount: link.access_count,
    passwordProtected: link.protected === 1,
    active,
  };
}

function shown(start: string): string {
  return `${start}…`;
}

const AUDIT_RECORDS = 1_000;
const shareActions = ['FILE_SHARED', 'SHARE_REVOKED', 'SHARE_LINK_ACCESSED', 'SHARE_LINK_REVOKED'] as const;

export async function showShareAudit(
  ctx: Context,
  actor: Actor,
  { fileId }: { readonly fileId: string },
): Promise<ShareAuditRecord[]> {
  await requireSharing(ctx, actor, fileId, ['share', 'admin']);
  const rows = await ctx.db
    .selectFrom('file_audit')
    .selectAll()
    .where('node_id', '=', fileId)
    .where('action', 'in', [...shareActions])
    .orderBy('ledger_entry', 'desc')
    .limit(AUDIT_RECORDS)
    .execute();
  const recipients = rows.flatMap(({ metadata }) => aboutOf(metadata)['recipientId'] ?? []);
  const members = await memberSummaries(ctx, [...new Set(recipients)]);
  return rows.map(({ action, metadata, address, member_id: memberId, created_at }): ShareAuditRecord => {
    const about = aboutOf(metadata);
    const { linkId = '', shareId = '', recipientId = '', token = '' } = about;
    const timestamp = iso(created_at);
    const by = memberId ?? undefined;
    const username = members.get(recipientId)?.username;
    switch (action) {
      case 'FILE_SHARED': {
        const permissionLevel = about['permissionLevel'] as PermissionLevel;
        return { action: 'shared_internally', shareId, recipientId, username, permissionLevel, timestamp };
      }
      case 'SHARE_REVOKED':
        return { action: 'share_revoked', shareId, recipientId, username, memberId: by, timestamp };
      case 'SHARE_LINK_ACCESSED':
        return { action: 'share_link_accessed', token: shown(token), linkId, ipAddress: address, timestamp };
      default:
        return { action: 'share_link_revoked', token: shown(token), linkId, memberId: by, timestamp };
    }
  });
}

function aboutOf(metadata: string | null): Readonly<Record<string, string>> {
  return JSON.parse(metadata ?? '{}') as Readonly<Record<string, string>>;
}

/** It grants nothing by itself. */
export async function showMagnet(
  ctx: Context,
  actor: Actor,
  { fileId }: { readonly fileId: string },
): Promise<{ magnetUrl: string }> {
  const { node } = await requireSharing(ctx, actor, fileId, ['share']);
  const metadata = `${publicUrl(ctx)}/filevault/files/${fileId}/metadata`;
  const name = encodeURIComponent(node.name);
  return { magnetUrl: `magnet:?xt=urn:conclave:${fileId}&dn=${name}&xs=${encodeURIComponent(metadata)}` };
}
