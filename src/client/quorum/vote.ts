import { toHex } from '../../crypto/bytes.ts';
import type { KeyPair } from '../../crypto/key-pair.ts';
import { memberIdOf } from '../../crypto/public-key.ts';
import { hashOfAction, voteStatement } from '../../crypto/formats/quorum/statements.ts';
import { sign } from '../../crypto/signature.ts';
import type { Proposal } from '../../contract/quorum/proposals.ts';
import { Problem } from '../../base/problem.ts';

export interface Ballot {
  readonly decision: 'approve' | 'reject' | 'abstain';
  readonly comment?: string | undefined;
}

/** Whether what is voted on is what the server shows. @throws Problem internal BAD_REPLY */
export function assertShown({ actionType, actionPayload, actionHash }: Proposal): void {
  if (hashOfAction(actionType, actionPayload) !== actionHash)
    throw new Problem('internal', 'BAD_REPLY', 'The action of the proposal is not the one that votes are signed over.');
}

/**
 * The signature of a vote, by the key of a member of the quorum: 64 bytes, hex.
 * @throws Problem internal BAD_REPLY if the server shows another action than the one that is signed
 */
export function signedVote(nodeId: string, proposal: Proposal, { decision, comment }: Ballot, keys: KeyPair): string {
  assertShown(proposal);
  const { id: proposalId, actionHash, epochNumber } = proposal;
  const voterMemberId = memberIdOf(keys.publicKey);
  const vote = { nodeId, proposalId, actionHash, epochNumber, voterMemberId, decision, comment: comment ?? null };
  return toHex(sign(keys.privateKey, voteStatement(vote)));
}
