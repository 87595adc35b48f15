import type { Context } from '../../../context.ts';
import type { PeerTarget } from '../../../gossip/port.ts';
import { Problem } from '../../../problem.ts';
import type { SignedList, WireList } from './acl-chain.ts';
import { aclHash, refusedList } from './acl-document.ts';
import { currentList, listAt } from './lists.ts';
import { allLists, askLists } from './lists-protocol.ts';
import { receiveBranch } from './receive.ts';

/** Lists that are taken from a node in one go: more than a pool sees in years, and few enough to be held in memory. */
const MAX_LISTS = 20_000;
const MAX_CHARACTERS = 64_000_000;

export type Synced = 'same' | 'behind' | 'ahead' | 'elsewhere' | 'undecided';

/**
 * Compares the list that counts here with that of another node, and catches up.
 * @returns how the other node stands to this one afterwards; `elsewhere`: it is of another pool
 * @throws Problem invalid ACCESS_LIST_REFUSED when what it says isn't to be believed; and what the network throws
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
    ctx.log.error('two access lists of one version, and neither counts more: administrators have removed each other', {
      poolId,
      version: common.document.version + 1,
      source,
    });
    return 'undecided';
  }
  // Where our branch counts it is for the other node to take it.
  return outcome === 'kept' ? 'behind' : 'same';
}

/** The newest list that both have: ours, nearly always; steps back get longer, since a fork may be old. */
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

/** Logs what a peer did wrong, and what the network did not do; anything else goes on to the caller. */
export function logRefusal(ctx: Context, message: string, source: string, error: unknown): void {
  if (!(error instanceof Problem)) throw error;
  const fields = { nodeId: source, code: error.code, reason: error.message };
  // Every newcomer says so until it has heard of its admission.
  const inAnotherPool = error.cause instanceof Problem && error.cause.code === 'NOT_ADMITTED';
  if (inAnotherPool || error.code === 'PEER_UNREACHABLE') ctx.log.debug(message, fields);
  else ctx.log.warn(message, fields);
}
