import type { Context } from '../../../context.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { hmacSha256 } from '../../../crypto/hash.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import { Problem } from '../../../problem.ts';
import { isUniqueViolation } from '../../../store/violation.ts';
import { nameSealer } from './sealing.ts';

/** What makes names equal to people: neither case nor the way that accents were composed counts, nor spaces at the ends. */
function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC').trim();
}

/**
 * Names are sealed, so what keeps two of one owner apart is a MAC under a key of the node: equal for equal names, and saying nothing to
 * whoever has the store alone. Another owner's is another one.
 */
function nameKeyOf(ctx: Context, ownerId: string, name: string): string {
  const key = deriveKey(ctx.keys.wrap, 'conclave/passvault/name-key/v1');
  return toHex(hmacSha256(key, utf8(`${ownerId}/${foldedName(name)}`)));
}

/**
 * The name key of a vault, for the row that the transaction writes.
 *
 * @param vaultId of the vault that is to have the name
 * @throws Problem conflict VAULT_NAME_TAKEN when another vault of its owner has it
 */
export async function claimVaultName(tx: Context, ownerId: string, vaultId: string, name: string): Promise<string> {
  await keyOlderNames(tx, ownerId);
  const key = nameKeyOf(tx, ownerId, name);
  const other = await withKey(tx, ownerId, key);
  if (other !== undefined && other !== vaultId) throw vaultNameTaken();
  return key;
}

/** Two that came at once: the index decides. */
export function nameTaken(error: unknown): never {
  throw isUniqueViolation(error, 'name_key') ? vaultNameTaken() : error;
}

/**
 * Vaults of before names were unique have no key, and get it when their owner next names one. Of several with the same name one
 * gets it; the others keep their name, and have to be named by their id, until they are renamed.
 */
async function keyOlderNames(tx: Context, ownerId: string): Promise<void> {
  const rows = await tx.db
    .selectFrom('passvault_vaults')
    .select(['id', 'name'])
    .where('owner_id', '=', ownerId)
    .where('name_key', 'is', null)
    .orderBy('id')
    .execute();
  const names = nameSealer(tx);
  for (const { id, name } of rows) {
    const key = nameKeyOf(tx, ownerId, names.open(id, name));
    if ((await withKey(tx, ownerId, key)) !== undefined) continue;
    await tx.db.updateTable('passvault_vaults').set({ name_key: key }).where('id', '=', id).execute();
  }
}

async function withKey(ctx: Context, ownerId: string, key: string): Promise<string | undefined> {
  const row = await ctx.db
    .selectFrom('passvault_vaults')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('name_key', '=', key)
    .executeTakeFirst();
  return row?.id;
}

function vaultNameTaken(): Problem {
  return new Problem('conflict', 'VAULT_NAME_TAKEN', 'You already have a vault of this name. Choose another name.');
}

/** @throws Problem conflict ATTACHMENT_EXISTS */
export function assertFilenameFree(attachments: readonly { readonly filename: string }[], filename: string): void {
  const wanted = foldedName(filename);
  if (attachments.some((one) => foldedName(one.filename) === wanted))
    throw new Problem(
      'conflict',
      'ATTACHMENT_EXISTS',
      'The entry already has an attachment of this name. Remove it first, or choose another name.',
    );
}

/**
 * Names for attachments of one entry that come from elsewhere, where they need be neither names of files nor different: slashes
 * become underscores, and a second `key.pem` is `key (2).pem`.
 */
export function distinctFilenames(filenames: readonly string[]): string[] {
  const taken = new Set<string>();
  return filenames.map((given) => {
    const name = given.normalize('NFC').replaceAll('/', '_');
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let distinct = name;
    for (let count = 2; taken.has(foldedName(distinct)); count += 1) distinct = `${stem} (${count})${extension}`;
    taken.add(foldedName(distinct));
    return distinct;
  });
}
