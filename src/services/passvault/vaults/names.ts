import type { Context } from '../../../service/context.ts';
import { toHex, utf8 } from '../../../crypto/bytes.ts';
import { hmacSha256 } from '../../../crypto/hash.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import { Problem } from '../../../base/problem.ts';
import { isUniqueViolation } from '../../../platform/store/violation.ts';
import { nameSealer } from './sealing.ts';

/** The form in which names are compared: case, composition of accents and spaces at the ends don't matter. */
function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC').trim();
}

/**
 * Names are sealed, so a MAC under a key of the node keeps the names of one owner unique. Equal names give equal MACs. The MAC reveals
 * nothing to a reader of the store alone. The same name of another owner gives another MAC.
 */
function nameKeyOf(ctx: Context, ownerId: string, name: string): string {
  const key = deriveKey(ctx.keys.wrap, 'conclave/passvault/name-key/v1');
  return toHex(hmacSha256(key, utf8(`${ownerId}/${foldedName(name)}`)));
}

/**
 * The name key of a vault, for the row that the transaction writes.
 *
 * @param vaultId the vault that gets the name
 * @throws Problem conflict VAULT_NAME_TAKEN if another vault of the same owner has the name
 */
export async function claimVaultName(tx: Context, ownerId: string, vaultId: string, name: string): Promise<string> {
  await keyOlderNames(tx, ownerId);
  const key = nameKeyOf(tx, ownerId, name);
  const other = await withKey(tx, ownerId, key);
  if (other !== undefined && other !== vaultId) throw vaultNameTaken();
  return key;
}

/** Two requests came at once, and the unique index refused this one. */
export function nameTaken(error: unknown): never {
  throw isUniqueViolation(error, 'name_key') ? vaultNameTaken() : error;
}

/**
 * Vaults made before names were unique have no key. They get it when their owner next names a vault. If several have the same name, one of
 * them gets the key. The others keep their name, and must be addressed by id until they are renamed.
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
 * Makes file names for attachments of one entry from another source, where they may be invalid or equal. Slashes become underscores, and a
 * second `key.pem` becomes `key (2).pem`.
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
