import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import { toHex } from '../../../crypto/bytes.ts';
import type { Peer } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import { digits, isoTimestamp, modes } from '../../../crypto/formats/access-list/document.ts';
import { isWriter } from './admission-policy.ts';
import { afterwards, announceRequest } from '../announcing.ts';
import { admit } from './decisions.ts';
import { signedDenial, type SignedDenial } from './denial.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { ensureList } from '../acl/commit.ts';
import { rulesInForce } from '../acl/open-decisions.ts';
import { signedRequest } from './join-request.ts';
import { KEPT_MS, requestOf, takeRequest, withdrawRequest } from './queue.ts';
import { nodeAsAdmin, theNode } from '../acl/signer.ts';
import { tokenProof, type TokenDocument } from './token.ts';
import { shownToken } from './token-use.ts';

/** Questions of nodes that are not in the pool. */
const question = v.variant('ask', [
  v.strictObject({ ask: v.literal('pool') }),
  v.strictObject({ ask: v.literal('admission'), ...signedRequest.entries, token: v.exactOptional(tokenProof) }),
  v.strictObject({ ask: v.literal('outcome'), poolId: digits(32), requestedAt: isoTimestamp }),
  v.strictObject({ ask: v.literal('withdraw'), poolId: digits(32) }),
  v.strictObject({ ask: v.literal('look'), poolId: digits(32) }),
]);
export type JoinQuestion = v.InferOutput<typeof question>;

/** The pool that a node is in. The second contact proves that the answer comes from this node. */
export const poolAnswer = v.object({ poolId: digits(32), publicKey: digits(33), mode: v.picklist(modes) });

export const outcomeAnswer = v.object({
  status: v.picklist(['pending', 'approved', 'denied', 'unknown']),
  denial: v.optional(signedDenial),
});
export type Outcome = v.InferOutput<typeof outcomeAnswer>;

/** @param look called when a peer says that something has changed */
export function joinResponder(ctx: Context, look: (poolId: string, peer: Peer) => Promise<void>) {
  return async (asked: unknown, peer: Peer): Promise<unknown> => {
    const parsed = v.safeParse(question, asked, { abortEarly: true });
    if (!parsed.success) throw new Problem('invalid', 'JOIN_QUESTION_UNKNOWN', 'The request is not valid.');
    const said = parsed.output;
    switch (said.ask) {
      case 'pool': {
        const { document } = await listInForce(ctx);
        const { poolId, mode } = document;
        return { poolId, mode, publicKey: toHex(ctx.keys.identity.publicKey) };
      }
      case 'admission':
        return await answerAdmission(ctx, said, peer);
      case 'outcome':
        return await outcomeFor(ctx, said.poolId, said.requestedAt, peer.nodeId);
      case 'withdraw':
        await withdrawRequest(ctx, said.poolId, peer.nodeId);
        return { status: 'withdrawn' };
      case 'look':
        await look(said.poolId, peer);
        return {};
      default:
        return said satisfies never;
    }
  };
}

/** The active list with what other branches of it decided and nobody could sign yet. */
async function listInForce(ctx: Context): Promise<SignedList> {
  const list = await ensureList(ctx);
  return { ...list, document: await rulesInForce(ctx.db, list.document) };
}

type Asked = Extract<JoinQuestion, { readonly ask: 'admission' }>;

async function answerAdmission(
  ctx: Context,
  { request: text, signature, token: shown }: Asked,
  peer: Peer,
): Promise<Outcome> {
  const list = await listInForce(ctx);
  try {
    // The node is in the pool already, but hasn't heard of it.
    if (await isWriter(ctx, peer.nodeId)) return { status: 'approved' };
    // A token that doesn't count leaves no request behind.
    const token = shown === undefined ? undefined : await shownToken(ctx, list.document, shown, peer.nodeId);
    const request = await takeRequest(ctx, list, { request: text, signature }, peer.nodeId);
    if (await admittedByItself(ctx, list.document, peer.nodeId, token)) return { status: 'approved' };
    await afterwards(ctx, async () => await announceRequest(ctx, request));
    return { status: 'pending' };
  } catch (error) {
    if (error instanceof Problem)
      ctx.log.warn('join request refused', { nodeId: peer.nodeId, code: error.code, reason: error.message });
    throw error;
  }
}

/** If the mode of the pool needs no decision, or a token is shown, this node signs the admission itself, if it may. */
async function admittedByItself(
  ctx: Context,
  { poolId, mode, admins }: Awaited<ReturnType<typeof ensureList>>['document'],
  nodeId: string,
  token: TokenDocument | undefined,
): Promise<boolean> {
  const self = nodeAsAdmin(ctx).memberId;
  if ((mode !== 'open' && token === undefined) || !admins.some(({ memberId }) => memberId === self)) return false;
  try {
    await admit(ctx, theNode, { nodeId, token });
    return true;
  } catch (error) {
    // The mail domain is taken or the access list is full, so a person must decide.
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'JOIN_TOKEN_REFUSED') {
      // Another node was faster.
      await withdrawRequest(ctx, poolId, nodeId);
      throw error;
    }
    ctx.log.warn('automatic admission of a node failed', { nodeId, code: error.code });
    return false;
  }
}

async function outcomeFor(ctx: Context, poolId: string, requestedAt: string, nodeId: string): Promise<Outcome> {
  if ((await ensureList(ctx)).document.poolId !== poolId) return { status: 'unknown' };
  if (await isWriter(ctx, nodeId)) return { status: 'approved' };
  const row = await requestOf(ctx, nodeId);
  if (row === undefined || row.pool_id !== poolId || row.requested_at < Date.parse(requestedAt))
    return { status: 'unknown' };
  if (row.status === 'denied' && row.denial !== null)
    return { status: 'denied', denial: JSON.parse(row.denial) as SignedDenial };
  const waits = row.status === 'pending' && row.received_at > ctx.clock.now() - KEPT_MS;
  return { status: waits ? 'pending' : 'unknown' };
}
