import * as v from 'valibot';
import { operation, rawOperation } from '../operation.ts';
import { paged } from '../page.ts';
import { hex, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { quorumLimits } from './limits.ts';

const ofDocument = '/api/quorum/documents/:documentId';
const root = `${ofDocument}/unseal-sessions`;

const commitment = v.pipe(v.string(), v.description('SHA-256 of `salt` and the share, hex'));
const signature = v.pipe(hex(64), v.description('r and s of ECDSA on secp256k1 over SHA-256'));
const ciphertext = v.pipe(
  hex({ max: quorumLimits.encryptedShareBytes }),
  v.description('ECIES to the key of the session, hex'),
);

const contribution = v.object({
  memberId,
  contributedAt: timestamp,
  signature: v.string(),
  encryptedShare: v.optional(v.pipe(v.string(), v.description('for the requester alone, while the session is open'))),
});

/** Somebody who has a share, and how the requester knows that a contribution is this share. */
const holder = v.object({ memberId, publicKey: v.string(), salt: v.string(), commitment });

const session = v.object({
  id: recordId,
  documentId: recordId,
  purpose: v.picklist(['unseal', 'reshare', 'rekey']),
  requesterId: v.pipe(memberId, v.description('the account that asked')),
  requesterName: v.optional(v.string()),
  ephemeralPublicKey: v.string(),
  reason: v.string(),
  proposalId: v.optional(v.pipe(recordId, v.description('the proposal that allowed it'))),
  status: v.picklist(['open', 'completed', 'cancelled', 'expired']),
  generation: v.pipe(v.number(), v.description('of the shares that are collected')),
  sharesRequired: v.number(),
  createdAt: timestamp,
  expiresAt: timestamp,
  endedAt: v.optional(timestamp),
  contributions: v.array(contribution),
  waitingFor: v.pipe(v.array(memberId), v.description('active members with a share who have not contributed')),
  sealing: v.optional(
    v.pipe(
      v.object({ header: v.string(), epochNumber: v.number(), holders: v.array(holder) }),
      v.description(
        'for the requester alone, while the session is open: what opens and checks the content and the shares',
      ),
    ),
  ),
});
export type UnsealSession = v.InferOutput<typeof session>;

const ofSession = v.object({ documentId: recordId, sessionId: recordId });
const oneSession = v.object({ session });

export const quorumSessions = {
  openSession: operation({
    id: 'quorum.open-session',
    method: 'POST',
    path: root,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Ask the holders of a document for their shares, without any mnemonic leaving their machines',
    description:
      'The client makes a key pair for this session alone. Each holder encrypts their share to it, and the client joins them and opens ' +
      'the content. For the creator and active members of the quorum; a sealed identity, and everyone else, needs a proposal ' +
      '`IDENTITY_DISCLOSURE` or `UNSEAL_DOCUMENT`. The session then ends with what the proposal allows. If too few holders are active ' +
      'members, the answer is `INSUFFICIENT_SHARES`, which names to members of the quorum who was removed.',
    input: v.object({
      documentId: recordId,
      ephemeralPublicKey: v.pipe(hex(33), v.description('of a key pair for this session alone; compressed')),
      reason: v.pipe(
        paragraph(quorumLimits.reason),
        v.minLength(1, 'must not be empty'),
        v.description('for the holders'),
      ),
    }),
    reply: oneSession,
    status: 201,
    message: 'Session opened',
    errors: ['DOCUMENT_NOT_FOUND', 'PROPOSAL_REQUIRED', 'UNSEAL_SESSIONS_FULL', 'INSUFFICIENT_SHARES'],
  }),
  showSession: operation({
    id: 'quorum.show-session',
    method: 'GET',
    path: `${root}/:sessionId`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Show a session, with the encrypted shares for its requester',
    description: 'For the requester, the creator of the document, and active members of the quorum.',
    input: ofSession,
    reply: oneSession,
    status: 200,
    message: 'Session',
    errors: ['UNSEAL_SESSION_NOT_FOUND'],
  }),
  listUnsealSessions: operation({
    id: 'quorum.list-sessions',
    method: 'GET',
    path: '/api/quorum/unseal-sessions',
    envelope: 'quorum',
    auth: 'member',
    summary: 'List the sessions that wait for your share, and those that you asked for, newest first',
    description: 'Encrypted shares are in no list. Show a session to get them.',
    ...paged({
      name: 'sessions',
      of: session,
      filter: {
        which: v.optional(
          v.pipe(v.picklist(['waiting', 'mine']), v.description('only those that wait for you, or only your own')),
        ),
      },
    }),
    status: 200,
    message: 'Sessions',
  }),
  showMyShare: operation({
    id: 'quorum.show-my-share',
    method: 'GET',
    path: `${ofDocument}/my-share`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Get your own share of a document, encrypted to your key',
    description: 'For active members of the quorum who have a share of the current generation.',
    input: v.object({ documentId: recordId }),
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
    status: 200,
    message: 'Share',
    errors: ['DOCUMENT_NOT_FOUND'],
  }),
  contribute: operation({
    id: 'quorum.contribute',
    method: 'POST',
    path: `${root}/:sessionId/contributions`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Give your share to a session, encrypted to its key',
    description:
      'Once for each session. The signature, by the key of the member, is over canonical JSON (RFC 8785) of `{t: "conclave-quorum-contribution", ' +
      'v: 1, sessionId, documentId, generation, memberId, ephemeralPublicKey, shareHash}`, with SHA-256 of the encrypted share as `shareHash`.',
    input: v.object({ ...ofSession.entries, encryptedShare: ciphertext, signature }),
    reply: oneSession,
    status: 201,
    message: 'Share contributed',
    errors: ['UNSEAL_SESSION_NOT_FOUND', 'UNSEAL_SESSION_ENDED', 'ALREADY_CONTRIBUTED', 'INVALID_SIGNATURE'],
  }),
  endSession: operation({
    id: 'quorum.end-session',
    method: 'DELETE',
    path: `${root}/:sessionId`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'End a session; its encrypted shares are erased',
    description: 'For the requester. The outcome stands in the audit trail.',
    input: v.object({
      ...ofSession.entries,
      outcome: v.pipe(
        v.optional(v.picklist(['completed', 'cancelled']), 'cancelled'),
        v.description('`completed`: the document was opened'),
      ),
    }),
    reply: oneSession,
    status: 200,
    message: 'Session ended',
    errors: ['UNSEAL_SESSION_NOT_FOUND', 'UNSEAL_SESSION_ENDED', 'INSUFFICIENT_SHARES', 'RESHARE_IN_PROGRESS'],
  }),
  showContent: rawOperation({
    id: 'quorum.show-content',
    method: 'GET',
    path: `${ofDocument}/content`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Get the sealed content of a document, as it is stored',
    description: 'For whoever has an open session for the document. Without its shares the content opens for nobody.',
    input: v.object({ documentId: recordId }),
    status: 200,
    errors: ['DOCUMENT_NOT_FOUND', 'UNSEAL_SESSION_ENDED'],
    accepts: [],
    produces: ['application/octet-stream'],
    ranges: true,
  }),
};
