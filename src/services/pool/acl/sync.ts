import * as v from 'valibot';
import type { Context } from '../../../context.ts';
import type { Peer, PeerTarget } from '../../../gossip/port.ts';
import { Problem } from '../../../problem.ts';
import { protocols } from '../announcing.ts';
import { isWriter } from '../joining/admission-policy.ts';
import { wireList, type SignedList, type WireList } from './chain.ts';
import { aclHash, digits, refusedList } from './document.ts';
import { receiveBranch } from './receive.ts';
import { currentList, listAt, listRow, listsFrom, poolHead } from './store.ts';

/** Characters of documents in one answer; the network allows several times as much. */
const MAX_ANSWER = 2_000_000;

const versionNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 40));
const question = v.strictObject({ poolId: digits(32), from: versionNumber });

const answer = v.object({
  poolId: digits(32),
  version: versionNumber,
  hash: digits(32),
  lists: v.pipe(v.array(wireList), v.maxLength(10_000)),
});
export type ListsAnswer = v.InferOutput<typeof answer>;

/** Tells a node of the pool the active access list, and sends the lists from a version on. */
export async function answerLists(ctx: Context, asked: unknown, peer: Peer): Promise<ListsAnswer> {
  const parsed = v.safeParse(question, asked);
  const head = await poolHead(ctx.db);
  if (!parsed.success || head === undefined) throw refused();
  const last = await lastVersionFor(ctx, head.pool_id, head.version, peer.nodeId);
  // A node that never was in this pool learns nothing, not even the pool id.
  if (last === undefined) throw refused();
  const row = await listRow(ctx.db, head.pool_id, last);
  if (row === undefined)
    throw new Problem(
      'internal',
      'STORE_DAMAGED',
      'An access list is missing in the store. Restore the store from a backup.',
    );
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

/** The newest access list that a node may see. A removed node sees the list that removed it, and none after it. */
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

/** @throws Problem invalid ACCESS_LIST_REFUSED when the answer is invalid, and the errors of the network */
async function askLists(ctx: Context, target: PeerTarget, poolId: string, from: number): Promise<ListsAnswer> {
  const said = await ctx.gossip.request(target, protocols.lists, { poolId, from });
  const parsed = v.safeParse(answer, said, { abortEarly: true });
  if (!parsed.success) throw refusedList('the format of the answer is not valid');
  return parsed.output;
}

/** Fetches a node's access lists from a version to its newest, in several requests if necessary. */
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
  return new Problem('forbidden', 'NOT_ADMITTED', 'This node is not in our pool.');
}

/** Most access lists taken from a node at once: more than a pool makes in years, and few enough for memory. */
const MAX_LISTS = 20_000;
const MAX_CHARACTERS = 64_000_000;

export type Synced = 'same' | 'behind' | 'ahead' | 'elsewhere' | 'undecided';

/**
 * Compares the active access list with that of another node, and catches up.
 * @returns the state of the other node relative to this one afterwards; `elsewhere`: it is in another pool
 * @throws Problem invalid ACCESS_LIST_REFUSED when its answer can't be trusted; and the errors of the network
 */
export async function syncWith(ctx: Context, target: PeerTarget, source: string): Promise<Synced> {
  const current = await currentList(ctx.db);
  if (current === undefined) return 'elsewhere';
  const { poolId, version } = current.document;
  const said = await askLists(ctx, target, poolId, version);
  if (said.poolId !== poolId) return 'elsewhere';
  if (said.hash === current.hash) return 'same';
  if (said.version < version && (await listAt(ctx.db, poolId, said.version))?.hash === said.hash) return 'behind';
  const common = await commonList(ctx, target, current, said.version);
  const theirs = await collect(ctx, target, common);
  const outcome = await receiveBranch(ctx, common, theirs, source);
  if (outcome === 'undecided') {
    ctx.log.error(
      'access list conflict: administrators removed each other in the same version, so none was activated',
      {
        poolId,
        version: common.document.version + 1,
        source,
      },
    );
    return 'undecided';
  }
  // If our branch counts, the other node has to take it over.
  return outcome === 'kept' ? 'behind' : 'same';
}

/** The newest access list that both nodes have; nearly always our newest. The steps back get longer, since a fork may be old. */
async function commonList(
  ctx: Context,
  target: PeerTarget,
  current: SignedList,
  theirVersion: number,
): Promise<SignedList> {
  const { poolId, version } = current.document;
  let at = Math.min(version, theirVersion);
  for (let step = 1; at >= 1; step *= 2) {
    const { lists } = await askLists(ctx, target, poolId, at);
    const ours = await listAt(ctx.db, poolId, at);
    const theirs = lists[0];
    if (ours !== undefined && theirs !== undefined && aclHash(theirs.document) === ours.hash) return ours;
    if (at === 1) break;
    at = Math.max(1, at - step);
  }
  throw refusedList('it has nothing in common with ours');
}

async function collect(ctx: Context, target: PeerTarget, common: SignedList): Promise<WireList[]> {
  const { poolId, version } = common.document;
  const found: WireList[] = [];
  let characters = 0;
  for await (const lists of allLists(ctx, target, poolId, version + 1)) {
    characters += lists.reduce((sum, { document }) => sum + document.length, 0);
    found.push(...lists);
    if (found.length > MAX_LISTS || characters > MAX_CHARACTERS) throw refusedList('there are too many versions');
  }
  return found;
}

/** Logs errors of a peer and of the network. The caller gets all other errors. */
export function logRefusal(ctx: Context, message: string, source: string, error: unknown): void {
  if (!(error instanceof Problem)) throw error;
  const fields = { nodeId: source, code: error.code, reason: error.message };
  // Every newcomer answers this until it has heard of its admission.
  const inAnotherPool = error.cause instanceof Problem && error.cause.code === 'NOT_ADMITTED';
  if (inAnotherPool || error.code === 'PEER_UNREACHABLE') ctx.log.debug(message, fields);
  else ctx.log.warn(message, fields);
}
