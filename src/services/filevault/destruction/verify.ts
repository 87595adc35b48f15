import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { DestructionProof } from '../../../contract/filevault/destruction.ts';
import type { Certificate } from '../../../contract/filevault/proofs.ts';
import { fromUtf8 } from '../../../crypto/bytes.ts';
import { writeFileProof } from '../../../crypto/formats/file-proofs/format.ts';
import { verifyFileProof } from '../../../crypto/formats/file-proofs/verify.ts';
import { placesOf } from '../../../platform/ledger/places.ts';
import { Problem } from '../../../base/problem.ts';
import type { FileDestructionRow } from '../../../platform/store/tables/filevault.ts';
import { nodeNotFound } from '../problems.ts';
import { destroyedBefore } from '../access/places.ts';
import { blocksOf, inventoryRoot, type Inventory } from './inventory.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

const limits = [
  'It is the statement of this node, which signs its ledger. Other nodes and witnesses show whether it tells everybody the same.',
  'It does not show that nobody has a copy: whoever downloaded the file has it.',
  'It does not show that no copy of the erasure keys is left: the last backup has them until the next one, and so has every copy of it.',
  'It does not show that the disk keeps no trace of them.',
];

export async function verifyDestruction(
  ctx: Context,
  actor: Actor,
  {
    fileId,
    proof,
    certificate,
  }: { readonly fileId: string; readonly proof: DestructionProof; readonly certificate?: Certificate | undefined },
): Promise<{ valid: boolean; checks: Check[]; limits: string[] }> {
  const row = await destroyedBefore(ctx, actor, fileId);
  if (row === undefined) throw nodeNotFound(1);
  const checks = [
    inventoryCheck(row, proof),
    await ledgerCheck(ctx, row, proof),
    await keysCheck(ctx, row),
    await rowsCheck(ctx, row),
    ...(certificate === undefined ? [] : [await certificateCheck(ctx, fileId, proof, certificate)]),
  ];
  return { valid: checks.every(({ ok }) => ok), checks, limits };
}

/** As somebody without this node checks it, who knows the key of its log. */
async function certificateCheck(
  { keys }: Context,
  fileId: string,
  proof: DestructionProof,
  certificate: Certificate,
): Promise<Check> {
  const name = 'certificate';
  const text = writeFileProof({ kind: 'destruction', proof, certificate });
  const report = await verifyFileProof(text, { key: keys.ledgerLogKey });
  const wrong = report.checks.find(({ ok }) => !ok);
  if (wrong !== undefined) return { name, ok: false, detail: `${wrong.name}: ${wrong.detail}.` };
  const ok = certificate.fileId === fileId;
  return { name, ok, detail: ok ? 'The certificate is valid.' : 'The certificate is that of another file.' };
}

function inventoryCheck({ file_id, inventory, root }: FileDestructionRow, { merkleRoot }: DestructionProof): Check {
  const computed = inventoryRoot(file_id, JSON.parse(inventory) as Inventory);
  const ok = computed === root && merkleRoot === root;
  return { name: 'inventory', ok, detail: ok ? 'The root is that of the inventory.' : 'The root is another one.' };
}

/** The entry is read from the ledger itself, and says the root. */
async function ledgerCheck(
  ctx: Context,
  { ledger_entry }: FileDestructionRow,
  { merkleRoot, ledgerEntryHash }: DestructionProof,
): Promise<Check> {
  const place = ledger_entry === null ? undefined : (await placesOf(ctx, [ledger_entry])).get(ledger_entry);
  const entry =
    place === undefined
      ? undefined
      : await ctx.db
          .selectFrom('ledger_entries')
          .select('body')
          .where('leaf_index', '=', place.index)
          .executeTakeFirst();
  const { type, data } = JSON.parse(entry === undefined ? '{}' : fromUtf8(entry.body)) as {
    type?: string;
    data?: { inventory?: string };
  };
  const ok = place?.leafHash === ledgerEntryHash && type === 'FILE_DESTROYED' && data?.inventory === merkleRoot;
  const detail = ok
    ? `Entry ${place.index} of the ledger says that this inventory was destroyed.`
    : 'The ledger has no such entry about this inventory.';
  return { name: 'ledger', ok, detail };
}

async function keysCheck(ctx: Context, { slots }: FileDestructionRow): Promise<Check> {
  const name = 'keys';
  try {
    const keys = await Promise.all((JSON.parse(slots) as number[]).map(async (slot) => await ctx.erasure.keyOf(slot)));
    const ok = keys.every((key) => key === undefined);
    return { name, ok, detail: ok ? 'The erasure keys are gone.' : 'An erasure key is still there.' };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'FILE_KEYS_LOST') throw error;
    return { name, ok: false, detail: 'The file of erasure keys was lost, so nobody can look whether they are gone.' };
  }
}

async function rowsCheck(ctx: Context, row: FileDestructionRow): Promise<Check> {
  const content = await ctx.db
    .selectFrom('file_contents')
    .select('id')
    .where('file_id', '=', row.file_id)
    .executeTakeFirst();
  const blocks = await Promise.all(blocksOf(row).map(async (id) => await ctx.blocks.head(id)));
  const ok = content === undefined && blocks.every((block) => block === undefined);
  return { name: 'content', ok, detail: ok ? 'No wrap and no block is left.' : 'Something of the file is left.' };
}
