import type { Actor } from '../../../service/actor.ts';
import { safeParse } from 'valibot';
import { transaction, type Context } from '../../../service/context.ts';
import { listedMailDomain } from '../../../shared/members/mail-domain.ts';
import { assertSigning } from '../../../platform/ledger/witness/stop.ts';
import { Problem } from '../../../base/problem.ts';
import { adopt } from './adopt.ts';
import { reconsiderIfForked } from './branches.ts';
import { signList, validSignatures, type SignedList } from '../../../crypto/formats/access-list/chain.ts';
import {
  MAX_ADMINS,
  MAX_DOCUMENT,
  MAX_WRITERS,
  mailDomain,
  poolIdOf,
  type AclDocument,
  type AclWriter,
} from '../../../crypto/formats/access-list/document.ts';
import { openDecisions } from './open-decisions.ts';
import { assertStillSigning, nodeAsAdmin, signerFor, theNode, type Signer } from './signer.ts';
import { propose } from './propose.ts';
import { takingOver } from './taking-over.ts';
import { currentList } from './store.ts';

/**
 * The active access list. A node without a pool gets its own pool: the node is its only writer, and its administrators are the node's key
 * and the present administrators of the node. If several callers do this at once, one wins and all get its list.
 *
 * @throws Problem conflict NODE_STOPPED when there is none, and the node signs nothing
 */
export async function ensureList(ctx: Context): Promise<SignedList> {
  const found = await currentList(ctx.db);
  if (found !== undefined) return found;
  const founded = await newPool(ctx);
  await transaction(ctx, async (tx) => {
    await assertSigning(tx);
    await adopt(tx, { from: undefined, lists: [founded], source: ctx.keys.nodeId });
  });
  const now = await currentList(ctx.db);
  if (now === undefined) throw new Problem('internal', 'STORE_DAMAGED', 'The first access list was not stored.');
  return now;
}

/** More collisions in a row than administrators can cause by hand. */
const TRIES = 50;

type Change = Partial<Pick<AclDocument, 'mode' | 'writers' | 'admins' | 'threshold' | 'tombstones'>>;

export interface ListChange {
  /** makes the change; it may be called again for a newer list, and refuses by throwing */
  readonly change: (current: AclDocument, signer: Signer) => Change | Promise<Change>;
  /** further work in the same transaction; it refuses by throwing */
  readonly also?: (tx: Context, list: SignedList) => Promise<void>;
}

/**
 * Signs the next version of the access list and makes it active. Signing happens outside of the transaction. The transaction succeeds only
 * if the active list didn't change meanwhile. Where one signature isn't enough, the list becomes a proposal for the other administrators,
 * and POOL_SIGNATURES_MISSING names it.
 *
 * @throws Problem forbidden KEY_LOCKED, POOL_NOT_ADMINISTRATOR; conflict POOL_SIGNATURES_MISSING, POOL_FULL, POOL_BUSY
 */
export async function changeList(
  ctx: Context,
  actor: Actor | typeof theNode,
  { change, also }: ListChange,
): Promise<SignedList> {
  for (let left = TRIES; left > 0; left -= 1) {
    const current = await ensureList(ctx);
    const signer = await signerFor(ctx, actor, current.document);
    if (await takeOverFirst(ctx, actor, current, signer)) continue;
    const next = nextList(ctx, current, await change(current.document, signer), signer);
    const { admins, threshold } = current.document;
    if (validSignatures(next, admins).length < threshold) {
      const proposed = actor === theNode ? needsPeople(threshold) : await propose(ctx, actor, next, threshold);
      if (proposed !== undefined) throw proposed;
      continue;
    }
    const counts = await transaction(ctx, async (tx) => {
      await assertStillSigning(tx, actor);
      const { poolId } = current.document;
      const adopted = await adopt(tx, {
        from: { poolId, hash: current.hash },
        lists: [next],
        source: ctx.keys.nodeId,
      });
      if (!adopted) return false;
      await reconsiderIfForked(tx, current, [next]);
      await also?.(tx, next);
      return true;
    });
    if (counts) return next;
  }
  throw new Problem('conflict', 'POOL_BUSY', 'The access list kept changing. Try again.');
}

/**
 * What other branches decided and nobody could sign yet is a version of its own, which comes first. So the change itself has the last word.
 * @returns whether there is another active list now
 */
async function takeOverFirst(
  ctx: Context,
  actor: Actor | typeof theNode,
  current: SignedList,
  signer: Signer,
): Promise<boolean> {
  const { poolId, admins, threshold } = current.document;
  const decisions = await openDecisions(ctx.db, poolId);
  const next = decisions.length === 0 ? undefined : takingOver(current, decisions);
  if (next === undefined) return false;
  const list = signList(next, signer.memberId, signer.privateKey);
  if (validSignatures(list, admins).length < threshold) {
    const proposed = actor === theNode ? needsPeople(threshold) : await propose(ctx, actor, list, threshold);
    if (proposed !== undefined) throw proposed;
    return true;
  }
  return await transaction(ctx, async (tx) => {
    await assertStillSigning(tx, actor);
    const from = { poolId, hash: current.hash };
    if (await adopt(tx, { from, lists: [list], source: ctx.keys.nodeId }))
      await reconsiderIfForked(tx, current, [list]);
    return true;
  });
}

function nextList(ctx: Context, current: SignedList, change: Change, signer: Signer): SignedList {
  const { tombstones = [], ...changed } = { ...current.document, ...change };
  const document: AclDocument = {
    ...changed,
    ...(tombstones.length > 0 && { tombstones }),
    version: current.document.version + 1,
    prev: current.hash,
    issuedAt: new Date(ctx.clock.now()).toISOString(),
  };
  if (document.admins.length > MAX_ADMINS || document.writers.length > MAX_WRITERS) throw full();
  uniqueDomains(document.writers);
  const list = signList(document, signer.memberId, signer.privateKey);
  if (list.text.length > MAX_DOCUMENT) throw full();
  return list;
}

/** Nobody asked the node to propose anything. What it would do on its own waits for people. */
function needsPeople(threshold: number): Problem {
  return new Problem(
    'conflict',
    'POOL_SIGNATURES_MISSING',
    `The access list needs the signatures of ${threshold} administrators, and the node gives only one.`,
  );
}

function uniqueDomains(writers: readonly AclWriter[]): void {
  const domains = writers.flatMap((writer) => writer.mailDomain ?? []);
  if (new Set(domains).size === domains.length) return;
  throw new Problem('conflict', 'POOL_MAIL_DOMAIN_TAKEN', 'Another node of the pool serves this mail domain.');
}

function full(): Problem {
  return new Problem('conflict', 'POOL_FULL', 'The access list has reached its largest size.');
}

/** The database that a pool is for, unless something else is set. */
const DATABASE = 'conclave';
const MAX_FIRST_ADMINS = 50;

/**
 * The first access list of a pool with only this node.
 * @throws Problem conflict NODE_STOPPED
 */
export async function newPool(ctx: Context): Promise<SignedList> {
  await assertSigning(ctx);
  const node = nodeAsAdmin(ctx);
  const issuedAt = new Date(ctx.clock.now()).toISOString();
  const members = await ctx.db
    .selectFrom('members')
    .select(['id', 'public_key'])
    .where('type', '=', 'Admin')
    .where('status', '=', 'active')
    .where('id', '!=', node.memberId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(MAX_FIRST_ADMINS)
    .execute();
  const domain = listedMailDomain(ctx);
  const draft: AclDocument = {
    t: 'pool-acl',
    v: 1,
    poolId: '',
    version: 1,
    prev: null,
    mode: 'approval',
    scope: { database: DATABASE },
    writers: [
      {
        nodeId: ctx.keys.nodeId,
        publicKey: node.publicKey,
        ...(domain !== undefined && safeParse(mailDomain, domain).success && { mailDomain: domain }),
        addedAt: issuedAt,
        addedBy: node.memberId,
        expiresAt: null,
      },
    ],
    admins: [node, ...members.map((row) => ({ memberId: row.id, publicKey: row.public_key }))],
    threshold: 1,
    issuedAt,
  };
  const document = { ...draft, poolId: poolIdOf(draft) };
  return signList(document, node.memberId, ctx.keys.identity.privateKey);
}
