import { requireRole, type Actor } from '../../service/actor.ts';
import type { Context } from '../../service/context.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { fingerprintOfHash } from '../../crypto/fingerprint.ts';
import { countEvidence } from '../../platform/ledger/witness/evidence.ts';
import { noticesOf } from '../../platform/ledger/witness/notices.ts';
import { stopDto, stopsOf } from '../../platform/ledger/witness/stop.ts';
import { membership } from './joining/admission-policy.ts';
import { administrators } from './acl/signer.ts';
import { ensureList } from './acl/commit.ts';
import { droppedEvidence } from './acl/evidence.ts';
import { forksOf } from './acl/fork-report.ts';
import { refusePassedOver } from './acl/list-mark.ts';
import { knownLists } from './acl/known-lists.ts';
import { openDecisions } from './acl/open-decisions.ts';
import { safeDecisions, type SafeDecision } from './acl/safe-decisions.ts';
import { aclEvidence } from './acl/history.ts';
import { joinDto } from './joining/joining.ts';
import { latestJoin } from './joining/join-rows.ts';
import { selfDetails } from './nodes.ts';
import { countPending } from './joining/queue.ts';

/** The newest forks that people would look at. */
const MAX_FORKS = 20;

/** The status of this node in its pool. */
export async function status(ctx: Context, actor: Actor) {
  requireRole(actor, administrators);
  await refusePassedOver(ctx);
  const { document, hash } = await ensureList(ctx);
  const { poolId, version, mode, scope, writers, admins, threshold, issuedAt } = document;
  const { hex, words } = fingerprintOfHash(fromHex(poolId));
  const [pending, { evidence }, join, known, dropped] = await Promise.all([
    countPending(ctx, poolId),
    aclEvidence(ctx, actor, {}),
    latestJoin(ctx.db),
    knownLists(ctx.db, poolId),
    droppedEvidence(ctx.db, poolId),
  ]);
  const peers = ctx.gossip.peers();
  const connected = peers.filter((peer) => peer.admitted);
  // If the clock of this node is wrong, then it may believe that the admission of others has ended.
  const named = new Set(writers.map(({ nodeId }) => nodeId));
  return {
    node: selfDetails(ctx),
    pool: {
      poolId,
      fingerprint: { hex, words: [...words] },
      version,
      hash,
      mode,
      scope,
      writers: writers.length,
      admins,
      threshold,
      issuedAt,
      membership: await membership(ctx),
    },
    connected: connected.length,
    silent: connected.filter(({ answers }) => !answers).length,
    wrongClocks: peers
      .filter(({ nodeId, admitted, wrongClock }) => wrongClock && (admitted || named.has(nodeId)))
      .map(({ nodeId, clockSkewMs = 0 }) => ({ nodeId, aheadMs: Math.round(clockSkewMs) })),
    pending,
    evidence: evidence.length,
    ...(dropped !== undefined && { evidenceNotKept: dropped }),
    forks: known === undefined ? [] : forksOf(known).slice(0, MAX_FORKS),
    unsigned: (await openDecisions(ctx.db, poolId)).map(decisionDto),
    setAside: known === undefined ? [] : safeDecisions(known.tree, known.path).setAside.map(decisionDto),
    ...(join !== undefined && { join: joinDto(join) }),
    stopped: (await stopsOf(ctx)).map(stopDto),
    contradictions: (await countEvidence(ctx)).total,
    noticed: await noticesOf(ctx),
  };
}

function decisionDto({ kind, subject, value }: SafeDecision) {
  return { kind, subject, value };
}
