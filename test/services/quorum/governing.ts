import { toHex } from '../../../src/crypto/bytes.ts';
import type { KeyPair } from '../../../src/crypto/key-pair.ts';
import { hashOfAction, voteStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sign } from '../../../src/crypto/signature.ts';
import type { ApiAnswer } from '../../support/house.ts';
import type { Person, QuorumScene } from './scene.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

export const DAY = 86_400_000;

type Decision = 'approve' | 'reject' | 'abstain';

/** Asks for a proposal that is open for a week. */
export async function proposing(
  { house, call }: Pick<QuorumScene, 'house' | 'call'>,
  { token }: Pick<Person, 'token'>,
  actionType: string,
  actionPayload: object,
  more: object = {},
): Promise<ApiAnswer> {
  const expiresAt = new Date(house.clock.now() + 7 * DAY).toISOString();
  const body = { description: `Please ${actionType}`, actionType, actionPayload, expiresAt, ...more };
  return await call('POST', '/proposals', body, token);
}

export async function proposed(scene: QuorumScene, by: Person, actionType: string, payload: object): Promise<Json> {
  const { status, body } = await proposing(scene, by, actionType, payload);
  if (status !== 201) throw new Error(`${actionType}: ${status} ${JSON.stringify(body)}`);
  return body.proposal;
}

/** Votes by the key of the session. */
export async function voting(
  { call }: Pick<QuorumScene, 'call'>,
  { token }: Pick<Person, 'token'>,
  proposalId: string,
  decision: Decision = 'approve',
  more: object = {},
): Promise<ApiAnswer> {
  return await call('POST', `/proposals/${proposalId}/votes`, { decision, ...more }, token);
}

/** Proposes by the first, and the first ones approve until it is decided. @returns the proposal as it is then */
export async function decided(
  scene: QuorumScene,
  actionType: string,
  payload: object,
  voters: readonly Person[] = scene.people,
): Promise<Json> {
  const [first] = voters;
  let proposal = await proposed(scene, first!, actionType, payload);
  for (const person of voters) {
    if (proposal.status !== 'pending') break;
    const { status, body } = await voting(scene, person, proposal.id);
    if (status !== 200) throw new Error(`vote: ${status} ${JSON.stringify(body)}`);
    ({ proposal } = body);
  }
  return proposal;
}

/** A signature of a vote, made where the key is. */
export function signedVote(
  { house }: Pick<QuorumScene, 'house'>,
  proposal: Json,
  { id, keys }: { readonly id: string; readonly keys: Pick<KeyPair, 'privateKey'> },
  decision: Decision,
  comment: string | null = null,
): string {
  const statement = voteStatement({
    nodeId: house.ctx.keys.nodeId,
    proposalId: proposal.id,
    actionHash: hashOfAction(proposal.actionType, proposal.actionPayload),
    epochNumber: proposal.epochNumber,
    voterMemberId: id,
    decision,
    comment,
  });
  return toHex(sign(keys.privateKey, statement));
}

/** What a refusal said: status, code and message. */
export function refusal({ status, body }: ApiAnswer): [string, string] {
  return [`${status} ${body.error?.code ?? 'success'}`, body.error?.message ?? ''];
}
