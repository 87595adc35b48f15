import * as v from 'valibot';
import { event, eventTopic } from '../event.ts';
import { memberId, recordId, timestamp } from '../text.ts';

/** What all members of the quorum hear. */
export const quorumTopic = eventTopic({
  kind: 'quorum',
  parts: { nodeId: 'id of the node, which the status of the quorum has' },
  summary: 'The quorum of the node',
  description:
    'Active members of the quorum with a linked account can subscribe. The subscription ends with the membership, and what happened before is not told to former members.',
});

/** What concerns one account alone: requests to it as a holder, and what became of its own requests. */
export const quorumMemberTopic = eventTopic({
  kind: 'quorum-member',
  parts: { memberId: 'id of the account' },
  summary: 'What the quorum wants of an account, and what became of its requests',
  description: 'Only the account can subscribe. When it leaves the quorum, everything that was told before is erased.',
});

const ofReshare = { reshareId: recordId, documentId: recordId };
const purpose = v.picklist(['unseal', 'reshare', 'rekey']);

export const quorumEvents = {
  proposal: event({
    name: 'quorum:proposal',
    topic: quorumTopic,
    replayable: true,
    summary: 'A proposal was made, or its status changed',
    description: 'With the status that it has now. Show the proposal for its text, payload and votes.',
    data: v.object({
      proposalId: recordId,
      actionType: v.string(),
      status: v.picklist(['pending', 'approved', 'executed', 'failed', 'rejected', 'expired', 'cancelled']),
      proposerMemberId: memberId,
      epochNumber: v.number(),
      requiredThreshold: v.number(),
      expiresAt: timestamp,
      executesAt: v.optional(timestamp),
    }),
  }),
  vote: event({
    name: 'quorum:vote',
    topic: quorumTopic,
    replayable: true,
    summary: 'A member voted on a proposal, or changed their vote',
    description: 'It comes before the `quorum:proposal` of a vote that decides.',
    data: v.object({
      proposalId: recordId,
      voterMemberId: memberId,
      decision: v.picklist(['approve', 'reject', 'abstain']),
    }),
  }),
  epoch: event({
    name: 'quorum:epoch',
    topic: quorumTopic,
    replayable: true,
    summary: 'A new epoch began',
    description: 'The members, the threshold, the inner quorum or the mode changed.',
    data: v.object({
      epochNumber: v.number(),
      mode: v.picklist(['bootstrap', 'quorum', 'transition_in_progress']),
      threshold: v.number(),
      memberCount: v.number(),
    }),
  }),
  unsealRequested: event({
    name: 'quorum:unseal-requested',
    topic: quorumMemberTopic,
    replayable: true,
    summary: 'Somebody asks for your share of a document',
    description: 'To the active holders of the document. Contribute to the session, or leave it: it expires.',
    data: v.object({
      sessionId: recordId,
      documentId: recordId,
      purpose,
      reason: v.string(),
      requesterId: v.pipe(memberId, v.description('the account that asks')),
      expiresAt: timestamp,
    }),
  }),
  contribution: event({
    name: 'quorum:contribution',
    topic: quorumMemberTopic,
    replayable: true,
    summary: 'A holder contributed to a session of yours',
    description: 'To whoever opened the session. Show the session for the encrypted share.',
    data: v.object({
      sessionId: recordId,
      documentId: recordId,
      memberId,
      contributed: v.pipe(v.number(), v.description('contributions so far')),
      sharesRequired: v.number(),
    }),
  }),
  sessionEnded: event({
    name: 'quorum:session-ended',
    topic: quorumMemberTopic,
    replayable: true,
    summary: 'A session takes no contributions any more',
    description: 'To whoever opened it and to the active holders of the document. Its encrypted shares are erased.',
    data: v.object({
      sessionId: recordId,
      documentId: recordId,
      purpose,
      status: v.picklist(['completed', 'cancelled', 'expired']),
    }),
  }),
  confirmationWanted: event({
    name: 'quorum:confirmation-wanted',
    topic: quorumMemberTopic,
    replayable: true,
    summary: 'A document has a new share for you, which you should confirm',
    description: 'To the new holders. The old shares go when enough of you have found that the new ones are readable.',
    data: v.object({ ...ofReshare, requesterId: memberId, sharesRequired: v.number(), expiresAt: timestamp }),
  }),
  confirmation: event({
    name: 'quorum:confirmation',
    topic: quorumMemberTopic,
    replayable: true,
    summary: 'A new holder confirmed their share',
    description: 'To whoever began the re-sharing.',
    data: v.object({
      ...ofReshare,
      memberId,
      confirmed: v.pipe(v.number(), v.description('confirmations so far')),
      sharesRequired: v.number(),
    }),
  }),
  reshared: event({
    name: 'quorum:reshared',
    topic: quorumMemberTopic,
    replayable: true,
    summary: 'A document has new shares, and the old ones are gone',
    description: 'To whoever began it, the creator of the document and the new holders.',
    data: v.object({ ...ofReshare, generation: v.number() }),
  }),
  reshareEnded: event({
    name: 'quorum:reshare-ended',
    topic: quorumMemberTopic,
    replayable: true,
    summary: 'A re-sharing ended without new shares',
    description:
      'To whoever began it, and to the new holders if they were asked to confirm. The old shares stay, unless the document was deleted.',
    data: v.object({ ...ofReshare, status: v.picklist(['cancelled', 'expired']) }),
  }),
};
