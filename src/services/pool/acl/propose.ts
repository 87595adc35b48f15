import { transaction, type Context } from '../../../service/context.ts';
import type { Actor } from '../../../service/actor.ts';
import { Problem } from '../../../base/problem.ts';
import { afterwards, announceProposal } from '../announcing.ts';
import { noteList } from '../note.ts';
import type { SignedList } from '../../../crypto/formats/access-list/chain.ts';
import type { AclDocument } from '../../../crypto/formats/access-list/document.ts';
import { enforce } from './enforce.ts';
import { keepProposal, openProposals, signaturesOf } from './proposal-rows.ts';
import { assertStillSigning } from './signer.ts';
import { currentList, poolHead, storedList } from './store.ts';

/**
 * Stores a next access list that its maker alone can't put in force, and tells the other nodes.
 * @returns what the caller is told; undefined if another list is active by now, so that the change has to be made anew
 */
export async function propose(
  ctx: Context,
  actor: Actor,
  next: SignedList,
  threshold: number,
): Promise<Problem | undefined> {
  const { poolId, prev } = next.document;
  const kept = await transaction(ctx, async (tx) => {
    await assertStillSigning(tx, actor);
    const now = await poolHead(tx.db);
    if (now?.pool_id !== poolId || now.hash !== prev) return undefined;
    const same = (await openProposals(tx, poolId, prev)).map(storedList).find((one) => isSameChange(one, next));
    if (same !== undefined) return same;
    const { row } = await keepProposal(tx, next, tx.keys.nodeId);
    const current = await currentList(tx.db);
    const all = { ...next, signatures: signaturesOf(row) };
    // The nodes may have signed the same, and then this signature is the last one.
    if (current !== undefined && all.signatures.length >= threshold) {
      await enforce(tx, current, all, tx.keys.nodeId);
      return undefined;
    }
    noteList(tx, actor, 'pool.propose-acl', next.hash, next.document.version);
    return all;
  });
  if (kept === undefined) return undefined;
  await afterwards(ctx, async () => await announceProposal(ctx, kept));
  return signaturesMissing(kept, threshold);
}

/** Whether an administrator makes the same change again, maybe because the first answer was lost. */
function isSameChange(known: SignedList, next: SignedList): boolean {
  const [{ memberId } = { memberId: '' }] = next.signatures;
  return known.signatures[0]?.memberId === memberId && timeless(known.document) === timeless(next.document);
}

function timeless({ writers, tombstones = [], ...document }: AclDocument): string {
  return JSON.stringify({
    ...document,
    issuedAt: '',
    writers: writers.map((writer) => ({ ...writer, addedAt: '' })),
    tombstones: tombstones.map((one) => ({ ...one, at: '' })),
  });
}

function signaturesMissing({ hash, signatures }: SignedList, threshold: number): Problem {
  return new Problem(
    'conflict',
    'POOL_SIGNATURES_MISSING',
    `The change is proposed, and not in force: it has ${signatures.length} of ${threshold} signatures. Another administrator signs it with: conclave admin nodes acl sign ${hash.slice(0, 12)}`,
    { fields: [{ path: 'proposal', message: hash }] },
  );
}

/** The hash of the proposal that a refused change became. */
export function proposalOf(problem: unknown): string | undefined {
  if (!(problem instanceof Problem) || problem.code !== 'POOL_SIGNATURES_MISSING') return undefined;
  return problem.fields.find(({ path }) => path === 'proposal')?.message;
}
