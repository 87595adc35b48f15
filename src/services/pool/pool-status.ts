import { requireRole, type Actor } from '../../actor.ts';
import type { Context } from '../../context.ts';
import { fromHex } from '../../crypto/bytes.ts';
import { fingerprintOfHash } from '../../crypto/fingerprint.ts';
import { membership } from './joining/admission-policy.ts';
import { administrators } from './acl/signer.ts';
import { ensureList } from './acl/commit.ts';
import { listEvidence } from './acl/history.ts';
import { joinDto } from './joining/joining.ts';
import { latestJoin } from './joining/join-rows.ts';
import { selfDetails } from './nodes.ts';
import { countPending } from './joining/queue.ts';

/** The status of this node in its pool. */
export async function poolStatus(ctx: Context, actor: Actor) {
  requireRole(actor, administrators);
  const { document, hash } = await ensureList(ctx);
  const { poolId, version, mode, scope, writers, admins, threshold, issuedAt } = document;
  const { hex, words } = fingerprintOfHash(fromHex(poolId));
  const [pending, { evidence }, join] = await Promise.all([
    countPending(ctx, poolId),
    listEvidence(ctx, actor, {}),
    latestJoin(ctx.db),
  ]);
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
    connected: ctx.gossip.peers().filter((peer) => peer.admitted).length,
    pending,
    evidence: evidence.length,
    ...(join !== undefined && { join: joinDto(join) }),
  };
}
