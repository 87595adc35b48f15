import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import { transaction } from '../../../service/context.ts';
import type { GossipPort } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import type { Db } from '../../../platform/store/database.ts';
import { protocols } from '../announcing.ts';
import { readList, wireList, wireOf, type WireList } from '../../../crypto/formats/access-list/chain.ts';
import { digits, refusedList } from '../../../crypto/formats/access-list/document.ts';
import { MAX_EVIDENCE, sideLists } from './evidence.ts';
import { sidesDigests } from './known-lists.ts';
import { makeSigners, SIGNERS_BYTES, signersAt, signersOfVersions } from './signer-digests.ts';
import { uniteSigners } from './signers.ts';
import { listsFrom, poolHead, storedList } from './store.ts';
import { logRefusal } from './sync.ts';

/** Versions whose digests are asked for at once: three questions find the first difference of 100,000 versions. */
const VERSIONS_AT_ONCE = 60;
/** Characters of documents in one answer, of active lists and of others. */
const MAX_ANSWER = 2_000_000;
/** A question names at most all lists beside the active ones, each with a digest. */
const MAX_QUESTION_BYTES = 32_768;

const digest = digits(SIGNERS_BYTES);
const versionNumber = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 40));
const question = v.union([
  /** the digests of active lists */
  v.strictObject({ poolId: digits(32), at: v.pipe(v.array(versionNumber), v.maxLength(VERSIONS_AT_ONCE)) }),
  /** active lists from a version on, and those of the others that have other signatures */
  v.strictObject({
    poolId: digits(32),
    from: v.optional(versionNumber),
    beside: v.pipe(v.array(v.strictTuple([digits(32), digest])), v.maxLength(MAX_EVIDENCE)),
  }),
]);
const digestsAnswer = v.object({ signers: v.pipe(v.array(v.string()), v.maxLength(VERSIONS_AT_ONCE)) });
const listsAnswer = v.object({ lists: v.pipe(v.array(wireList), v.maxLength(10_000)) });

/** What nodes tell each other about signatures in every round. A node of an earlier version tells nothing. */
export const toldSigners = { signers: v.optional(digest), signersBeside: v.optional(digest) };

interface Told {
  readonly poolId: string;
  readonly version: number;
  readonly hash: string;
  readonly beside: string;
  readonly signers?: string | undefined;
  readonly signersBeside?: string | undefined;
}

/** The digest of all active lists. They are made for each list when it is stored, or here for those of an earlier version of the program. */
export async function activeSigners(ctx: Context, poolId: string, version: number): Promise<string> {
  const made = await signersAt(ctx.db, poolId, version);
  if (made !== '') return made;
  await transaction(ctx, async (tx) => await makeSigners(tx.db, poolId));
  return await signersAt(ctx.db, poolId, version);
}

/**
 * Compares who has signed the lists that this node and another one both know, and adds what this node lacks. A node that has nothing to add
 * is not asked again, as long as neither has other signatures.
 * @param seen what was compared with each node last
 */
export async function compareSigners(
  ctx: Context,
  { poolId, version, hash, beside, ...theirs }: Told,
  nodeId: string,
  seen: Map<string, string>,
): Promise<void> {
  if (theirs.signers === undefined || theirs.signersBeside === undefined) return;
  const before = await ours(ctx.db, poolId, version, hash);
  const isBehind = before.active !== '' && before.active !== theirs.signers;
  const isBehindBeside = before.beside === beside && before.signersBeside !== theirs.signersBeside;
  const stateWith = ({ active, signersBeside }: typeof before) =>
    `${theirs.signers} ${theirs.signersBeside} ${active} ${signersBeside}`;
  if ((!isBehind && !isBehindBeside) || seen.get(nodeId) === stateWith(before)) return;
  try {
    await fetchSigners(ctx, nodeId, poolId, { upTo: isBehind ? version : undefined, isBehindBeside });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'ACCESS_LIST_REFUSED') throw error;
    logRefusal(ctx, 'comparing signatures of access lists failed', nodeId, error);
  }
  const after = stateWith(await ours(ctx.db, poolId, version, hash));
  if (after === stateWith(before)) seen.set(nodeId, after);
}

interface Behind {
  /** the newest active list that both have, if others signed it or one before it */
  readonly upTo: number | undefined;
  readonly isBehindBeside: boolean;
}

async function fetchSigners(
  ctx: Context,
  nodeId: string,
  poolId: string,
  { upTo, isBehindBeside }: Behind,
): Promise<void> {
  const ask = async (wanted: object) => await ctx.gossip.request({ nodeId }, protocols.signers, { poolId, ...wanted });
  const from = upTo === undefined ? undefined : await firstDifference(ctx.db, poolId, upTo, ask);
  const beside = isBehindBeside ? await sidesWithSigners(ctx.db, poolId) : [];
  const said = v.safeParse(listsAnswer, await ask({ ...(from !== undefined && { from }), beside }));
  if (!said.success) throw notValid();
  const checkedKeys = new Set<string>();
  const lists = said.output.lists.map((wire) => readList(wire, checkedKeys));
  const ofPool = lists.filter(({ document }) => document.poolId === poolId);
  await uniteSigners(ctx, ofPool, nodeId);
}

async function ours(db: Db, poolId: string, version: number, hash: string) {
  const row = await db
    .selectFrom('pool_lists')
    .select('signers')
    .where('pool_id', '=', poolId)
    .where('version', '=', version)
    .where('hash', '=', hash)
    .executeTakeFirst();
  const { lists, signers } = await sidesDigests(db, poolId);
  return { active: row?.signers ?? '', beside: lists, signersBeside: signers };
}

/** The first version whose digest differs. Each digest is also about the versions before it. */
async function firstDifference(
  db: Db,
  poolId: string,
  version: number,
  ask: (wanted: object) => Promise<unknown>,
): Promise<number> {
  let [same, differs] = [0, version];
  while (differs - same > 1) {
    const step = Math.max(1, Math.ceil((differs - same - 1) / VERSIONS_AT_ONCE));
    const at: number[] = [];
    for (let one = same + step; one < differs && at.length < VERSIONS_AT_ONCE; one += step) at.push(one);
    const said = v.safeParse(digestsAnswer, await ask({ at }));
    if (!said.success) throw notValid();
    const own = await signersOfVersions(db, poolId, at);
    for (const [place, one] of at.entries()) {
      if (own[place] !== said.output.signers[place]) {
        differs = one;
        break;
      }
      same = one;
    }
  }
  return differs;
}

async function sidesWithSigners(db: Db, poolId: string): Promise<[string, string][]> {
  const rows = await db
    .selectFrom('pool_evidence')
    .select(['hash', 'signers'])
    .where('pool_id', '=', poolId)
    .where('signers', '!=', '')
    .orderBy('version')
    .orderBy('hash')
    .limit(MAX_EVIDENCE)
    .execute();
  return rows.map(({ hash, signers }) => [hash, signers]);
}

/** Answers nodes of the pool that compare signatures. */
export function answerSigners(ctx: Context): Parameters<GossipPort['respond']>[1] {
  return {
    strangers: false,
    maxBytes: MAX_QUESTION_BYTES,
    async answer(asked: unknown) {
      const parsed = v.safeParse(question, asked);
      const head = await poolHead(ctx.db);
      if (!parsed.success || parsed.output.poolId !== head?.pool_id) return {};
      const { poolId } = parsed.output;
      if ('at' in parsed.output) return { signers: await signersOfVersions(ctx.db, poolId, parsed.output.at) };
      const { from, beside } = parsed.output;
      const active = from === undefined ? [] : await listsFrom(ctx.db, poolId, from, MAX_ANSWER);
      return { lists: [...active.map(storedList).map(wireOf), ...(await differingSides(ctx.db, poolId, beside))] };
    },
  };
}

async function differingSides(
  db: Db,
  poolId: string,
  named: readonly (readonly [string, string])[],
): Promise<WireList[]> {
  const other = new Map(named);
  const differing = new Set(
    (await sidesWithSigners(db, poolId))
      .filter(([hash, signers]) => (other.get(hash) ?? signers) !== signers)
      .map(([hash]) => hash),
  );
  if (differing.size === 0) return [];
  const found: WireList[] = [];
  let characters = 0;
  for (const list of (await sideLists(db, poolId)).filter(({ hash }) => differing.has(hash))) {
    characters += list.text.length;
    if (found.length > 0 && characters > MAX_ANSWER) break;
    found.push(wireOf(list));
  }
  return found;
}

function notValid() {
  return refusedList('the format of the answer is not valid');
}
