import { transaction, type Context } from '../../../service/context.ts';
import { reconsider, type Taken } from './branches.ts';
import { validSignatures, type AclSignature, type SignedList } from '../../../crypto/formats/access-list/chain.ts';
import { recordKept } from './evidence-record.ts';
import { knownList } from './known-lists.ts';
import { makeSigners, signersDigest } from './signer-digests.ts';
import { takeOver } from './take-over.ts';

/** Whether a list has signatures of others than this node's copy of it. */
export function hasMoreSigners(ours: SignedList, { signatures }: SignedList): boolean {
  const known = new Set(ours.signatures.map(({ memberId }) => memberId));
  return signatures.some(({ memberId }) => !known.has(memberId));
}

/**
 * Adds signatures that another node has to the lists that this node knows already, whether they are active or not. They count by the rules
 * of every list: an administrator of the list before it made them, and each once. So nodes that have different signatures of one list end
 * with the same ones. The list and its hash stay. Where lists of several branches are known, it depends on who signed them which of them
 * counts, so that is decided anew: it must not depend on the order in which signatures came.
 *
 * @param lists whose form has been checked; those that this node doesn't know are left out
 * @param source id of the node that sent them
 */
export async function uniteSigners(ctx: Context, lists: readonly SignedList[], source: string): Promise<void> {
  const more: SignedList[] = [];
  for (const list of lists) {
    const { poolId, version, prev } = list.document;
    const ours = await knownList(ctx.db, poolId, version, list.hash);
    if (ours === undefined || !hasMoreSigners(ours, list)) continue;
    const before = version === 1 ? ours : await knownList(ctx.db, poolId, version - 1, prev);
    if (before === undefined) continue;
    const known = new Set(ours.signatures.map(({ memberId }) => memberId));
    const ids = new Set(before.document.admins.map(({ memberId }) => memberId));
    const others = list.signatures.filter(({ memberId }) => ids.has(memberId) && !known.has(memberId));
    const signatures = validSignatures({ ...ours, signatures: others }, before.document.admins);
    if (signatures.length > 0) more.push({ ...ours, signatures });
    if (signatures.length === new Set(others.map(({ memberId }) => memberId)).size) continue;
    // Checking signatures takes time. Whoever sends a wrong one isn't heard further.
    ctx.log.warn('signatures of an access list refused', { poolId, version, hash: list.hash, nodeId: source });
    break;
  }
  if (more.length === 0) return;
  const taken = await transaction(ctx, async (tx) => await addSignatures(tx, more, source));
  if (taken !== 'known') await takeOver(ctx);
}

type Kept = Parameters<typeof recordKept>[1][number];

async function addSignatures(tx: Context, more: readonly SignedList[], source: string): Promise<Taken> {
  const poolId = more[0]?.document.poolId ?? '';
  let earliest: number | undefined;
  let hasMore = false;
  const kept: (Kept | undefined)[] = [];
  for (const { document, hash, signatures } of more) {
    const ours = await knownList(tx.db, poolId, document.version, hash);
    if (ours === undefined) continue;
    const list = { ...ours, signatures: bySigner([...signatures, ...ours.signatures]) };
    if (list.signatures.length === ours.signatures.length) continue;
    const told = { poolId, version: document.version, hash, nodeId: source };
    hasMore = true;
    if (await storeActive(tx, list)) earliest = Math.min(earliest ?? document.version, document.version);
    else kept.push(await storeBeside(tx, list));
    tx.afterCommit(() =>
      tx.log.info('signatures were added to an access list', { ...told, signers: list.signatures.length }),
    );
  }
  if (earliest !== undefined) await makeSigners(tx.db, poolId, earliest);
  const recorded = kept.filter((row) => row !== undefined);
  // The ledger names the signatures of evidence. What it doesn't name so far, it names the day after with those that it has then.
  if (recorded.length > 0) await recordKept(tx, recorded);
  return hasMore ? await reconsider(tx, [], source) : 'known';
}

/** Each administrator's signature once, in the order of their ids; the last one of each stays. */
function bySigner(signatures: readonly AclSignature[]): AclSignature[] {
  const all = new Map(signatures.map((one) => [one.memberId, one]));
  return [...all.values()].toSorted((one, other) => (one.memberId < other.memberId ? -1 : 1));
}

async function storeActive({ db }: Context, { document, hash, signatures }: SignedList): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('pool_lists')
    .set({ signatures: JSON.stringify(signatures) })
    .where('pool_id', '=', document.poolId)
    .where('version', '=', document.version)
    .where('hash', '=', hash)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** @returns the row, if the ledger names it with the signatures that it had */
async function storeBeside(
  { db }: Context,
  { document, hash, signatures: all }: SignedList,
): Promise<Kept | undefined> {
  const signatures = JSON.stringify(all);
  const row = await db
    .updateTable('pool_evidence')
    .set({ signatures, signers: signersDigest(hash, all) })
    .where('pool_id', '=', document.poolId)
    .where('hash', '=', hash)
    .returning(['pool_id', 'version', 'hash', 'signatures', 'recorded'])
    .executeTakeFirst();
  return row?.recorded === 1 ? row : undefined;
}
