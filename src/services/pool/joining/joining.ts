import { requireRole, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import { fromHex } from '../../../crypto/bytes.ts';
import { fingerprintOfHash } from '../../../crypto/fingerprint.ts';
import { nodeIdOf } from '../../../crypto/public-key.ts';
import type { PoolJoin } from '../../../contract/pool/shapes.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { enqueue } from '../../../platform/store/jobs/jobs.ts';
import { recordId } from '../../../platform/store/record-id.ts';
import type { PoolJoinRow } from '../../../platform/store/tables/pool.ts';
import { administrators, assertStillAdministrator, assertStillSigning } from '../acl/signer.ts';
import { membership } from './admission-policy.ts';
import { attemptJoin } from './join-attempt.ts';
import { activeJoin, hasCompany, joinById, updateJoin } from './join-rows.ts';
import { checkMailDomain } from '../input.ts';
import { adopt } from '../acl/adopt.ts';
import { newPool } from '../acl/commit.ts';
import { poolHead } from '../acl/store.ts';
import { selfDetails } from '../nodes.ts';
import { addressOf, protocols } from '../announcing.ts';
import { note } from '../note.ts';
import { parseToken, proveToken } from './token.ts';
import { isIP } from 'node:net';
import { wholeNumber } from '../../../base/whole-number.ts';

export const joinJob = 'pool-join';

export interface JoinInput {
  readonly address: string;
  readonly message?: string | undefined;
  readonly mailDomain?: string | undefined;
  readonly poolId?: string | undefined;
  /** join token, a secret */
  readonly token?: string | undefined;
}

/** Asks another node for admission to its pool. The reply has the present state; a job continues the request. */
export async function join(ctx: Context, actor: Actor, input: JoinInput) {
  requireRole(actor, administrators);
  const address = nodeAddress(input.address);
  if (input.mailDomain !== undefined) checkMailDomain(input.mailDomain);
  const token = input.token === undefined ? undefined : parseToken(input.token);
  if (token !== undefined && input.poolId !== undefined && input.poolId !== token.poolId)
    throw fieldProblem('poolId', 'is not the pool of the join token');
  const kept = token === undefined ? null : JSON.stringify(proveToken(token, ctx.keys.nodeId));
  const now = ctx.clock.now();
  const id = recordId(now, ctx.random);
  await transaction(ctx, async (tx) => {
    await assertStillAdministrator(tx, actor);
    if ((await activeJoin(tx.db)) !== undefined)
      throw new Problem('conflict', 'POOL_JOIN_PENDING', 'This node has a pending join request. Withdraw it first.');
    if (await hasCompany(tx))
      throw new Problem(
        'conflict',
        'POOL_HAS_MEMBERS',
        'This node is in a pool with other nodes. Leave that pool first.',
      );
    const row: PoolJoinRow = {
      id,
      address,
      pool_id: token?.poolId ?? input.poolId ?? null,
      host_key: null,
      message: input.message ?? '',
      mail_domain: input.mailDomain ?? null,
      status: 'asking',
      reason: null,
      attempts: 0,
      asked_at: now,
      requested_at: null,
      updated_at: now,
      last_error: null,
      token: kept,
    };
    await tx.db.insertInto('pool_joins').values(row).execute();
    await enqueue(tx.db, {
      id: `${joinJob}:${id}:0`,
      kind: joinJob,
      payload: { joinId: id },
      runAt: now + FIRST_JOB_MS,
      now,
    });
    note(tx, actor, 'pool.join');
  });
  await attemptJoin(ctx, id);
  const row = await joinById(ctx.db, id);
  if (row === undefined) throw noJoin();
  return { node: selfDetails(ctx), join: joinDto(row) };
}

/** The request to `join` itself makes the first attempt, so the job starts later. */
const FIRST_JOB_MS = 5_000;

export async function withdraw(ctx: Context, actor: Actor): Promise<{ join: PoolJoin }> {
  requireRole(actor, administrators);
  const row = await transaction(ctx, async (tx) => {
    await assertStillAdministrator(tx, actor);
    const active = await activeJoin(tx.db);
    if (active === undefined) throw noJoin();
    await updateJoin(tx, active.id, { status: 'withdrawn' });
    note(tx, actor, 'pool.withdraw');
    return active;
  });
  if (row.host_key !== null && row.pool_id !== null) {
    try {
      const target = { address: addressOf(row.address, row.host_key) };
      await ctx.gossip.request(target, protocols.join, { ask: 'withdraw', poolId: row.pool_id });
    } catch (error) {
      // The other node deletes the request by itself after some time.
      if (!(error instanceof Problem)) throw error;
      ctx.log.warn('the other node was not told that the join request is withdrawn; it is told later', {
        code: error.code,
      });
    }
  }
  return { join: joinDto({ ...row, status: 'withdrawn', updated_at: ctx.clock.now() }) };
}

/** Leaves the pool and continues alone. The other nodes still name this node until one of their administrators removes it. */
export async function leave(
  ctx: Context,
  actor: Actor,
  input: { poolId: string },
): Promise<{ left: string; poolId: string }> {
  requireRole(actor, administrators);
  const own = await newPool(ctx);
  return await transaction(ctx, async (tx) => {
    await assertStillSigning(tx, actor);
    const head = await poolHead(tx.db);
    if (head?.pool_id !== input.poolId)
      throw new Problem('conflict', 'POOL_OTHER', 'This node is in another pool than the one that was named.');
    if (!(await hasCompany(tx)))
      throw new Problem(
        'conflict',
        'POOL_ALONE',
        (await membership(tx)) === 'member'
          ? 'This node is the only one in its pool.'
          : 'The pool does not admit this node any more, so it need not leave. It can ask to join a pool.',
      );
    await adopt(tx, { from: { poolId: head.pool_id, hash: head.hash }, lists: [own], source: ctx.keys.nodeId });
    note(tx, actor, 'pool.leave');
    return { left: head.pool_id, poolId: own.document.poolId };
  });
}

export function joinDto(row: PoolJoinRow): PoolJoin {
  return {
    id: row.id,
    address: row.address,
    status: row.status,
    message: row.message,
    ...(row.mail_domain !== null && { mailDomain: row.mail_domain }),
    ...(row.pool_id !== null && { poolId: row.pool_id, poolFingerprint: fingerprintOfHash(fromHex(row.pool_id)) }),
    ...(row.host_key !== null && { hostNodeId: nodeIdOf(fromHex(row.host_key)) }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.last_error !== null && { lastError: row.last_error }),
    askedAt: new Date(row.asked_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

function noJoin(): Problem {
  return new Problem('missing', 'POOL_NO_JOIN', 'This node has no pending join request.');
}

const MULTIADDR =
  /^\/(?:ip4|ip6|dns|dns4|dns6)\/[A-Za-z0-9.:-]{1,253}\/tcp\/(\d{1,5})(?:\/wss?)?(?:\/p2p\/16Uiu2[1-9A-HJ-NP-Za-km-z]{47})?$/;
const HOST_AND_PORT = /^(?:\[([0-9a-fA-F:.]{2,45})\]|([A-Za-z0-9.-]{1,253})):(\d{1,5})$/;

/**
 * The address of a node as a multiaddr.
 * @param text host:port, [address]:port or a multiaddr
 * @throws Problem invalid VALIDATION_ERROR
 */
function nodeAddress(text: string): string {
  const address = text.startsWith('/') ? text : ofHostAndPort(text);
  const port = wholeNumber(address === undefined ? undefined : MULTIADDR.exec(address)?.[1], 65_535) ?? 0;
  if (address === undefined || port === 0)
    throw fieldProblem('address', 'must be host:port, or a multiaddr such as /ip4/192.0.2.1/tcp/7879');
  return address;
}

function ofHostAndPort(text: string): string | undefined {
  const [, six, name, port] = HOST_AND_PORT.exec(text) ?? [];
  if (port === undefined) return undefined;
  if (six !== undefined) return isIP(six) === 6 ? `/ip6/${six}/tcp/${wholeNumber(port) ?? 0}` : undefined;
  return `/${isIP(name ?? '') === 4 ? 'ip4' : 'dns'}/${name ?? ''}/tcp/${wholeNumber(port) ?? 0}`;
}
