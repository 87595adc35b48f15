import type { LinkRecord, ShareAuditRecord, SharedFile, SharedRecord } from '../../../contract/filevault/sharing.ts';
import { bytes, moment, yesNo, type Screen } from '../../kit/screen.ts';
import { table } from '../../kit/table.ts';
import { linkModes } from './making-links.ts';

interface Row {
  readonly who: string;
  readonly level: string;
  readonly active: boolean;
  readonly opened: string;
  readonly until: string | null;
  readonly id: string;
}

/** Members first, then links. Both are one table, so that a program reads lines of one kind. */
export function sharesTable(screen: Screen, shares: readonly SharedRecord[], links: readonly LinkRecord[]): string {
  const rows: Row[] = [
    ...shares.map(({ username, recipientId, permissionLevel, active, shareId }) => ({
      who: username ?? recipientId,
      level: permissionLevel,
      active,
      opened: '-',
      until: null,
      id: shareId,
    })),
    ...links.map((link) => ({
      who: `link ${link.tokenStart}…`,
      level: `${modeWord(link.mode)}${link.passwordProtected ? ', password' : ''}`,
      active: link.active,
      opened: `${link.accessCount}${link.maxAccessCount === null ? '' : ` of ${link.maxAccessCount}`}`,
      until: link.expiresAt,
      id: link.id,
    })),
  ];
  return table(screen, rows, [
    { title: 'WITH', of: ({ who }) => who, main: true },
    { title: 'LEVEL', of: ({ level }) => level },
    { title: 'ACTIVE', of: ({ active }) => yesNo(active), whole: true },
    { title: 'OPENED', of: ({ opened }) => opened, whole: true },
    { title: 'UNTIL', of: ({ until }) => moment(screen, until ?? undefined), spare: true },
    { title: 'ID', of: ({ id }) => id, whole: true },
  ]);
}

function modeWord(mode: LinkRecord['mode']): string {
  return Object.entries(linkModes).find(([, long]) => long === mode)?.[0] ?? mode;
}

const said = {
  shared_internally: 'shared',
  share_revoked: 'unshared',
  share_link_accessed: 'link opened',
  share_link_revoked: 'link revoked',
} as const satisfies Record<ShareAuditRecord['action'], string>;

export function auditTable(screen: Screen, records: readonly ShareAuditRecord[]): string {
  return table(screen, records, [
    { title: 'TIME', of: ({ timestamp }) => moment(screen, timestamp), whole: true },
    { title: 'WHAT', of: ({ action }) => said[action], whole: true },
    {
      title: 'WITH',
      of: (one) => ('recipientId' in one ? (one.username ?? one.recipientId) : `link ${one.token}`),
      main: true,
    },
    { title: 'FROM', of: (one) => ('ipAddress' in one ? one.ipAddress : '-') },
    { title: 'ID', of: (one) => ('shareId' in one ? one.shareId : one.linkId), spare: true },
  ]);
}

export function sharedFilesTable(screen: Screen, files: readonly SharedFile[]): string {
  return table(screen, files, [
    { title: 'FILE', of: ({ fileName }) => fileName, main: true },
    { title: 'FROM', of: ({ fromUsername, sharedBy }) => fromUsername ?? sharedBy },
    { title: 'LEVEL', of: ({ permissionLevel }) => permissionLevel, whole: true },
    { title: 'SIZE', of: ({ sizeBytes }) => bytes(sizeBytes), whole: true },
    { title: 'SINCE', of: ({ sharedAt }) => moment(screen, sharedAt), spare: true },
    { title: 'ID', of: ({ fileId }) => fileId, whole: true },
  ]);
}
