import * as v from 'valibot';
import { operation, uploadOperation } from '../operation.ts';
import { paged } from '../page.ts';
import { hex, integer, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { quorumLimits } from './limits.ts';

const ofDocument = '/api/quorum/documents/:documentId';
const root = `${ofDocument}/reshares`;

const commitment = v.pipe(hex(32), v.description('SHA-256 of `salt` and the share, hex'));
const members = v.array(memberId);

const reshare = v.object({
  id: recordId,
  documentId: recordId,
  sessionId: v.pipe(recordId, v.description('the session that collects the old shares')),
  requesterId: v.pipe(memberId, v.description('the account whose client shares the document anew')),
  requesterName: v.optional(v.string()),
  proposalId: v.optional(v.pipe(recordId, v.description('the proposal that allowed it'))),
  rekey: v.pipe(v.boolean(), v.description('whether the content gets a new key as well')),
  status: v.pipe(
    v.picklist(['collecting', 'confirming', 'done', 'cancelled', 'expired']),
    v.description(
      '`collecting`: old shares; `confirming`: new holders look at their shares; until `done` the old ones count',
    ),
  ),
  reason: v.optional(v.pipe(v.string(), v.description('why it ended, if nobody cancelled it'))),
  fromGeneration: v.number(),
  toGeneration: v.number(),
  epochNumber: v.pipe(v.number(), v.description('of the new shares')),
  holders: v.pipe(
    v.array(v.object({ memberId, publicKey: v.string() })),
    v.description('those who get a share, and their keys'),
  ),
  sharesRequired: v.pipe(v.number(), v.description('of the new shares; so many holders have to confirm')),
  header: v.optional(v.pipe(v.string(), v.description('of a new key: what is authenticated with the content'))),
  hasContent: v.optional(v.pipe(v.boolean(), v.description('of a new key: whether the new ciphertext is there'))),
  confirmedBy: members,
  waitingFor: v.pipe(members, v.description('holders whose clients have not looked at their new share')),
  createdAt: timestamp,
  expiresAt: timestamp,
  endedAt: v.optional(timestamp),
});
export type Reshare = v.InferOutput<typeof reshare>;

const oneReshare = v.object({ reshare });
const ofReshare = v.object({ documentId: recordId, reshareId: recordId });
const common = { envelope: 'quorum', auth: 'member', status: 200 } as const;

export const quorumReshares = {
  beginReshare: operation({
    ...common,
    id: 'quorum.begin-reshare',
    method: 'POST',
    path: `${ofDocument}/reshare`,
    summary: 'Begin to share a document anew, or to give it a new key',
    description:
      'For the creator and holders; others, and a sealed identity, need a proposal `RESHARE_DOCUMENT`. A session collects the old shares, ' +
      'and the client splits the key for the new holders. New shares count when as many holders as are required have confirmed theirs; ' +
      'until then the old ones do. New shares keep former holders out of this node; with old shares and a copy of the ciphertext they ' +
      'can open it still. A new key (`rekey`) makes their shares worthless for what is stored from then on, not for a copy that they have.',
    input: v.object({
      documentId: recordId,
      ephemeralPublicKey: v.pipe(hex(33), v.description('of a key pair for this session alone; compressed')),
      memberIds: v.optional(
        v.pipe(
          members,
          v.maxLength(quorumLimits.members, `must be at most ${quorumLimits.members} members`),
          v.description('the new holders; the active ones of the present holders if it is left out'),
        ),
      ),
      sharesRequired: v.optional(
        v.pipe(integer(0, quorumLimits.members), v.description('as many as now if it is left out')),
      ),
      rekey: v.optional(v.boolean(), false),
      reason: v.pipe(
        paragraph(quorumLimits.reason),
        v.minLength(1, 'must not be empty'),
        v.description('for the holders'),
      ),
    }),
    reply: oneReshare,
    status: 201,
    message: 'Re-sharing begun',
    errors: [
      'DOCUMENT_NOT_FOUND',
      'PROPOSAL_REQUIRED',
      'RESHARE_IN_PROGRESS',
      'INSUFFICIENT_SHARES',
      'INVALID_MEMBER_COUNT',
      'INVALID_THRESHOLD',
    ],
  }),
  showReshare: operation({
    ...common,
    id: 'quorum.show-reshare',
    method: 'GET',
    path: `${root}/:reshareId`,
    summary: 'Show how far a re-sharing is',
    description: 'For whoever began it, the creator of the document, and active members of the quorum.',
    input: ofReshare,
    reply: oneReshare,
    message: 'Re-sharing',
    errors: ['RESHARE_NOT_FOUND'],
  }),
  listReshares: operation({
    ...common,
    id: 'quorum.list-reshares',
    method: 'GET',
    path: '/api/quorum/reshares',
    summary: 'List the re-sharings that wait for your confirmation, and those that you began, newest first',
    description: 'Those that still collect old shares wait for contributions: they are among the sessions.',
    ...paged({
      name: 'reshares',
      of: reshare,
      filter: {
        which: v.optional(
          v.pipe(v.picklist(['waiting', 'mine']), v.description('only those that wait for you, or only your own')),
        ),
      },
    }),
    message: 'Re-sharings',
  }),
  putReshareShares: operation({
    ...common,
    id: 'quorum.put-reshare-shares',
    method: 'PUT',
    path: `${root}/:reshareId/shares`,
    summary: 'Store the new shares, each encrypted to its holder',
    description:
      'For whoever began it, once enough holders have contributed their old shares; for a new key also the new ciphertext has to be ' +
      'there. The session of the old shares ends, and the new holders are asked to confirm.',
    input: v.object({
      ...ofReshare.entries,
      shares: v.pipe(
        v.array(
          v.object({
            memberId,
            encryptedShare: v.pipe(
              hex({ max: quorumLimits.encryptedShareBytes }),
              v.description('ECIES to the member, hex'),
            ),
            salt: hex(32),
            commitment,
          }),
        ),
        v.maxLength(quorumLimits.members, `must be at most ${quorumLimits.members} shares`),
      ),
    }),
    reply: oneReshare,
    message: 'Shares stored',
    errors: ['RESHARE_NOT_FOUND', 'RESHARE_ENDED', 'INSUFFICIENT_SHARES'],
  }),
  putReshareContent: uploadOperation({
    ...common,
    id: 'quorum.put-reshare-content',
    method: 'PUT',
    path: `${root}/:reshareId/content`,
    summary: 'Store the content under its new key',
    description:
      'For a re-sharing with a new key, before its shares. It is as long as the ciphertext that it replaces, and may be sent again.',
    input: ofReshare,
    reply: oneReshare,
    message: 'Content stored',
    errors: ['RESHARE_NOT_FOUND', 'RESHARE_ENDED', 'STORAGE_QUOTA_EXCEEDED'],
    accepts: ['application/octet-stream'],
    maxBody: quorumLimits.sealedBytes,
    digest: true,
  }),
  showMyNewShare: operation({
    ...common,
    id: 'quorum.show-new-share',
    method: 'GET',
    path: `${root}/:reshareId/my-share`,
    summary: 'Get your own new share, encrypted to your key',
    description: 'For new holders, once the shares are stored.',
    input: ofReshare,
    reply: v.object({
      share: v.object({
        documentId: recordId,
        memberId,
        generation: v.number(),
        epochNumber: v.number(),
        encryptedShare: v.string(),
        salt: v.string(),
        commitment,
      }),
    }),
    message: 'Share',
    errors: ['RESHARE_NOT_FOUND', 'RESHARE_ENDED'],
  }),
  confirmReshare: operation({
    ...common,
    id: 'quorum.confirm-reshare',
    method: 'POST',
    path: `${root}/:reshareId/confirmations`,
    summary: 'Confirm that your new share is readable',
    description:
      'The signature, by the key of the member, is over canonical JSON (RFC 8785) of `{t: "conclave-quorum-confirmation", v: 1, reshareId, ' +
      'documentId, generation, memberId, commitment}`. With the last confirmation that is needed the new shares replace the old ones.',
    input: v.object({
      ...ofReshare.entries,
      signature: v.pipe(hex(64), v.description('r and s of ECDSA on secp256k1 over SHA-256')),
    }),
    reply: oneReshare,
    message: 'Share confirmed',
    errors: ['RESHARE_NOT_FOUND', 'RESHARE_ENDED', 'INVALID_SIGNATURE'],
  }),
  cancelReshare: operation({
    ...common,
    id: 'quorum.cancel-reshare',
    method: 'DELETE',
    path: `${root}/:reshareId`,
    summary: 'Cancel a re-sharing; the old shares stay',
    description: 'For whoever began it, and for the creator of the document.',
    input: ofReshare,
    reply: oneReshare,
    message: 'Re-sharing cancelled',
    errors: ['RESHARE_NOT_FOUND', 'RESHARE_ENDED'],
  }),
};
