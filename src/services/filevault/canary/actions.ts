import type { Context } from '../../../service/context.ts';
import type { CanaryAction } from '../../../contract/filevault/canaries.ts';
import { isActive } from '../../../shared/members/summaries.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileCanaryRow } from '../../../platform/store/tables/file-workflow.ts';
import type { FileDestructionRow } from '../../../platform/store/tables/filevault.ts';
import { putAcl, showAcl } from '../access/acl.ts';
import type { Who } from '../access/places.ts';
import { beginDestruction } from '../destruction/destroy.ts';
import { canaryNotice } from '../notices.ts';

/** The smallest part of an action: it is done as a whole, or refused. */
export type Step =
  | { readonly type: 'notify'; readonly memberId: string; readonly message: string }
  | ({ readonly type: 'share'; readonly memberId: string } & Shared)
  | { readonly type: 'destroy'; readonly fileId: string };

interface Shared {
  readonly targetType: 'file' | 'folder';
  readonly targetId: string;
  readonly level: 'viewer' | 'editor';
}

export function stepsOf(actions: readonly CanaryAction[]): Step[] {
  return actions.flatMap((action): Step[] => {
    switch (action.type) {
      case 'notify':
        return action.members.map((memberId) => ({ type: 'notify', memberId, message: action.message }));
      case 'share': {
        const { targetType, targetId, level } = action;
        return action.recipients.map((memberId) => ({ type: 'share', memberId, targetType, targetId, level }));
      }
      default:
        return action.fileIds.map((fileId) => ({ type: 'destroy', fileId }));
    }
  });
}

export function stepText(step: Step): string {
  switch (step.type) {
    case 'notify':
      return `notify ${step.memberId}`;
    case 'share':
      return `share ${step.targetType} ${step.targetId} with ${step.memberId}`;
    default:
      return `destroy ${step.fileId}`;
  }
}

/**
 * Does a step with the rights that the owner of the canary has now, in a transaction.
 * @returns what has to be finished after the commit
 * @throws Problem why it is refused
 */
export async function performStep(
  tx: Context,
  canary: FileCanaryRow,
  step: Step,
): Promise<FileDestructionRow | undefined> {
  const who = { memberId: canary.owner_id, address: canary.address };
  if (!(await isActive(tx, who.memberId)))
    throw new Problem('forbidden', 'FORBIDDEN', 'The owner of the canary is suspended.');
  switch (step.type) {
    case 'notify':
      await assertActive(tx, step.memberId);
      await canaryNotice(tx, canary, step.memberId, step.message);
      return undefined;
    case 'share':
      await assertActive(tx, step.memberId);
      await shareWith(tx, who, step.memberId, step);
      return undefined;
    default:
      return await beginDestruction(tx, who, step.fileId);
  }
}

async function assertActive(tx: Context, memberId: string): Promise<void> {
  if (!(await isActive(tx, memberId)))
    throw new Problem('missing', 'MEMBER_NOT_FOUND', 'The member is gone or suspended.');
}

/** Everything that a canary shares goes through here: an entry in the list of the file or folder, by the rules of `putAcl`. */
async function shareWith(tx: Context, who: Who, memberId: string, shared: Shared): Promise<void> {
  const { targetType, targetId, level } = shared;
  const { entries } = await showAcl(tx, who, { targetType, targetId });
  await putAcl(tx, who, { targetType, targetId, entries: [...entries, { principalId: memberId, level }] });
}
