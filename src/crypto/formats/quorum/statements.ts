import { canonicalJsonBytes } from '../../canonical-json.ts';
import { sha256Hex } from '../../hash.ts';

/**
 * What members of a quorum sign: the canonical JSON (RFC 8785) of an object whose `t` names the purpose, so that a signature for one purpose
 * is worth nothing for another. Ids are lower-case hex.
 */

export interface VoteStatement {
  /** the node, so that a vote counts there alone */
  readonly nodeId: string;
  readonly proposalId: string;
  /** `actionHash` of the proposal */
  readonly actionHash: string;
  readonly epochNumber: number;
  readonly voterMemberId: string;
  readonly decision: 'approve' | 'reject' | 'abstain';
  readonly comment: string | null;
}

export function voteStatement(vote: VoteStatement): Uint8Array {
  const { nodeId, proposalId, actionHash, epochNumber, voterMemberId, decision, comment } = vote;
  const fields = { nodeId, proposalId, actionHash, epochNumber, voterMemberId, decision, comment };
  return canonicalJsonBytes({ t: 'conclave-quorum-vote', v: 1, ...fields });
}

/** SHA-256 over the canonical JSON of an action: what is voted on. Hex. */
export function hashOfAction(actionType: string, actionPayload: unknown): string {
  return sha256Hex(canonicalJsonBytes({ t: 'conclave-quorum-action', v: 1, actionType, actionPayload }));
}

export interface ContributionStatement {
  readonly sessionId: string;
  readonly documentId: string;
  readonly generation: number;
  readonly memberId: string;
  /** compressed, hex: the share can be opened with this key alone */
  readonly ephemeralPublicKey: string;
  /** SHA-256 of the encrypted share, hex */
  readonly shareHash: string;
}

export function contributionStatement(contribution: ContributionStatement): Uint8Array {
  const { sessionId, documentId, generation, memberId, ephemeralPublicKey, shareHash } = contribution;
  const fields = { sessionId, documentId, generation, memberId, ephemeralPublicKey, shareHash };
  return canonicalJsonBytes({ t: 'conclave-quorum-contribution', v: 1, ...fields });
}

export interface ConfirmationStatement {
  readonly reshareId: string;
  readonly documentId: string;
  readonly generation: number;
  readonly memberId: string;
  /** of the new share, hex */
  readonly commitment: string;
}

/** A member says that their new share is readable. */
export function confirmationStatement(confirmation: ConfirmationStatement): Uint8Array {
  const { reshareId, documentId, generation, memberId, commitment } = confirmation;
  const fields = { reshareId, documentId, generation, memberId, commitment };
  return canonicalJsonBytes({ t: 'conclave-quorum-confirmation', v: 1, ...fields });
}

/** A member of the quorum says which account is theirs. */
export function linkStatement(link: { nodeId: string; memberId: string; accountId: string }): Uint8Array {
  const { nodeId, memberId, accountId } = link;
  return canonicalJsonBytes({ t: 'conclave-quorum-link', v: 1, nodeId, memberId, accountId });
}
