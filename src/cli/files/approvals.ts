import { perform, type Caller } from '../../client/perform.ts';
import type { Approval } from '../../contract/filevault/approvals.ts';
import type { Container } from '../../contract/filevault/fields.ts';
import { filevault } from '../../contract/filevault.ts';
import { moment, type Screen } from '../kit/screen.ts';
import { table } from '../kit/table.ts';
import { parseRemotePath } from './paths.ts';
import { containerNamed, folderAt, placeAt } from './places.ts';

export const operations = {
  destroy: 'destruction',
  share: 'external_share',
  'bulk-delete': 'bulk_delete',
  acl: 'acl_change',
} as const;
export type OperationWord = keyof typeof operations;

interface Target {
  readonly targetType: 'file' | 'folder' | 'container';
  readonly targetId: string;
  readonly newParentId?: string;
}

/** What a person names: `Work:/a/b`, or `Work` alone for the whole container. @param into path of the folder to which it is to be moved */
export async function targetAt(caller: Caller, text: string, into?: string): Promise<Target> {
  if (into !== undefined) {
    const newParentId = (await folderAt(caller, parseRemotePath(into))).id;
    return { ...(await targetAt(caller, text)), newParentId };
  }
  if (!text.includes(':') && !text.includes('/'))
    return { targetType: 'container', targetId: (await containerNamed(caller, text)).id };
  const { folder, file } = await placeAt(caller, parseRemotePath(text));
  return file === null ? { targetType: 'folder', targetId: folder.id } : { targetType: 'file', targetId: file.id };
}

export function approvalTable(screen: Screen, approvals: readonly Approval[]): string {
  return table(screen, approvals, [
    { title: 'ID', of: ({ id }) => id, whole: true },
    { title: 'STATUS', of: ({ status }) => status, whole: true },
    { title: 'OPERATION', of: ({ operationType, targetType }) => `${operationType} of a ${targetType}` },
    { title: 'APPROVALS', of: countText, whole: true },
    { title: 'UNTIL', of: ({ expiresAt }) => moment(screen, expiresAt), spare: true },
    { title: 'REASON', of: ({ reason, rejection }) => rejection ?? reason ?? '-', main: true },
    { title: 'TARGET', of: ({ targetId }) => targetId, spare: true },
  ]);
}

function countText({ approvals, requiredApprovals }: Approval): string {
  return `${approvals.filter(({ counts }) => counts).length} of ${requiredApprovals}`;
}

export function approvalText(approval: Approval): string {
  return `${approval.status}: ${countText(approval)} approvals.`;
}

export async function changePolicy(
  caller: Caller,
  name: string,
  approvals: NonNullable<Container['approvals']>,
): Promise<Container> {
  const { id } = await containerNamed(caller, name);
  const given = Object.fromEntries(Object.entries(approvals).filter(([, count]) => count !== undefined));
  if (Object.keys(given).length === 0) return await perform(caller, filevault.showContainer, { id });
  return await perform(caller, filevault.changeContainer, { id, approvals: given });
}

export function policyText({ name, approvals }: Container): string {
  const rules = Object.entries(approvals).map(([operation, count]) => `${operation} ${count}`);
  return `${name} needs approvals for: ${rules.join(', ') || 'nothing'}`;
}
