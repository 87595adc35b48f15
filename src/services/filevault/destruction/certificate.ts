import type { Context } from '../../../service/context.ts';
import type { DestructionProof } from '../../../contract/filevault/destruction.ts';
import type { Certificate } from '../../../contract/filevault/proofs.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { signDestruction } from '../../../crypto/formats/file-proofs/format.ts';
import { proveOffline, type ProvenEntry } from '../../../platform/ledger/offline.ts';
import { placesOf } from '../../../platform/ledger/places.ts';
import { Problem } from '../../../base/problem.ts';
import { fileTagOf } from '../proofs/filter.ts';
import { nodeNotFound } from '../problems.ts';
import { inventoryLeaves, type Inventory } from './inventory.ts';

/** What the answer to a destruction has of it. */
export interface Proof {
  readonly proof: DestructionProof;
  /** not there while the node signs nothing */
  readonly certificate?: Certificate;
}

/** Characters of the certificates in the answer to one request. Those beyond are asked for one by one. */
const ROOM = 512 * 1024;

/**
 * The proofs of destructions that are done, all under one checkpoint.
 * @throws Problem unavailable LEDGER_BEHIND; the files are destroyed nevertheless, and a repeat gets the proofs
 */
export async function proofsOf(ctx: Context, fileIds: readonly string[]): Promise<ReadonlyMap<string, Proof>> {
  if (fileIds.length === 0) return new Map();
  const rows = await ctx.db.selectFrom('file_destructions').selectAll().where('file_id', 'in', fileIds).execute();
  const done = rows.flatMap((row) => (row.ledger_entry === null ? [] : [{ ...row, ledger_entry: row.ledger_entry }]));
  const ids = done.map(({ ledger_entry }) => ledger_entry);
  const places = await placesOf(ctx, ids);
  const proven = await signedProofs(ctx, ids);
  const proofs = new Map<string, Proof>();
  let room = ROOM;
  for (const { file_id, root, ledger_entry, inventory } of done) {
    const place = places.get(ledger_entry);
    if (place === undefined)
      throw new Problem('internal', 'LEDGER_DAMAGED', 'The ledger has no entry of the destruction.');
    const proof = { merkleRoot: root, ledgerEntryHash: place.leafHash };
    const entry = room > 0 ? proven.get(ledger_entry) : undefined;
    const certificate = entry && certificateOf(ctx, file_id, JSON.parse(inventory) as Inventory, proof, entry);
    if (certificate !== undefined) room -= sizeOf(certificate);
    proofs.set(file_id, { proof, ...(certificate !== undefined && { certificate }) });
  }
  return proofs;
}

export async function proofOf(ctx: Context, fileId: string): Promise<Proof> {
  const proof = (await proofsOf(ctx, [fileId])).get(fileId);
  if (proof === undefined) throw nodeNotFound(1);
  return proof;
}

/** A node that was stopped signs no checkpoint. The files are destroyed all the same. */
async function signedProofs(ctx: Context, ids: readonly string[]): Promise<ReadonlyMap<string, ProvenEntry>> {
  try {
    return await proveOffline(ctx, ids);
  } catch (error) {
    if (error instanceof Problem && (error.code === 'NODE_STOPPED' || error.code === 'STORE_FULL')) return new Map();
    throw error;
  }
}

function certificateOf(
  ctx: Context,
  fileId: string,
  inventory: Inventory,
  proof: DestructionProof,
  { offline }: ProvenEntry,
): Certificate {
  const leaves = inventoryLeaves(fileId, inventory).map(toHex);
  const certificate = {
    ...offline,
    fileId,
    fileTag: fileTagOf(ctx, fileId),
    leaves,
    statement: `The node ${ctx.keys.nodeId} states that it erased every key of the file ${fileId} and deleted its content: ${leaves.length - 1} wrapped keys, manifests and blocks.`,
  };
  return { ...certificate, signature: signDestruction(ctx.keys, proof, certificate) };
}

function sizeOf({ leaves, inclusionProof, checkpoint, entry, genesis }: Certificate): number {
  return 67 * (leaves.length + inclusionProof.length) + checkpoint.length + entry.length + genesis.entry.length + 1_000;
}
