import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import type { Peer, PeerTarget } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import { protocols } from '../announcing.ts';
import { isWriter } from '../joining/admission-policy.ts';
import { wireList, wireOf, type WireList } from '../../../crypto/formats/access-list/chain.ts';
import { digits, refusedList } from '../../../crypto/formats/access-list/document.ts';
import { MAX_EVIDENCE, sideLists } from './evidence.ts';
import { knownList, newestSides } from './known-lists.ts';
import { receiveBranch, receiveSides } from './receive.ts';
import { currentList, listRow, listsFrom, poolHead } from './store.ts';

/** Characters of documents in one answer; the network allows several times as much. */
const MAX_ANSWER = 2_000_000;
/** Versions named in a question: the steps back double, so this is enough for any number of versions. */
const MAX_LOCATORS = 50;
/** Of them, lists that this node knows and doesn't follow. */
const MAX_SIDES_ASKED = 10;

/** Bytes of the longest question: the hashes of all lists that a node may know beside the active ones, and their quotation marks. */
export const MAX_LISTS_QUESTION = 70 * MAX_EVIDENCE + 1_024;

const versionNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 40));
const question = v.union([
  v.strictObject({ poolId: digits(32), from: versionNumber }),
  /** the lists after the first of these that the other node follows too */
  v.strictObject({ poolId: digits(32), after: v.pipe(v.array(digits(32)), v.minLength(1), v.maxLength(MAX_LOCATORS)) }),
  /** the lists that the other node knows and doesn't follow: their hashes, or some of them */
  v.strictObject({ poolId: digits(32), beside: v.pipe(v.array(digits(32)), v.maxLength(MAX_EVIDENCE)) }),
]);

const answer = v.object({
  poolId: digits(32),
  version: versionNumber,
  hash: digits(32),
  lists: v.pipe(v.array(wireList), v.maxLength(10_000)),
  beside: v.optional(v.pipe(v.array(digits(32)), v.maxLength(MAX_EVIDENCE))),
});
export type ListsAnswer = v.InferOutput<typeof answer>;

/** Tells a node of the pool the active access list, and sends the lists that it asks for. */
export async function answerLists(ctx: Context, asked: unknown, peer: Peer): Promise<ListsAnswer> {
  const parsed = v.safeParse(question, asked);
  const head = await poolHead(ctx.db);
  if (!parsed.success || head === undefined) throw refused();
  const { pool_id: poolId } = head;
  const last = await lastVersionFor(ctx, poolId, head.version, peer.nodeId);
  // A node that never was in this pool learns nothing, not even the pool id.
  if (last === undefined) throw refused();
  const row = await listRow(ctx.db, poolId, last);
  if (row === undefined) throw missing();
  const said = { poolId, version: last, hash: row.hash };
  const wanted = parsed.output;
  if ('beside' in wanted) {
    if (last !== head.version || wanted.poolId !== poolId) return { ...said, lists: [], beside: [] };
    return { ...said, ...(await besideFor(ctx, poolId, wanted.beside)) };
  }
  const from =
    wanted.poolId !== poolId ? 1 : 'from' in wanted ? wanted.from : await firstAfter(ctx, poolId, wanted.after);
  const rows = await listsFrom(ctx.db, poolId, from, MAX_ANSWER);
  return {
    ...said,
    lists: rows
      .filter((one) => one.version <= last)
      .map((one) => ({ document: one.document, signatures: JSON.parse(one.signatures) as WireList['signatures'] })),
  };
}

async function firstAfter(ctx: Context, poolId: string, hashes: readonly string[]): Promise<number> {
  const rows = await ctx.db
    .selectFrom('pool_lists')
    .select('version')
    .where('pool_id', '=', poolId)
    .where('hash', 'in', [...hashes])
    .orderBy('version', 'desc')
    .limit(1)
    .execute();
  return (rows[0]?.version ?? 0) + 1;
}

async function besideFor(ctx: Context, poolId: string, hashes: readonly string[]) {
  const sides = await sideLists(ctx.db, poolId);
  const wanted = new Set(hashes);
  const lists: WireList[] = [];
  let characters = 0;
  for (const list of sides.filter(({ hash }) => wanted.has(hash))) {
    characters += list.text.length;
    if (lists.length > 0 && characters > MAX_ANSWER) break;
    lists.push(wireOf(list));
  }
  return { lists, beside: sides.slice(0, MAX_EVIDENCE).map(({ hash }) => hash) };
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
  // It may have been removed at a higher version of a branch that doesn't count any more.
  return row === undefined ? undefined : Math.min(row.removed_version ?? newest, newest);
}

/** Most access lists taken from a node at once: more than a pool makes in years, and few enough for memory. */
const MAX_LISTS = 20_000;
const MAX_CHARACTERS = 64_000_000;

const lengthOf = (lists: readonly WireList[]): number => lists.reduce((sum, { document }) => sum + document.length, 0);

type Wanted =
  | { readonly from: number }
  | { readonly after: readonly string[] }
  | { readonly beside: readonly string[] };

/** @throws Problem invalid ACCESS_LIST_REFUSED when the answer is invalid, and the errors of the network */
async function askLists(ctx: Context, target: PeerTarget, poolId: string, wanted: Wanted): Promise<ListsAnswer> {
  const said = await ctx.gossip.request(target, protocols.lists, { poolId, ...wanted });
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
  let characters = 0;
  for (let next = from; ;) {
    const said = await askLists(ctx, target, poolId, { from: next });
    if (said.poolId !== poolId) throw refusedList('it is of another pool');
    characters += lengthOf(said.lists);
    if (next + said.lists.length - from > MAX_LISTS || characters > MAX_CHARACTERS)
      throw refusedList('there are too many versions');
    yield said.lists;
    next += said.lists.length;
    if (said.lists.length === 0 || next > said.version) return said;
  }
}

function refused(): Problem {
  return new Problem('forbidden', 'NOT_ADMITTED', 'This node is not in our pool.');
}

function missing(): Problem {
  return new Problem(
    'internal',
    'STORE_DAMAGED',
    'An access list is missing in the store. Restore the store from a backup.',
  );
}

export type Synced = 'same' | 'behind' | 'elsewhere';

/**
 * Compares the active access list with that of another node, and catches up: one question finds the newest list that both follow, and
 * brings what follows it there.
 * @returns the state of the other node relative to this one afterwards; `behind`: it should follow this node; `elsewhere`: it is in
 *   another pool
 * @throws Problem invalid ACCESS_LIST_REFUSED when its answer can't be trusted; and the errors of the network
 */
export async function syncWith(ctx: Context, target: PeerTarget, source: string): Promise<Synced> {
  const current = await currentList(ctx.db);
  if (current === undefined) return 'elsewhere';
  const { poolId, version } = current.document;
  const said = await askLists(ctx, target, poolId, {
    after: [...(await newestSides(ctx.db, poolId, MAX_SIDES_ASKED)), ...(await locators(ctx, poolId, version))],
  });
  if (said.poolId !== poolId) return 'elsewhere';
  if (said.hash === current.hash) return 'same';
  if ((await knownList(ctx.db, poolId, said.version, said.hash)) !== undefined) return 'behind';
  const wires = await collect(ctx, target, poolId, said);
  const taken = await takeWires(ctx, poolId, wires, source);
  return taken === 'kept' ? 'behind' : 'same';
}

/** Hashes of active lists, newest first; the steps back get longer, since a fork may be old. */
async function locators(ctx: Context, poolId: string, version: number): Promise<string[]> {
  const hashes: string[] = [];
  for (let at = version, step = 1; ; step *= 2) {
    const row = await listRow(ctx.db, poolId, at);
    if (row !== undefined) hashes.push(row.hash);
    if (at === 1) return hashes;
    at = Math.max(1, at - step);
  }
}

async function collect(ctx: Context, target: PeerTarget, poolId: string, first: ListsAnswer): Promise<WireList[]> {
  const found = [...first.lists];
  const last = found.at(-1);
  const next = last === undefined ? first.version + 1 : precedence(last).version + 1;
  if (next > first.version) return found;
  for await (const lists of allLists(ctx, target, poolId, next)) found.push(...lists);
  return found;
}

/** Receives lists that should follow each other, and the first of which should follow one that this node knows. */
async function takeWires(ctx: Context, poolId: string, wires: readonly WireList[], source: string) {
  const [first] = wires;
  if (first === undefined) throw refusedList('its previous versions are missing');
  const { version, prev } = precedence(first);
  const common = await knownList(ctx.db, poolId, version - 1, prev);
  if (common === undefined) throw refusedList('it has nothing in common with ours');
  return await receiveBranch(ctx, common, wires, source);
}

const precedent = v.object({ version: versionNumber, prev: v.nullable(digits(32)) });

function precedence({ document }: WireList): v.InferOutput<typeof precedent> {
  try {
    return v.parse(precedent, JSON.parse(document));
  } catch {
    throw refusedList('its format is not valid');
  }
}

/** Fetches the lists that another node knows beside the ones it follows, so that both decide on the same lists. */
export async function syncSides(ctx: Context, target: PeerTarget, poolId: string, source: string): Promise<void> {
  const { beside = [] } = await askLists(ctx, target, poolId, { beside: [] });
  const mine = new Set((await sideLists(ctx.db, poolId)).map(({ hash }) => hash));
  const fetched: WireList[] = [];
  for (let wanted = beside.filter((hash) => !mine.has(hash)); wanted.length > 0;) {
    const { lists } = await askLists(ctx, target, poolId, { beside: wanted });
    if (lists.length === 0) break;
    fetched.push(...lists.slice(0, wanted.length));
    if (lengthOf(fetched) > MAX_CHARACTERS) throw refusedList('there are too many versions');
    wanted = wanted.slice(lists.length);
  }
  await receiveSides(ctx, poolId, fetched, source);
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
