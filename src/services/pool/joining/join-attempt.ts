import * as v from 'valibot';
import { transaction, type Context } from '../../../service/context.ts';
import { fromHex, toHex } from '../../../crypto/bytes.ts';
import { nodeIdOf } from '../../../crypto/public-key.ts';
import type { ProblemCode } from '../../../base/problem-codes.ts';
import { Problem } from '../../../base/problem.ts';
import type { PoolJoinRow } from '../../../platform/store/tables/pool.ts';
import { readList, verifyWhole, type SignedList, type WireList } from '../../../crypto/formats/access-list/chain.ts';
import { refusedList } from '../../../crypto/formats/access-list/document.ts';
import { noteContact } from './admission-policy.ts';
import { addressOf, protocols } from '../announcing.ts';
import { outcomeAnswer, poolAnswer, type JoinQuestion, type Outcome } from './join-protocol.ts';
import { hasCompany, joinById, updateJoin } from './join-rows.ts';
import { signRequest, strippedText, type JoinRequest } from './join-request.ts';
import { allLists, syncWith } from '../acl/sync.ts';
import { adopt } from '../acl/adopt.ts';
import { compactGivenUp } from '../acl/branches.ts';
import { dropEvidence, keepEvidence } from '../acl/evidence.ts';
import { dropListsAfter, listsFrom, poolHead, resolveFork, storedList } from '../acl/store.ts';
import { KEPT_MS } from './queue.ts';
import { keptToken, type KeptToken } from './token.ts';

/** Refusals that stay the same when asked again. */
const final: ReadonlySet<ProblemCode> = new Set([
  'POOL_CLOSED',
  'NODE_BANNED',
  'JOIN_REQUEST_REFUSED',
  'JOIN_TOKEN_REFUSED',
] as const);

/** One step of a join request: it asks, or asks for the result. A failure is noted, and the job tries again. */
export async function attemptJoin(ctx: Context, joinId: string): Promise<void> {
  const row = await joinById(ctx.db, joinId);
  if (row === undefined || (row.status !== 'asking' && row.status !== 'pending')) return;
  if (ctx.clock.now() - row.asked_at >= KEPT_MS) {
    await updateJoin(ctx, joinId, {
      status: 'expired',
      reason: 'The join request has expired: nobody decided within 7 days.',
    });
    return;
  }
  try {
    await (row.status === 'asking' ? ask(ctx, row) : learnOutcome(ctx, row));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    await noteFailure(ctx, row, error);
  }
}

async function noteFailure(ctx: Context, row: PoolJoinRow, error: Problem): Promise<void> {
  const theirs = error.code === 'PEER_REFUSED' && error.cause instanceof Problem ? error.cause.code : error.code;
  const said = strippedText(error.message).slice(0, 500);
  const change = final.has(theirs)
    ? ({ status: 'refused', reason: said } as const)
    : { last_error: said, attempts: row.attempts + 1 };
  await updateJoin(ctx, row.id, change);
  ctx.log.warn('join request failed', { code: theirs, reason: said, address: row.address });
}

/** Asks first for the pool and the node; both are pinned from then on. Then it sends the request, which is valid only for that pool. */
async function ask(ctx: Context, row: PoolJoinRow): Promise<void> {
  const known = row.host_key === null || row.pool_id === null ? await meet(ctx, row) : row;
  const { pool_id: poolId, host_key: hostKey } = known;
  if (poolId === null || hostKey === null) return;
  const now = ctx.clock.now();
  // Later than the previous request, even if the clock was set back: the other node accepts requests only in ascending order of time.
  const requestedAt = Math.max(now, (row.requested_at ?? 0) + 1);
  const request: JoinRequest = {
    poolId,
    nodeId: ctx.keys.nodeId,
    publicKey: toHex(ctx.keys.identity.publicKey),
    message: row.message,
    ...(row.mail_domain !== null && { mailDomain: row.mail_domain }),
    addresses: ctx.gossip.addresses().slice(0, 16),
    nonce: toHex(ctx.random(16)),
    timestamp: new Date(requestedAt).toISOString(),
  };
  // Stored before sending: if the answer is lost, the next request must not look like a replay.
  await updateJoin(ctx, row.id, { requested_at: requestedAt });
  const signed = signRequest(request, ctx.keys.identity);
  const token = tokenOf(row);
  const said = await question(ctx, addressOf(row.address, hostKey), {
    ask: 'admission',
    ...signed,
    ...(token !== undefined && { token: { id: token.id, proof: token.proof } }),
  });
  const outcome = checked(outcomeAnswer, said);
  await updateJoin(ctx, row.id, { status: 'pending', last_error: null });
  await act(ctx, { ...known, status: 'pending', requested_at: requestedAt }, outcome);
}

async function meet(ctx: Context, row: PoolJoinRow): Promise<PoolJoinRow> {
  const { poolId, publicKey, mode } = checked(poolAnswer, await question(ctx, row.address, { ask: 'pool' }));
  if (publicKey === toHex(ctx.keys.identity.publicKey)) throw refused('The address belongs to this node itself.');
  if (row.pool_id !== null && row.pool_id !== poolId)
    throw refused('The other node is in another pool than the one that was named.');
  const token = tokenOf(row);
  if (token !== undefined && nodeIdOf(fromHex(publicKey)) !== token.nodeId)
    throw new Problem(
      'forbidden',
      'JOIN_TOKEN_REFUSED',
      `The join token was made by node ${token.nodeId}. Give the address of that node.`,
    );
  if (mode === 'closed') throw new Problem('forbidden', 'POOL_CLOSED', 'The pool does not accept join requests.');
  await updateJoin(ctx, row.id, { pool_id: poolId, host_key: publicKey });
  return { ...row, pool_id: poolId, host_key: publicKey };
}

function tokenOf({ token }: PoolJoinRow): KeptToken | undefined {
  return token === null ? undefined : v.parse(keptToken, JSON.parse(token));
}

async function learnOutcome(ctx: Context, row: PoolJoinRow): Promise<void> {
  const { pool_id: poolId, host_key: hostKey, requested_at: requestedAt } = row;
  if (poolId === null || hostKey === null || requestedAt === null) return;
  const asked = { ask: 'outcome', poolId, requestedAt: new Date(requestedAt).toISOString() } as const;
  const outcome = checked(outcomeAnswer, await question(ctx, addressOf(row.address, hostKey), asked));
  await updateJoin(ctx, row.id, { last_error: null });
  await act(ctx, row, outcome);
}

async function act(ctx: Context, row: PoolJoinRow, { status, denial }: Outcome): Promise<void> {
  switch (status) {
    case 'pending':
      return;
    case 'unknown':
      // The other node lost the request, or was restored from a backup, so this node asks again.
      await updateJoin(ctx, row.id, { status: 'asking' });
      return;
    case 'denied':
      if (denial?.denial.nodeId !== ctx.keys.nodeId || denial.denial.poolId !== row.pool_id) throw nonsense();
      await updateJoin(ctx, row.id, { status: 'denied', reason: strippedText(denial.denial.reason) || null });
      return;
    case 'approved':
      await enter(ctx, row);
  }
}

/** Takes over the access lists of the pool that admitted this node, if they are the promised ones. */
async function enter(ctx: Context, row: PoolJoinRow): Promise<void> {
  const { pool_id: poolId, host_key: hostKey } = row;
  if (poolId === null || hostKey === null) return;
  const target = { address: addressOf(row.address, hostKey) };
  const source = nodeIdOf(fromHex(hostKey));
  const head = await poolHead(ctx.db);
  if (head?.pool_id === poolId) {
    // This node was removed or expired earlier, and is admitted again. It continues with its own lists.
    await syncWith(ctx, target, source);
    await updateJoin(ctx, row.id, { status: 'approved' });
    return;
  }
  const wires: WireList[] = [];
  for await (const lists of allLists(ctx, target, poolId, 1)) wires.push(...lists);
  const checkedKeys = new Set<string>();
  const lists = verifyWhole(wires.map((wire) => readList(wire, checkedKeys)));
  checkPromised(ctx, lists, poolId);
  await transaction(ctx, async (tx) => {
    const now = await poolHead(tx.db);
    // Two messages at once led here twice.
    if (now?.pool_id === poolId) {
      await updateJoin(tx, row.id, { status: 'approved' });
      return;
    }
    if (await hasCompany(tx)) throw refused('This node is now in a pool with other nodes.');
    const hasGivenUp = await giveUpOtherSide(tx, lists);
    const from = now === undefined ? undefined : { poolId: now.pool_id, hash: now.hash };
    await adopt(tx, { from, lists, source });
    if (hasGivenUp) await compactGivenUp(tx, poolId);
    await updateJoin(tx, row.id, { status: 'approved' });
    await noteContact(tx, source, { addresses: [target.address] });
  });
}

function checkPromised(ctx: Context, lists: readonly SignedList[], poolId: string): void {
  const last = lists.at(-1);
  if (last === undefined || last.document.poolId !== poolId) throw refusedList('it is of another pool');
  const self = last.document.writers.find(({ nodeId }) => nodeId === ctx.keys.nodeId);
  const expired = self?.expiresAt !== null && Date.parse(self?.expiresAt ?? '') <= ctx.clock.now();
  if (self === undefined || expired || self.publicKey !== toHex(ctx.keys.identity.publicKey))
    throw refusedList('it does not name this node');
}

/**
 * If this node was in the pool before, the pool's access lists must not be older than those that it knows. If it left while the pool was
 * parted, they may be of the other side: its administrator asked this side for admission, so it follows that one, and keeps its own lists.
 * @returns whether they are of the other side
 */
async function giveUpOtherSide(tx: Context, lists: readonly SignedList[]): Promise<boolean> {
  const poolId = lists[0]?.document.poolId ?? '';
  const known = await listsFrom(tx.db, poolId, 1, Number.POSITIVE_INFINITY);
  const fork = known.findIndex(({ version, hash }) => lists[version - 1]?.hash !== hash);
  if (fork < 0) return false;
  const [common, theirs] = [known[fork - 1], lists[fork]];
  if (common === undefined || theirs === undefined)
    throw refusedList('it is older than what this node knows, or contradicts it');
  await keepEvidence(tx, known.slice(fork).map(storedList), tx.keys.nodeId);
  await dropListsAfter(tx.db, poolId, common.version);
  await dropEvidence(tx, lists);
  await resolveFork(tx, theirs, tx.keys.nodeId);
  tx.afterCommit(() =>
    tx.log.warn('this node follows the other side of the pool that it left', {
      poolId,
      version: theirs.document.version,
      counting: theirs.hash,
      otherHash: known[fork]?.hash,
    }),
  );
  return true;
}

async function question(ctx: Context, address: string, asked: JoinQuestion): Promise<unknown> {
  return await ctx.gossip.request({ address }, protocols.join, asked);
}

function checked<S extends v.GenericSchema>(schema: S, said: unknown): v.InferOutput<S> {
  const parsed = v.safeParse(schema, said);
  if (!parsed.success) throw nonsense();
  return parsed.output;
}

function nonsense(): Problem {
  return new Problem('invalid', 'JOIN_ANSWER_UNKNOWN', 'The answer of the other node is not valid.');
}

function refused(message: string): Problem {
  return new Problem('conflict', 'JOIN_REQUEST_REFUSED', message);
}
