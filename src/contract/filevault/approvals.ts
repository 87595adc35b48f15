import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { hex, integer, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { filevaultLimits } from './limits.ts';

const root = '/filevault/approval';
const one = `${root}/:id`;
const needed = (what: string) =>
  v.optional(v.pipe(integer(0, filevaultLimits.approvals), v.description(`approvals that ${what} needs; 0: none`)));

/** What a container needs approvals for. */
export const approvalPolicy = v.object({
  destruction: needed('the destruction of a file or of the container'),
  externalShare: needed('a share with somebody outside'),
  bulkDelete: needed('moving a folder with content to the trash'),
  aclChange: needed('a change of an access control list'),
});
export type ApprovalPolicy = v.InferOutput<typeof approvalPolicy>;

const shown = v.optional(v.number());

/** The same as containers show it: operations that need none are missing. */
export const shownApprovalPolicy = v.object({
  destruction: shown,
  externalShare: shown,
  bulkDelete: shown,
  aclChange: shown,
});

const operationType = v.picklist(['destruction', 'external_share', 'bulk_delete', 'acl_change']);
const targetType = v.picklist(['file', 'folder', 'container']);
const status = v.picklist(['pending', 'approved', 'rejected', 'cancelled', 'expired', 'used']);
const yes = v.picklist(['true', 'false'], 'must be true or false');
const missing = ['APPROVAL_NOT_FOUND'] as const;
const deciding = [...missing, 'APPROVAL_OVER'] as const;

const approval = v.object({
  id: recordId,
  operationType,
  targetType,
  targetId: recordId,
  parentId: v.optional(v.pipe(recordId, v.description('of a move: the folder where the target was'))),
  newParentId: v.optional(v.pipe(recordId, v.description('of a move: the folder to which the target goes'))),
  vaultContainerId: recordId,
  requesterId: memberId,
  reason: v.nullable(v.string()),
  requiredApprovals: v.number(),
  approvals: v.array(
    v.object({
      memberId,
      signature: v.nullable(v.string()),
      createdAt: timestamp,
      counts: v.pipe(v.boolean(), v.description('whether the member still holds `admin` on the target')),
    }),
  ),
  status,
  rejectedBy: v.nullable(memberId),
  rejection: v.nullable(v.string()),
  statement: v.pipe(v.string(), v.description('the text that a signature of an approval is over')),
  createdAt: timestamp,
  expiresAt: timestamp,
});
export type Approval = v.InferOutput<typeof approval>;

export const approvals = {
  requestApproval: operation({
    id: 'filevault.request-approval',
    method: 'POST',
    path: `${root}/request`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Ask others to approve an operation',
    description:
      'For somebody who may do the operation but for the approval. Those who hold `admin` on the target approve it, the requester never. It ends after 7 days. Once it is approved, the requester does the operation, which uses it up.',
    input: v.object({
      operationType,
      targetType,
      targetId: recordId,
      newParentId: v.optional(
        v.pipe(
          recordId,
          v.description(
            'to move or restore the target to this folder; such an approval is for that move alone, and one without it for none',
          ),
        ),
      ),
      requiredApprovals: v.optional(
        v.pipe(integer(1, filevaultLimits.approvals), v.description('at least what the container needs')),
      ),
      reason: v.optional(paragraph(filevaultLimits.reason)),
    }),
    reply: approval,
    status: 201,
    message: 'Approval requested',
    errors: [
      'APPROVALS_FULL',
      'FILE_NOT_FOUND',
      'FILE_DESTROYED',
      'FOLDER_NOT_FOUND',
      'CONTAINER_NOT_FOUND',
      'CONTAINER_DESTROYED',
      'CONTAINER_LOCKED',
      'ROOT_FOLDER',
    ],
  }),
  listApprovals: operation({
    id: 'filevault.list-approvals',
    method: 'GET',
    path: root,
    envelope: 'filevault',
    auth: 'member',
    summary: 'List requests for approval, newest first',
    description: 'Your own, and those for which you hold `admin` on the target.',
    ...paged({
      name: 'approvals',
      of: approval,
      filter: {
        status: v.optional(status),
        mine: v.optional(v.pipe(yes, v.description('only those that you asked for, or only the others'))),
        waitingForMe: v.optional(v.pipe(v.picklist(['true']), v.description('only those that wait for your decision'))),
      },
    }),
    status: 200,
    message: 'Approvals',
  }),
  showApproval: operation({
    id: 'filevault.show-approval',
    method: 'GET',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Show a request for approval',
    description: 'For whoever asked, and whoever holds `admin` on the target.',
    input: v.object({ id: recordId }),
    reply: approval,
    status: 200,
    message: 'Approval',
    errors: missing,
  }),
  approve: operation({
    id: 'filevault.approve',
    method: 'POST',
    path: `${one}/approve`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Approve an operation that somebody else wants to do',
    description:
      'Needs `admin` on the target, when it was asked for, now and when the operation is done, and not only by shares that begin with whoever asked. A signature is ECDSA with secp256k1 over SHA-256 of `statement`, by your own key; it is checked.',
    input: v.object({ id: recordId, signature: v.optional(hex(64)) }),
    reply: approval,
    status: 200,
    message: 'Approved',
    errors: [...deciding, 'INVALID_SIGNATURE'],
  }),
  reject: operation({
    id: 'filevault.reject',
    method: 'POST',
    path: `${one}/reject`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Reject an operation that somebody else wants to do',
    description: 'Needs `admin` on the target. One rejection ends the request.',
    input: v.object({ id: recordId, reason: v.pipe(paragraph(filevaultLimits.reason), v.minLength(1)) }),
    reply: approval,
    status: 200,
    message: 'Rejected',
    errors: deciding,
  }),
  cancelApproval: operation({
    id: 'filevault.cancel-approval',
    method: 'POST',
    path: `${one}/cancel`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Take back your request for approval',
    description: 'For whoever asked, as long as it was not used.',
    input: v.object({ id: recordId }),
    reply: approval,
    status: 200,
    message: 'Cancelled',
    errors: deciding,
  }),
};
