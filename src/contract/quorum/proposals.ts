import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { hex, line, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { actionPayload, actionTypes } from './actions.ts';
import { quorumLimits } from './limits.ts';

const root = '/api/quorum/proposals';
const one = `${root}/:proposalId`;

const status = v.picklist(['pending', 'approved', 'executed', 'failed', 'rejected', 'expired', 'cancelled']);
const decision = v.picklist(['approve', 'reject', 'abstain']);

const proposal = v.object({
  id: recordId,
  description: v.string(),
  actionType: v.string(),
  actionPayload: v.record(v.string(), v.unknown()),
  actionHash: v.pipe(v.string(), v.description('SHA-256 over type and payload, hex; votes are signed over it')),
  proposerMemberId: v.pipe(memberId, v.description('member of the quorum')),
  status,
  reason: v.optional(v.pipe(v.string(), v.description('why it failed or was rejected, for people'))),
  requiredThreshold: v.pipe(v.number(), v.description('so many members must approve, or more if it was raised since')),
  epochNumber: v.pipe(v.number(), v.description('the members of this epoch vote, as long as they are members')),
  attachmentCblId: v.optional(v.string()),
  createdAt: timestamp,
  expiresAt: timestamp,
  decidedAt: v.optional(timestamp),
  executesAt: v.optional(
    v.pipe(timestamp, v.description('when an approved action is carried out; until then the proposer can cancel it')),
  ),
  executedAt: v.optional(timestamp),
});
export type Proposal = v.InferOutput<typeof proposal>;

const vote = v.object({
  proposalId: recordId,
  voterMemberId: memberId,
  decision,
  comment: v.nullable(v.string()),
  signature: v.string(),
  signedBy: v.pipe(
    v.picklist(['member', 'account']),
    v.description('whose key: of the member, or of the linked account'),
  ),
  counts: v.pipe(
    v.boolean(),
    v.description('whether the signature is right, and the voter is still one of those who decide'),
  ),
  createdAt: timestamp,
});
export type Vote = v.InferOutput<typeof vote>;

const tally = v.object({
  approve: v.number(),
  reject: v.number(),
  abstain: v.number(),
  required: v.pipe(v.number(), v.description('approvals that decide')),
  electorate: v.pipe(v.array(memberId), v.description('who can vote now')),
});
export type Tally = v.InferOutput<typeof tally>;

const byId = v.object({ proposalId: recordId });

export const quorumProposals = {
  createProposal: operation({
    id: 'quorum.create-proposal',
    method: 'POST',
    path: root,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Propose something to the quorum',
    description:
      'For active members of the quorum. The payload has the fields of its type, and is checked now and again when it is carried out. ' +
      'The members of the current epoch decide; if there is an inner quorum, its members alone decide on anything but the membership.',
    input: v.object({
      description: v.pipe(paragraph(quorumLimits.description), v.minLength(1, 'must not be empty')),
      actionType: v.picklist(actionTypes, `must be one of ${actionTypes.join(', ')}`),
      actionPayload,
      expiresAt: v.pipe(timestamp, v.description(`in the future, at most ${quorumLimits.proposalDays} days from now`)),
      attachmentCblId: v.optional(line(quorumLimits.attachmentId)),
    }),
    reply: v.object({ proposal }),
    status: 201,
    message: 'Proposal created',
    errors: [
      'MEMBER_NOT_FOUND',
      'INVALID_MEMBER_COUNT',
      'INVALID_THRESHOLD',
      'QUORUM_MEMBER_EXISTS',
      'QUORUM_MEMBER_BANNED',
      'QUORUM_MEMBER_NOT_BANNED',
      'QUORUM_MODE_LEFT',
    ],
  }),
  listProposals: operation({
    id: 'quorum.list-proposals',
    method: 'GET',
    path: root,
    envelope: 'quorum',
    auth: 'member',
    summary: 'List the proposals, newest first',
    description: 'For active members of the quorum and administrators. With `status`, those of one status alone.',
    ...paged({ name: 'proposals', of: proposal, filter: { status: v.optional(status) } }),
    status: 200,
    message: 'Proposals',
  }),
  showProposal: operation({
    id: 'quorum.show-proposal',
    method: 'GET',
    path: one,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Show a proposal and its votes',
    description:
      'For active members of the quorum and administrators. The signature of every vote is verified; `tally` has those that count.',
    input: byId,
    reply: v.object({ proposal, votes: v.array(vote), tally }),
    status: 200,
    message: 'Proposal',
    errors: ['PROPOSAL_NOT_FOUND'],
  }),
  castVote: operation({
    id: 'quorum.cast-vote',
    method: 'POST',
    path: `${one}/votes`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Vote on a proposal, or change your vote',
    description:
      'A member has one vote and can change it while the proposal is pending. The vote that decides carries the action out at once. The ' +
      'signature is over canonical JSON (RFC 8785) of `{t: "conclave-quorum-vote", v: 1, nodeId, proposalId, actionHash, epochNumber, ' +
      'voterMemberId, decision, comment}`, where a missing comment is null. Without `signature` the key of your session signs.',
    input: v.object({
      proposalId: recordId,
      decision,
      comment: v.optional(paragraph(quorumLimits.comment)),
      signature: v.optional(
        v.pipe(
          hex(64),
          v.description(
            'of the key of the member, or of the linked account: r and s of ECDSA on secp256k1 over SHA-256',
          ),
        ),
      ),
    }),
    reply: v.object({ proposal, vote }),
    status: 200,
    message: 'Vote cast',
    errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_DECIDED', 'INVALID_SIGNATURE', 'KEY_LOCKED'],
  }),
  cancelProposal: operation({
    id: 'quorum.cancel-proposal',
    method: 'POST',
    path: `${one}/cancel`,
    envelope: 'quorum',
    auth: 'member',
    summary: 'Cancel a proposal of your own',
    description: 'For the proposer, while it is pending, or approved and not carried out.',
    input: byId,
    reply: v.object({ proposal }),
    status: 200,
    message: 'Proposal cancelled',
    errors: ['PROPOSAL_NOT_FOUND', 'PROPOSAL_DECIDED'],
  }),
};
