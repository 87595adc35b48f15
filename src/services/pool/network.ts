import * as v from 'valibot';
import type { Context } from '../../service/context.ts';
import type { AdmissionPolicy, Announcement, Peer } from '../../service/ports/network.ts';
import { transaction } from '../../service/context.ts';
import { Problem } from '../../base/problem.ts';
import { appendEntry } from '../../platform/ledger/append.ts';
import { digits } from '../../crypto/formats/access-list/document.ts';
import { admissionPolicy, noteContact } from './joining/admission-policy.ts';
import { announced, askToLook, protocols } from './announcing.ts';
import { readDenial } from './joining/denial.ts';
import { joinResponder } from './joining/join-protocol.ts';
import { MAX_REQUEST_BYTES, strippedText } from './joining/join-request.ts';
import { attemptJoin } from './joining/join-attempt.ts';
import { activeJoin } from './joining/join-rows.ts';
import { rulesInForce } from './acl/open-decisions.ts';
import { currentList, poolHead } from './acl/store.ts';
import { compareWithEnded } from './acl/ended-nodes.ts';
import { listsInRounds } from './acl/rounds.ts';
import { answerSigners } from './acl/signer-exchange.ts';
import { answerLists, logRefusal, MAX_LISTS_QUESTION, syncWith } from './acl/sync.ts';
import { requestOf, takeRelayedRequest } from './joining/queue.ts';
import { receiveList } from './acl/receive.ts';
import { answerProposals, comparedProposals, hearProposal } from './acl/proposal-exchange.ts';

const announcedList = v.object({
  poolId: digits(32),
  version: v.number(),
  hash: digits(32),
  list: v.optional(v.unknown()),
});

/** Enough for a request, which the question escapes as JSON once more. */
const MAX_QUESTION_BYTES = 3 * MAX_REQUEST_BYTES;

/** Of one node on each topic. A large pool may change at once, but not all the time. */
const RATE = { burst: 10_000, perSecond: 2 };

/**
 * Connects the pool to the network: it answers requests of nodes, receives their announcements, and compares access lists with each node
 * that connects.
 * @returns the policy that decides which nodes are admitted
 */
export function joinNetwork(ctx: Context): AdmissionPolicy {
  const { gossip } = ctx;
  const look = async (poolId: string, peer: Peer) => await lookAgain(ctx, poolId, peer);
  gossip.respond(protocols.join, { strangers: true, maxBytes: MAX_QUESTION_BYTES, answer: joinResponder(ctx, look) });
  // A removed node may learn of its removal, and a new node may have connected before its admission. So every node may ask, and the
  // answer depends on its access.
  gossip.respond(protocols.lists, {
    strangers: true,
    maxBytes: MAX_LISTS_QUESTION,
    answer: async (asked, peer) => await answerLists(ctx, asked, peer),
  });
  const topic = { rate: RATE };
  gossip.subscribe(announced.request, async (said) => await hear(ctx, said, hearRequest), topic);
  gossip.subscribe(announced.approved, async (said) => await hear(ctx, said, hearList), topic);
  gossip.subscribe(announced.changed, async (said) => await hear(ctx, said, hearList), topic);
  gossip.subscribe(announced.denied, async (said) => await hear(ctx, said, hearDenial), topic);
  gossip.subscribe(announced.proposed, async (said) => await hear(ctx, said, hearProposal), topic);
  gossip.respond(protocols.proposals, answerProposals(ctx));
  gossip.respond(protocols.signers, answerSigners(ctx));
  gossip.share('pool-proposals', comparedProposals(ctx));
  gossip.onConnect(async (peer) => await meet(ctx, peer));
  gossip.share('pool', listsInRounds(ctx));
  gossip.everyRound(compareWithEnded(ctx));
  return admissionPolicy(ctx);
}

type Hearing = (ctx: Context, announcement: Announcement) => Promise<void>;

/**
 * An announcement of another node is not trusted. If it is not valid, it is logged and changes nothing. If this node can't handle it now,
 * it comes again; a peer that can't be asked is asked in the next round.
 */
async function hear(ctx: Context, announcement: Announcement, hearing: Hearing): Promise<void> {
  try {
    await hearing(ctx, announcement);
  } catch (error) {
    if (isOfThisNode(error)) throw error;
    logRefusal(ctx, `announcement refused: ${announcement.type}`, announcement.nodeId, error);
  }
}

function isOfThisNode(error: unknown): boolean {
  if (!(error instanceof Problem)) return true;
  return error.kind === 'internal' || (error.kind === 'unavailable' && !error.code.startsWith('PEER_'));
}

async function hearRequest(ctx: Context, { payload, nodeId }: Announcement): Promise<void> {
  const list = await currentList(ctx.db);
  if (list === undefined) return;
  if (list.document.writers.some((writer) => writer.nodeId === requestedBy(payload))) return;
  await takeRelayedRequest(ctx, list, payload, nodeId);
}

function requestedBy(payload: unknown): string | undefined {
  const parsed = v.safeParse(v.object({ request: v.string() }), payload);
  return parsed.success ? /"nodeId":"([0-9a-f]{40})"/.exec(parsed.output.request)?.[1] : undefined;
}

async function hearList(ctx: Context, { payload, nodeId }: Announcement): Promise<void> {
  const parsed = v.safeParse(announcedList, payload);
  if (!parsed.success) return;
  const { list, hash } = parsed.output;
  if (list !== undefined) {
    const received = await receiveList(ctx, list, nodeId);
    if (received !== 'ahead') return;
  } else if ((await currentList(ctx.db))?.hash === hash) return;
  await syncWith(ctx, { nodeId }, nodeId);
}

async function hearDenial(ctx: Context, { payload, nodeId: source }: Announcement): Promise<void> {
  const list = await currentList(ctx.db);
  // An administrator whom another branch removed denies nothing, even if nobody could sign the removal yet.
  const rules = list === undefined ? undefined : await rulesInForce(ctx.db, list.document);
  const denial = rules === undefined ? undefined : readDenial(payload, rules.admins);
  if (list === undefined || denial?.denial.poolId !== list.document.poolId) {
    ctx.log.warn('denial refused: no administrator of the pool signed it', { nodeId: source });
    return;
  }
  const { nodeId, deniedBy, requestedAt, reason } = denial.denial;
  await transaction(ctx, async (tx) => {
    const request = await requestOf(tx, nodeId);
    // A denial concerns one request. The node may have asked again since.
    if (request === undefined || request.requested_at > Date.parse(requestedAt)) return;
    // A list that bans the node may have come first: it closes the request without a denial.
    if (request.status !== 'pending' && !(request.status === 'denied' && request.denial === null)) return;
    await tx.db
      .updateTable('pool_requests')
      .set({ status: 'denied', decided_at: tx.clock.now(), decided_by: deniedBy, denial: JSON.stringify(denial) })
      .where('node_id', '=', nodeId)
      .execute();
    await appendEntry(tx, { type: 'POOL_DENIAL', data: { poolId: denial.denial.poolId }, tags: { node: nodeId } });
    tx.afterCommit(() => {
      tx.log.info('join request denied on another node', { nodeId, deniedBy, reason: strippedText(reason) });
      // The node asked here, so it also asks here for the result.
      const addresses = JSON.parse(request.addresses) as string[];
      if (request.source === nodeId)
        askToLook(tx, request.pool_id, { nodeId, publicKey: request.public_key, addresses });
    });
  });
}

/** When a node of the pool connects, both sides catch up on what they missed. */
async function meet(ctx: Context, peer: Peer): Promise<void> {
  try {
    await noteContact(ctx, peer.nodeId, { addresses: peer.addresses, seenAt: ctx.clock.now() });
    const head = await poolHead(ctx.db);
    if (head === undefined) return;
    const stands = await syncWith(ctx, { nodeId: peer.nodeId }, peer.nodeId);
    // The peer is a newcomer that hasn't heard of its admission, or was away so long that it doesn't know this node.
    if (stands === 'behind' || stands === 'elsewhere') askToLook(ctx, head.pool_id, { ...peer, addresses: [] });
  } catch (error) {
    const head = await poolHead(ctx.db);
    logRefusal(ctx, 'comparing access lists failed', peer.nodeId, error);
    // The peer refused to answer. A newcomer that still has a pool of its own does so.
    if (head !== undefined) askToLook(ctx, head.pool_id, { ...peer, addresses: [] });
  }
}

/** Handles the message that there is news. Only nodes that can have news are heard, and only what they can prove counts. */
async function lookAgain(ctx: Context, poolId: string, peer: Peer): Promise<void> {
  const active = await activeJoin(ctx.db);
  if (active?.pool_id === poolId) {
    await attemptJoin(ctx, active.id);
    return;
  }
  const list = await currentList(ctx.db);
  if (list?.document.poolId !== poolId) return;
  if (!list.document.writers.some((writer) => writer.nodeId === peer.nodeId)) return;
  try {
    await syncWith(ctx, { nodeId: peer.nodeId }, peer.nodeId);
  } catch (error) {
    logRefusal(ctx, 'comparing access lists failed', peer.nodeId, error);
  }
}
