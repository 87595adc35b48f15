import * as v from 'valibot';
import type { Context } from '../../../context.ts';
import type { Peer, PeerTarget } from '../../../gossip/port.ts';
import { Problem } from '../../../problem.ts';
import { wireList, type WireList } from './acl-chain.ts';
import { digits, refusedList } from './acl-document.ts';
import { isWriter } from '../joining/admission-policy.ts';
import { protocols } from '../announcing.ts';
import { listRow, listsFrom, poolHead } from './lists.ts';

/** Characters of documents in one answer; the network allows several times as much. */
const MAX_ANSWER = 2_000_000;

const version = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 40));
const question = v.strictObject({ poolId: digits(32), from: version });

const answer = v.object({
  poolId: digits(32),
  version,
  hash: digits(32),
  lists: v.pipe(v.array(wireList), v.maxLength(10_000)),
});
export type ListsAnswer = v.InferOutput<typeof answer>;

/** Tells a node of the pool which list counts here, with the lists from a version on. */
export async function answerLists(ctx: Context, asked: unknown, peer: Peer): Promise<ListsAnswer> {
  const parsed = v.safeParse(question, asked);
  const head = await poolHead(ctx.db);
  if (!parsed.success || head === undefined) throw refused();
  const last = await lastVersionFor(ctx, head.pool_id, head.version, peer.nodeId);
  // Somebody who never was of this pool is told nothing, not even which one it is.
  if (last === undefined) throw refused();
  const row = await listRow(ctx.db, head.pool_id, last);
  if (row === undefined) throw new Problem('internal', 'STORE_DAMAGED', 'An access list is missing in the store.');
  const from = parsed.output.poolId === head.pool_id ? parsed.output.from : 1;
  const rows = await listsFrom(ctx.db, head.pool_id, from, MAX_ANSWER);
  return {
    poolId: head.pool_id,
    version: last,
    hash: row.hash,
    lists: rows
      .filter((one) => one.version <= last)
      .map((one) => ({ document: one.document, signatures: JSON.parse(one.signatures) as WireList['signatures'] })),
  };
}

/** The newest list that a node may see: who was removed sees that, and nothing later. */
async function lastVersionFor(
  ctx: Context,
  poolId: string,
  newest: number,
  nodeId: string,
): Promise<number | undefined> {
  if (await isWriter(ctx, nodeId)) return newest;
  const row = await ctx.db
    .selectFrom('pool_writers')
    .select('removed_version')
    .where('pool_id', '=', poolId)
    .where('node_id', '=', nodeId)
    .executeTakeFirst();
  return row === undefined ? undefined : (row.removed_version ?? newest);
}

/** @throws Problem invalid ACCESS_LIST_REFUSED when the answer is nonsense, and what the network throws */
export async function askLists(ctx: Context, target: PeerTarget, poolId: string, from: number): Promise<ListsAnswer> {
  const said = await ctx.gossip.request(target, protocols.lists, { poolId, from });
  const parsed = v.safeParse(answer, said, { abortEarly: true });
  if (!parsed.success) throw refusedList('the answer is not of the right form');
  return parsed.output;
}

/** A node's lists from a version to its newest, by as many requests as that takes. */
export async function* allLists(
  ctx: Context,
  target: PeerTarget,
  poolId: string,
  from: number,
): AsyncGenerator<readonly WireList[], ListsAnswer> {
  for (let next = from; ;) {
    const said = await askLists(ctx, target, poolId, next);
    if (said.poolId !== poolId) throw refusedList('it is of another pool');
    yield said.lists;
    next += said.lists.length;
    if (said.lists.length === 0 || next > said.version) return said;
  }
}

function refused(): Problem {
  return new Problem('forbidden', 'NOT_ADMITTED', 'This node is not of our pool.');
}
