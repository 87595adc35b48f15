import * as v from 'valibot';
import { operation } from '../operation.ts';
import { hex, recordId, timestamp } from '../text.ts';
import { filevaultLimits } from './limits.ts';
import { certificate } from './proofs.ts';

const root = '/filevault/destroy';
const one = `${root}/:fileId`;
const file = v.object({ fileId: recordId });
const refused = ['FILE_NOT_FOUND', 'FILE_DESTROYED', 'CONTAINER_LOCKED', 'CONTAINER_DESTROYED'] as const;
const destroying = [
  ...refused,
  'APPROVAL_REQUIRED',
  'QUORUM_APPROVAL_REQUIRED',
  'ERASURE_KEYS_MISSING',
  'ERASURE_KEYS_STALE',
  'LEDGER_BEHIND',
] as const;

/** The proof that the documents describe, and beside it what somebody else needs to check it. */
const proof = v.object({
  merkleRoot: v.pipe(hex(32), v.description('of the inventory: what was destroyed')),
  ledgerEntryHash: v.pipe(hex(32), v.description('leaf hash of the entry that says it is done')),
});
export type DestructionProof = v.InferOutput<typeof proof>;

const withCertificate = {
  certificate: v.optional(
    v.pipe(
      certificate,
      v.description('what is needed to check the proof offline; not there while the node signs nothing'),
    ),
  ),
};
const destroyed = v.object({ fileId: recordId, destroyed: v.literal(true), proof, ...withCertificate });

export const destruction = {
  destroyFiles: operation({
    id: 'filevault.destroy-files',
    method: 'POST',
    path: `${root}/batch`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Destroy files for good',
    description:
      'Each by itself, as `destroy` does: one that cannot be destroyed does not keep the others. Of very many files only the first have a `certificate`; ask for those of the others one by one. Nothing brings a destroyed file back, backups included.',
    input: v.object({
      fileIds: v.pipe(
        v.array(recordId),
        v.minLength(1, 'must not be empty'),
        v.maxLength(filevaultLimits.batch, `must be at most ${filevaultLimits.batch}`),
      ),
    }),
    reply: v.object({
      results: v.array(
        v.object({
          fileId: recordId,
          destroyed: v.boolean(),
          proof: v.optional(proof),
          ...withCertificate,
          error: v.optional(v.pipe(v.string(), v.description('a code; only if it was not destroyed'))),
        }),
      ),
    }),
    status: 200,
    message: 'Files destroyed',
    errors: ['FORBIDDEN'],
  }),
  scheduleDestruction: operation({
    id: 'filevault.schedule-destruction',
    method: 'POST',
    path: `${one}/schedule`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Schedule the destruction of a file',
    description:
      'Needs `delete` and `admin`, now and then: it is not destroyed if whoever scheduled it has lost them. Another time replaces the earlier one.',
    input: v.object({ fileId: recordId, scheduledAt: timestamp }),
    reply: v.object({ scheduled: v.literal(true), scheduledAt: timestamp }),
    status: 201,
    message: 'Destruction scheduled',
    errors: [...refused, 'APPROVAL_REQUIRED', 'QUORUM_APPROVAL_REQUIRED'],
  }),
  cancelDestruction: operation({
    id: 'filevault.cancel-destruction',
    method: 'DELETE',
    path: `${one}/schedule`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Cancel the scheduled destruction of a file',
    description: 'Needs `delete` and `admin`. It has no effect on a destruction that has begun.',
    input: file,
    reply: v.object({ cancelled: v.literal(true) }),
    status: 200,
    message: 'Destruction cancelled',
    errors: [...refused, 'DESTRUCTION_NOT_SCHEDULED'],
  }),
  verifyDestruction: operation({
    id: 'filevault.verify-destruction',
    method: 'POST',
    path: `${one}/verify`,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Verify the proof that a file was destroyed',
    description:
      'For those who could see the folder of the file. It checks the proof against the ledger, and that keys and blocks are gone; a `certificate` is checked as well. `limits` says what is not proven.',
    input: v.object({ fileId: recordId, proof, ...withCertificate }),
    reply: v.object({
      valid: v.boolean(),
      checks: v.array(v.object({ name: v.string(), ok: v.boolean(), detail: v.string() })),
      limits: v.array(v.string()),
    }),
    status: 200,
    message: 'Proof checked',
    errors: ['FILE_NOT_FOUND', 'LEDGER_BEHIND'],
  }),
  showDestruction: operation({
    id: 'filevault.show-destruction',
    method: 'GET',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Get the proof that a file was destroyed',
    description:
      'For those who could see the folder of the file. The certificate is made anew, under the newest checkpoint.',
    input: file,
    reply: destroyed,
    status: 200,
    message: 'Proof',
    errors: ['FILE_NOT_FOUND', 'LEDGER_BEHIND', 'LEDGER_DAMAGED'],
  }),
  destroyFile: operation({
    id: 'filevault.destroy-file',
    method: 'POST',
    path: one,
    envelope: 'filevault',
    auth: 'member',
    summary: 'Destroy a file for good, with all its versions',
    description:
      'Needs `delete` and `admin`. The keys are erased, also those that backups of the database need, and the blocks are deleted. If the server stops meanwhile, it goes on at its next start. A repeat gets the same proof.',
    input: file,
    reply: destroyed,
    status: 200,
    message: 'File destroyed',
    errors: destroying,
  }),
};
