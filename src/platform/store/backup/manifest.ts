import * as v from 'valibot';
import { damaged, tooNew } from './damage.ts';

/**
 * A backup is a tar of these entries, in this order.
 *
 *   README.txt              for people
 *   blocks/<id>             the blocks, named by the SHA3-512 of their content
 *   store.db                the database, an SQLite file, also when the store is on PostgreSQL
 *   blocks/<id>             blocks that were added meanwhile
 *   blocks.txt              `<id>  <size>` a line, in the order of the archive
 *   manifest.json.signature the node's signature over manifest.json, in hex; see signature.ts
 *   manifest.json           below
 *   manifest.json.sha3-512  the SHA3-512 of manifest.json, as sha512sum would write it
 *
 * The manifest comes last, because its content is complete only then. A backup that was cut off has no manifest.
 */
export const entryNames = {
  readme: 'README.txt',
  database: 'store.db',
  blockList: 'blocks.txt',
  signature: 'manifest.json.signature',
  manifest: 'manifest.json',
  manifestHash: 'manifest.json.sha3-512',
  blockFolder: 'blocks/',
} as const;

/** Version 1 had no signature and no public key. */
export const formatVersion = 2;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const hexOf = (bytes: number) => v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`)));

/** The node secret under a passphrase: Argon2id, then AES-256-GCM. See node/sealed-secret.ts. */
const sealedSecret = v.object({
  kdf: v.literal('argon2id'),
  memoryKiB: count,
  passes: count,
  lanes: count,
  salt: hexOf(32),
  sealed: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{2}){1,512}$/)),
});
export type SealedSecret = v.InferOutput<typeof sealedSecret>;

const manifest = v.object({
  format: v.literal('conclave-backup'),
  formatVersion: count,
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
  /** version of the program that wrote the backup */
  version: v.string(),
  nodeId: hexOf(20),
  /** compressed public key of the node that signed the backup; missing when nobody signed it */
  publicKey: v.optional(hexOf(33)),
  /** engine of the store that was backed up; the backup can be restored to either engine */
  engine: v.picklist(['sqljs', 'postgres']),
  schemaVersion: count,
  tables: v.array(v.object({ name: v.string(), rows: count })),
  /** all entries except the blocks and the manifest */
  files: v.array(v.object({ name: v.string(), size: count, sha3_512: hexOf(64) })),
  blocks: v.object({ count, bytes: count }),
  secret: v.nullable(sealedSecret),
  /** of the store; null: it never had any. Missing in backups of earlier versions of the program */
  erasureKeys: v.optional(
    v.nullable(
      v.object({
        id: hexOf(16),
        /** that the file must have at least */
        generation: count,
        /** whether they were written beside the backup */
        written: v.boolean(),
      }),
    ),
  ),
});
export type Manifest = v.InferOutput<typeof manifest>;

export function writeManifest(value: Manifest): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** The one field that tells every version of this program that the format is too new for it. */
const newer = v.object({
  format: v.literal('conclave-backup'),
  formatVersion: v.pipe(v.number(), v.gtValue(formatVersion)),
  version: v.fallback(v.string(), 'unknown'),
});

/** @throws Problem invalid BACKUP_DAMAGED | conflict BACKUP_TOO_NEW */
export function readManifest(bytes: Uint8Array): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (cause) {
    throw damaged('its manifest is not JSON', { cause });
  }
  if (v.is(newer, value)) throw tooNew(v.parse(newer, value).version);
  const parsed = v.safeParse(manifest, value);
  if (parsed.success) return parsed.output;
  throw damaged(`its manifest is wrong at ${v.getDotPath(parsed.issues[0]) ?? 'its beginning'}`);
}

export function manifestHashLine(sha3_512: string): string {
  return `${sha3_512}  ${entryNames.manifest}\n`;
}

export const readme = `This is a backup of a Conclave node.

  conclave admin store restore FILE     puts it back; it is checked first, and nothing is touched if it is damaged

store.db is an SQLite database. Each file in blocks/ is named by the SHA3-512 of its content; members' files in
them are encrypted. blocks.txt lists them. manifest.json says what is in here, with hashes, and the node signed it. The node secret is in
the manifest only if the backup was made with secrets, and encrypted under the passphrase given then. So are the erasure keys, in the file
erasure.keys.backup beside this one. Without them no file of the file vault can be opened.
`;
