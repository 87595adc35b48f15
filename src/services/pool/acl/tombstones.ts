import type { Context } from '../../../service/context.ts';
import { Problem } from '../../../base/problem.ts';
import { MAX_TOMBSTONES, type AclDocument, type AclTombstone } from '../../../crypto/formats/access-list/document.ts';

type Refusals = Pick<AclDocument, 'tombstones'>;

/** What the access list remembers of a node that was refused. */
export function tombstoneOf({ tombstones = [] }: Refusals, nodeId: string): AclTombstone | undefined {
  return tombstones.find((one) => one.nodeId === nodeId);
}

/** @throws Problem forbidden NODE_BANNED */
export function refuseBanned(list: Refusals, nodeId: string): void {
  if (tombstoneOf(list, nodeId)?.kind !== 'banned') return;
  throw new Problem(
    'forbidden',
    'NODE_BANNED',
    `Node ${nodeId} is banned from the pool. An administrator lifts the ban with: conclave admin nodes unban ${nodeId}`,
  );
}

export interface WithTombstone {
  readonly tombstones: AclTombstone[];
  /** those for which there is no more room; it can be the new one itself */
  readonly dropped: readonly AclTombstone[];
}

/** What is dropped first: a denied node was never of the pool, a removed one knows its addresses and its past. */
const weight = { denied: 0, removed: 1, banned: 2 } as const;

/**
 * The tombstones with one more, or with another one for the same node. At the limit, the oldest denial is dropped, then the oldest
 * removal, and a ban never.
 *
 * @throws Problem conflict POOL_FULL when the new one is a ban and all others are bans
 */
export function withTombstone({ tombstones = [] }: Refusals, added: AclTombstone): WithTombstone {
  const others = tombstones.filter(({ nodeId }) => nodeId !== added.nodeId);
  // A denial of a node that was removed or banned before doesn't make less of that.
  const before = tombstoneOf({ tombstones }, added.nodeId)?.kind ?? added.kind;
  const strongest = weight[before] > weight[added.kind] ? before : added.kind;
  const all = [...others, { ...added, kind: strongest }];
  if (all.length <= MAX_TOMBSTONES) return { tombstones: all, dropped: [] };
  const dropped = all
    .filter(({ kind }) => kind !== 'banned')
    .toSorted((one, other) => weight[one.kind] - weight[other.kind] || (one.at < other.at ? -1 : 1))
    .slice(0, all.length - MAX_TOMBSTONES);
  if (dropped.length < all.length - MAX_TOMBSTONES)
    throw new Problem(
      'conflict',
      'POOL_FULL',
      'The access list has no room for another ban. Lift one with: conclave admin nodes unban',
    );
  const gone = new Set(dropped.map(({ nodeId }) => nodeId));
  return { tombstones: all.filter(({ nodeId }) => !gone.has(nodeId)), dropped };
}

export function withoutTombstone({ tombstones = [] }: Refusals, nodeId: string): AclTombstone[] {
  return tombstones.filter((one) => one.nodeId !== nodeId);
}

/** Says that something is no longer remembered: in mode `open`, such a node can come back on its own. */
export function logDropped({ log }: Pick<Context, 'log'>, dropped: readonly AclTombstone[]): void {
  if (dropped.length === 0) return;
  log.warn('the access list has no more room: it no longer remembers that these nodes were refused', {
    nodeIds: dropped.map(({ nodeId }) => nodeId),
    limit: MAX_TOMBSTONES,
  });
}
