import { download } from '../../client/bodies.ts';
import type { Caller } from '../../client/perform.ts';
import type { AuditEntry } from '../../contract/filevault/audit.ts';
import { filevault } from '../../contract/filevault.ts';
import { writeWhole } from '../kit/body-files.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { timeOf } from './acl.ts';
import { parseRemotePath } from './paths.ts';
import { placeAt } from './places.ts';

export interface AuditFlags {
  readonly member?: string | undefined;
  readonly action?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** A container's path means the whole container, any other the file or folder itself. */
export async function auditFilter(caller: Caller, path: string | undefined, flags: AuditFlags) {
  const place = path === undefined ? undefined : await placeAt(caller, parseRemotePath(path));
  const isWhole = place?.file === null && place.folder.parentFolderId === null;
  return {
    ...(place !== undefined && { vaultContainerId: place.folder.vaultContainerId }),
    ...(place !== undefined && !isWhole && { fileId: place.file?.id ?? place.folder.id }),
    ...(flags.member !== undefined && { member: flags.member }),
    ...(flags.action !== undefined && { action: flags.action.toUpperCase().replaceAll('-', '_') }),
    ...(flags.from !== undefined && { from: timeOf(flags.from) }),
    ...(flags.to !== undefined && { to: timeOf(flags.to) }),
  };
}

type Filter = Awaited<ReturnType<typeof auditFilter>>;

/** Writes a new file, piece by piece, that is whole or not there. */
export async function exportAudit(
  caller: Caller,
  filter: Filter,
  format: 'jsonl' | 'csv',
  path: string,
): Promise<void> {
  const { body } = await download(caller, filevault.exportAudit, { ...filter, format });
  await writeWhole(path, async (sink) => {
    for await (const piece of body) await sink.write(piece);
  });
}

export function auditTable(screen: Screen, entries: readonly AuditEntry[]): string {
  return table(screen, entries, [
    { title: 'TIME', of: ({ timestamp }) => moment(screen, timestamp), whole: true },
    { title: 'MEMBER', of: ({ username, memberId }) => username ?? memberId ?? 'link', whole: true },
    { title: 'ACTION', of: ({ action }) => action, whole: true },
    { title: 'FILE', of: ({ name, fileId }) => name ?? fileId ?? '-', main: true },
    { title: 'FROM', of: ({ address }) => address },
    { title: 'LEDGER', of: ({ ledgerIndex }) => String(ledgerIndex), spare: true },
  ]);
}
