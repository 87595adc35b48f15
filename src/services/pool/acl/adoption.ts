import { requireRole, type Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { BranchPreview } from '../../../contract/pool/shapes.ts';
import { Problem } from '../../../base/problem.ts';
import { note, noteList } from '../note.ts';
import { reconsider } from './branches.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { ensureList } from './commit.ts';
import { countingPath } from './fork.ts';
import { signersOf } from './fork-report.ts';
import { knownLists, type KnownLists } from './known-lists.ts';
import { administrators, assertStillAdministrator } from './signer.ts';
import { resolveFork } from './store.ts';
import { takeOver } from './take-over.ts';

/** Shows what this node would give up if it followed another branch of the access list. */
export async function previewBranch(ctx: Context, actor: Actor, { hash }: { hash: string }): Promise<BranchPreview> {
  requireRole(actor, administrators);
  const current = await ensureList(ctx);
  const { tree, path, adopted, chain } = branchWith(await knownLists(ctx.db, current.document.poolId), hash);
  const next = countingPath(
    tree,
    new Map([...adopted, ...chain.map((list) => [list.document.prev ?? '', list.hash] as const)]),
  );
  const fork = next.findIndex((list, at) => list.hash !== path[at]?.hash);
  const end = next.at(-1) ?? current;
  note(ctx, actor, 'pool.preview-branch');
  return {
    active: { version: current.document.version, hash: current.hash },
    branch: { version: end.document.version, hash: end.hash, signers: signersOf(end) },
    after: { version: (next[fork - 1] ?? end).document.version, hash: (next[fork - 1] ?? end).hash },
    drops: {
      versions: path.length - fork,
      nodes: missingFrom(end.document.writers, current.document.writers, 'nodeId'),
      administrators: missingFrom(end.document.admins, current.document.admins, 'memberId'),
    },
    brings: {
      versions: next.length - fork,
      nodes: missingFrom(current.document.writers, end.document.writers, 'nodeId'),
      administrators: missingFrom(current.document.admins, end.document.admins, 'memberId'),
    },
  };
}

/**
 * Makes this node follow another branch of the access list, whatever the rule says. Other nodes decide for themselves.
 * @throws Problem missing POOL_BRANCH_NOT_FOUND; conflict POOL_LIST_CHANGED when another list is active than the caller saw
 */
export async function adoptBranch(
  ctx: Context,
  actor: Actor,
  { hash, instead }: { hash: string; instead: string },
): Promise<{ aclVersion: number; hash: string }> {
  requireRole(actor, administrators);
  const { document } = await ensureList(ctx);
  await transaction(ctx, async (tx) => {
    await assertStillAdministrator(tx, actor);
    const { chain, path } = branchWith(await knownLists(tx.db, document.poolId), hash);
    if (path.at(-1)?.hash !== instead)
      throw new Problem('conflict', 'POOL_LIST_CHANGED', 'Another access list is active now. Look at it first.');
    for (const list of chain) await resolveFork(tx, list, actor.memberId);
    await reconsider(tx, [], ctx.keys.nodeId, 'administrator');
    noteList(tx, actor, 'pool.adopt-branch', hash);
  });
  await takeOver(ctx);
  const now = await ensureList(ctx);
  return { aclVersion: now.document.version, hash: now.hash };
}

/** What this node knows, and the lists of a branch from the fork to the list that was named, none of which is active. */
function branchWith(
  known: KnownLists | undefined,
  hash: string,
): KnownLists & { readonly chain: readonly SignedList[] } {
  if (known === undefined) throw notFound();
  const active = new Set(known.path.map((list) => list.hash));
  const chain: SignedList[] = [];
  for (let list = known.tree.get(hash); list !== undefined && !active.has(list.hash);) {
    chain.unshift(list);
    list = known.tree.get(list.document.prev ?? '');
  }
  if (chain.length === 0) throw notFound();
  return { ...known, chain };
}

function missingFrom<K extends string>(
  after: readonly Record<K, string>[],
  before: readonly Record<K, string>[],
  id: K,
) {
  const named = new Set(after.map((one) => one[id]));
  return before.map((one) => one[id]).filter((one) => !named.has(one));
}

function notFound(): Problem {
  return new Problem('missing', 'POOL_BRANCH_NOT_FOUND', 'This node knows no other branch with a list of this hash.');
}
