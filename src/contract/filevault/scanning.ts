import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { memberId, recordId, timestamp } from '../text.ts';

const root = '/filevault/quarantine';
const operator = { all: ['admin', 'system'] } as const;
const one = v.object({ id: recordId });

const quarantined = v.object({
  id: v.pipe(recordId, v.description('of the upload')),
  vaultContainerId: recordId,
  fileName: v.string(),
  sizeBytes: v.number(),
  found: v.pipe(v.nullable(v.string()), v.description('what the scanner calls it, if it says so')),
  uploadedBy: memberId,
  refusedAt: timestamp,
});
export type Quarantined = v.InferOutput<typeof quarantined>;

export const scanning = {
  listQuarantine: operation({
    id: 'filevault.list-quarantine',
    method: 'GET',
    path: root,
    envelope: 'filevault',
    auth: { any: ['member', 'system'] },
    summary: 'List uploads that the scanner refused',
    description: 'Those into your containers, newest first; for the operator of the node, all of them.',
    ...paged({ name: 'items', of: quarantined }),
    status: 200,
    message: 'Quarantine',
    scope: 'files',
  }),
  destroyQuarantined: operation({
    id: 'filevault.destroy-quarantined',
    method: 'DELETE',
    path: `${root}/:id`,
    envelope: 'filevault',
    auth: { any: ['member', 'system'] },
    summary: 'Destroy an upload that the scanner refused',
    description: 'For the owner of the container, and for the operator. Its keys are erased.',
    input: one,
    reply: v.null(),
    status: 204,
    message: 'Destroyed',
    errors: ['UPLOAD_NOT_FOUND', 'ERASURE_KEYS_MISSING', 'ERASURE_KEYS_STALE'],
  }),
  releaseQuarantined: operation({
    id: 'filevault.release-quarantined',
    method: 'POST',
    path: '/api/admin/files/quarantine/:id/release',
    envelope: 'account',
    auth: operator,
    summary: 'Decide that an upload may be stored although the scanner refused it',
    description:
      'It becomes an upload again. Whoever sent it finishes it within seven days, and nothing has to be sent again: a command that is repeated does so.',
    input: one,
    reply: v.object({ id: recordId, released: v.literal(true), expiresAt: timestamp }),
    status: 200,
    message: 'Released',
    errors: ['UPLOAD_NOT_FOUND'],
  }),
};
