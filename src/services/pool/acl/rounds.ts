import * as v from 'valibot';
import type { Context } from '../../../service/context.ts';
import type { Peer, SharedPart } from '../../../service/ports/network.ts';
import { Problem } from '../../../base/problem.ts';
import { digits } from '../../../crypto/formats/access-list/document.ts';
import { knownList, knowsTheSame, sidesDigest, sidesDigests } from './known-lists.ts';
import { openDecisions } from './open-decisions.ts';
import { activeSigners, compareSigners, toldSigners } from './signer-exchange.ts';
import { poolHead } from './store.ts';
import { logRefusal, syncSides, syncWith } from './sync.ts';
import { takeOver } from './take-over.ts';

const told = v.object({
  poolId: digits(32),
  version: v.pipe(v.number(), v.integer(), v.minValue(1)),
  hash: digits(32),
  /** digest of the lists that the node knows and doesn't follow */
  beside: digits(32),
  ...toldSigners,
});

/** What a node said last, and what came of it. */
interface Remembered {
  /** all that it knows is known here: whatever this node learns elsewhere, there is nothing to fetch */
  readonly whole: string | undefined;
  /** this was fetched as far as it could be, by what this node knew then */
  readonly fetched: string | undefined;
}

/** More peers than a node has connections. */
const MAX_REMEMBERED = 10_000;

/**
 * In every round two nodes tell each other which access list is active and which others they know. Whoever lacks something fetches it. A
 * fork that both know costs nothing more than the comparison, and what a node told once isn't fetched from it again.
 */
export function listsInRounds(ctx: Context): SharedPart {
  const remembered = new Map<string, Remembered>();
  const seenSigners = new Map<string, string>();
  return {
    async tell() {
      const head = await poolHead(ctx.db);
      if (head === undefined) return undefined;
      const { pool_id: poolId, version, hash } = head;
      const signers = await activeSigners(ctx, poolId, version);
      const { lists: beside, signers: signersBeside } = await sidesDigests(ctx.db, poolId);
      return { poolId, version, hash, beside, ...(signers !== '' && { signers, signersBeside }) };
    },
    async hear(said, peer) {
      const parsed = v.safeParse(told, said);
      const head = await poolHead(ctx.db);
      if (!parsed.success || parsed.output.poolId !== head?.pool_id) return;
      try {
        for (const all of [remembered, seenSigners]) if (all.size >= MAX_REMEMBERED) all.clear();
        await compare(ctx, parsed.output, peer, remembered);
        await compareSigners(ctx, parsed.output, peer.nodeId, seenSigners);
        if ((await openDecisions(ctx.db, head.pool_id)).length > 0) await takeOver(ctx);
      } catch (error) {
        logRefusal(ctx, 'comparing access lists failed', peer.nodeId, error);
      }
    },
  };
}

async function compare(
  ctx: Context,
  { poolId, version, hash, beside }: v.InferOutput<typeof told>,
  { nodeId }: Peer,
  remembered: Map<string, Remembered>,
): Promise<void> {
  const said = `${hash} ${beside}`;
  const before = remembered.get(nodeId);
  if (before?.whole === said) return;
  const known = await knownList(ctx.db, poolId, version, hash);
  const isWhole = async () =>
    beside === (await sidesDigest(ctx.db, poolId))
      ? (await knownList(ctx.db, poolId, version, hash)) !== undefined
      : await knowsTheSame(ctx.db, poolId, { hash, beside });
  const stateNow = async () => `${said} ${(await poolHead(ctx.db))?.hash} ${await sidesDigest(ctx.db, poolId)}`;
  const state = await stateNow();
  if (before?.fetched === state) return;
  try {
    if (known === undefined) await syncWith(ctx, { nodeId }, nodeId);
    if (!(await isWhole())) await syncSides(ctx, { nodeId }, poolId, nodeId);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'ACCESS_LIST_REFUSED') throw error;
    logRefusal(ctx, 'comparing access lists failed', nodeId, error);
  }
  // What came is known now. What was refused is refused again, as long as neither node knows anything else.
  const after = await stateNow();
  const fetched = after === state || known === undefined ? after : before?.fetched;
  remembered.set(nodeId, { fetched, whole: (await isWhole()) ? said : undefined });
}
