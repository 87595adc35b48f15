import * as v from 'valibot';
import type { Context } from '../../../context.ts';
import type { Peer, SharedPart } from '../../../gossip/port.ts';
import { Problem } from '../../../problem.ts';
import { digits } from './document.ts';
import { knownList, sidesDigest } from './known-lists.ts';
import { openDecisions } from './open-decisions.ts';
import { poolHead } from './store.ts';
import { logRefusal, syncSides, syncWith } from './sync.ts';
import { takeOver } from './take-over.ts';

const told = v.object({
  poolId: digits(32),
  version: v.pipe(v.number(), v.integer(), v.minValue(1)),
  hash: digits(32),
  /** digest of the lists that the node knows and doesn't follow */
  beside: digits(32),
});

/** More peers than a node has connections. */
const MAX_REMEMBERED = 10_000;

/**
 * In every round two nodes tell each other which access list is active and which others they know. Whoever lacks something fetches it. A
 * fork that both know costs nothing more than the comparison, and what a node told once isn't fetched from it again.
 */
export function listsInRounds(ctx: Context): SharedPart {
  const seen = new Map<string, string>();
  return {
    async tell() {
      const head = await poolHead(ctx.db);
      if (head === undefined) return undefined;
      const { pool_id: poolId, version, hash } = head;
      return { poolId, version, hash, beside: await sidesDigest(ctx.db, poolId) };
    },
    async hear(said, peer) {
      const parsed = v.safeParse(told, said);
      const head = await poolHead(ctx.db);
      if (!parsed.success || parsed.output.poolId !== head?.pool_id) return;
      try {
        await compare(ctx, parsed.output, peer, seen);
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
  seen: Map<string, string>,
): Promise<void> {
  const own = await sidesDigest(ctx.db, poolId);
  const known = await knownList(ctx.db, poolId, version, hash);
  if (known !== undefined && beside === own) return;
  const state = `${hash} ${beside} ${(await poolHead(ctx.db))?.hash} ${own}`;
  if (seen.get(nodeId) === state) return;
  try {
    if (known === undefined) await syncWith(ctx, { nodeId }, nodeId);
    if (beside !== (await sidesDigest(ctx.db, poolId))) await syncSides(ctx, { nodeId }, poolId, nodeId);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'ACCESS_LIST_REFUSED') throw error;
    logRefusal(ctx, 'comparing access lists failed', nodeId, error);
  }
  if (seen.size >= MAX_REMEMBERED) seen.clear();
  // What came is known now. What was refused is refused again, as long as neither node knows anything else.
  const after = `${hash} ${beside} ${(await poolHead(ctx.db))?.hash} ${await sidesDigest(ctx.db, poolId)}`;
  if (after === state || known === undefined) seen.set(nodeId, after);
}
