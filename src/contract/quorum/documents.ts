import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { rawJson, rawJsonReply } from '../raw-json.ts';
import { memberId, recordId, secretText, timestamp, trueOrFalse } from '../text.ts';
import { quorumLimits } from './limits.ts';

const root = '/api/quorum/documents';
const one = `${root}/:documentId`;

/** What can be said of a sealed document without opening it. */
const documentMetadata = v.object({
  id: recordId,
  kind: v.pipe(
    v.picklist(['document', 'identity']),
    v.description('`identity`: who is behind an alias; it opens by an executed proposal `IDENTITY_DISCLOSURE` alone'),
  ),
  memberIds: v.pipe(
    v.array(memberId),
    v.description(
      'the holders: members who have a share, sorted by id; without those who were removed, unless a member or an administrator asks',
    ),
  ),
  sharesRequired: v.number(),
  createdAt: timestamp,
  creatorId: v.pipe(memberId, v.description('the account that sealed it')),
  epochNumber: v.pipe(v.number(), v.description('epoch of the shares')),
  generation: v.pipe(v.number(), v.description('1 at first; each re-sharing counts on')),
  size: v.pipe(v.number(), v.description('bytes of the ciphertext')),
  holdersChanged: v.pipe(v.boolean(), v.description('whether a holder was removed from the quorum; share it anew')),
  formerMemberIds: v.pipe(
    v.array(memberId),
    v.description(
      'holders who were removed; their shares open nothing here. Only for members and administrators, empty for others',
    ),
  ),
  outOfReach: v.pipe(
    v.boolean(),
    v.description('fewer holders are active than shares are required, until a former one is added with the same key'),
  ),
  resharedAt: v.optional(timestamp),
});
export type DocumentMetadata = v.InferOutput<typeof documentMetadata>;

const credential = v.object({ memberId, mnemonic: secretText(quorumLimits.mnemonic) });

const byId = v.object({ documentId: recordId });

export const quorumDocuments = {
  seal: operation({
    id: 'quorum.seal',
    method: 'POST',
    path: `${root}/seal`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Seal a document for members of the quorum',
    description:
      'Any JSON. It is encrypted under a random key, and each member gets a share of that key; `sharesRequired` of them open it. Any ' +
      'member of the node may seal. The size of the ciphertext counts against the storage quota of the creator.',
    input: v.object({
      document: rawJson('any JSON, at most 5 MiB; it comes back exactly as it was sent'),
      memberIds: v.pipe(v.array(memberId), v.description('at least 2 active members of the quorum')),
      sharesRequired: v.optional(
        v.pipe(
          v.number('must be a number'),
          v.integer('must be a whole number'),
          v.description('2 to as many as there are members; the threshold of the quorum if left out'),
        ),
      ),
    }),
    reply: v.object({
      documentId: recordId,
      memberIds: v.array(memberId),
      sharesRequired: v.number(),
      createdAt: timestamp,
    }),
    status: 201,
    message: 'Document sealed',
    errors: ['INVALID_MEMBER_COUNT', 'INVALID_THRESHOLD', 'STORAGE_QUOTA_EXCEEDED', 'OVERLOADED'],
    limit: { name: 'quorumSealing' },
    maxBody: quorumLimits.documentBytes + 64 * 1024,
  }),
  unseal: operation({
    id: 'quorum.unseal',
    method: 'POST',
    path: `${one}/unseal`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Open a sealed document with the recovery phrases of its holders',
    description:
      'The node derives the keys and keeps nothing of them. Who does not want to send phrases opens an unseal session instead. For the ' +
      'creator and active members of the quorum; a sealed identity opens for the proposer and the approvers of an executed proposal ' +
      '`IDENTITY_DISCLOSURE`. Needs at least `sharesRequired` holders. The share of a holder who was removed from the quorum counts for ' +
      'nothing until a member with the same key is added. If that leaves too few, the answer is `INSUFFICIENT_SHARES`, which names to ' +
      'members of the quorum who was removed. If a share cannot be opened, it is `SHARE_DECRYPTION_FAILED`, and `errors` names them all: ' +
      'the phrase may be wrong, the share damaged, or the member may have none. Every opening is recorded before it is answered.',
    input: v.object({
      documentId: recordId,
      memberCredentials: v.pipe(
        v.array(credential),
        v.maxLength(quorumLimits.members, `must be at most ${quorumLimits.members} members`),
        v.description('members with their recovery phrases, each member once'),
      ),
    }),
    reply: v.object({ document: rawJsonReply('the JSON that was sealed') }),
    status: 200,
    message: 'Document unsealed',
    errors: [
      'DOCUMENT_NOT_FOUND',
      'DOCUMENT_DAMAGED',
      'DOCUMENT_RESHARED',
      'INSUFFICIENT_SHARES',
      'SHARE_DECRYPTION_FAILED',
      'PROPOSAL_REQUIRED',
      'OVERLOADED',
    ],
    limit: { name: 'quorumUnsealing' },
    secretReply: true,
  }),
  showDocument: operation({
    id: 'quorum.show-document',
    method: 'GET',
    path: one,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Show what is known of a sealed document, without its content',
    description: 'For its creator and the active members of the quorum. For all others it does not exist.',
    input: byId,
    reply: v.object({ document: documentMetadata }),
    status: 200,
    message: 'Document',
    errors: ['DOCUMENT_NOT_FOUND'],
  }),
  canUnlock: operation({
    id: 'quorum.can-unlock',
    method: 'GET',
    path: `${one}/can-unlock`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Tell whether some members could open a sealed document together',
    description:
      'Only active holders count. `missingMembers` are the active holders who were not named, and `formerMembers`, if there are any, the ' +
      'holders who were removed from the quorum, for members and administrators only: their shares count again when a member with the ' +
      'same key is added.',
    input: v.object({
      documentId: recordId,
      memberIds: v.pipe(
        v.string('must be text'),
        v.maxLength(quorumLimits.members * 25, `must be at most ${quorumLimits.members} ids`),
        v.regex(/^(?:[0-9a-fA-F]{24}(?:,[0-9a-fA-F]{24})*)?$/, 'must be ids of members, separated by commas'),
        v.toLowerCase(),
        v.description('ids of members of the quorum, separated by commas'),
      ),
    }),
    reply: v.object({
      canUnlock: v.boolean(),
      sharesProvided: v.number(),
      sharesRequired: v.number(),
      missingMembers: v.array(memberId),
      formerMembers: v.optional(v.array(memberId)),
    }),
    status: 200,
    message: 'Document looked at',
    errors: ['DOCUMENT_NOT_FOUND'],
  }),
  listDocuments: operation({
    id: 'quorum.list-documents',
    method: 'GET',
    path: root,
    envelope: 'quorum',
    auth: 'member',
    summary: 'List the sealed documents, newest first',
    description: 'Active members of the quorum see all of them, others those that they sealed.',
    ...paged({
      name: 'documents',
      of: documentMetadata,
      filter: {
        holdersChanged: v.optional(
          v.pipe(trueOrFalse, v.description('only documents with a holder who was removed, or only the others')),
        ),
      },
    }),
    status: 200,
    message: 'Documents',
  }),
  removeDocument: operation({
    id: 'quorum.remove-document',
    method: 'DELETE',
    path: one,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Delete a sealed document for good',
    description:
      'By its creator. The ciphertext, all shares and the sessions are erased, and the storage is given back. The identity behind an alias ' +
      'stays as long as the alias is registered.',
    input: byId,
    reply: v.object({ success: v.literal(true), documentId: recordId }),
    status: 200,
    message: 'Document deleted',
    errors: ['DOCUMENT_NOT_FOUND', 'DOCUMENT_IN_USE'],
  }),
};
