import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import type { Random } from '../../crypto/bytes.ts';
import { utf8 } from '../../crypto/bytes.ts';
import { wipe } from '../../crypto/puncturable-prf.ts';
import { Problem } from '../../base/problem.ts';
import { decodeKeyFile } from '../../platform/store/erasure/key-file.ts';
import { readErasureKeys } from '../../platform/store/erasure-keys.ts';
import { openUnder, sealUnder } from './sealed-secret.ts';

/** The name of the file of erasure keys beside a backup. It is one for all backups of a folder: the newest one opens what they have. */
export const sealedKeysName = 'erasure.keys.backup';

/** Whoever made the file must not make the one who opens it compute for hours. */
const cost = (most: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(most));
const hexOf = (bytes: number) => v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`)));

const format = v.object({
  format: v.literal('conclave-erasure-keys'),
  formatVersion: v.literal(1),
  /** of the file of erasure keys */
  id: hexOf(16),
  kdf: v.literal('argon2id'),
  memoryKiB: cost(2 ** 20),
  passes: cost(16),
  lanes: cost(16),
  salt: hexOf(32),
  /** the file, in base64 */
  sealed: v.pipe(v.string(), v.base64()),
});
type Format = v.InferOutput<typeof format>;

/** The content of a file of erasure keys. */
export interface PlainKeys {
  readonly id: string;
  readonly generation: number;
  readonly bytes: Uint8Array;
}

/** Reads the file of the store and encrypts it with a passphrase. @throws as `readErasureKeys` does */
export async function sealErasureKeys(
  { id, bytes }: PlainKeys,
  passphrase: string,
  random: Random,
): Promise<Uint8Array> {
  const { sealed, ...how } = await sealUnder(passphrase, bytes, contextOf(id), random);
  bytes.fill(0);
  const content: Format = {
    format: 'conclave-erasure-keys',
    formatVersion: 1,
    id,
    ...how,
    sealed: Buffer.from(sealed).toString('base64'),
  };
  return Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`);
}

/** The id that a file of sealed keys names. @returns undefined if it is none. @throws NodeJS error ENOENT */
export async function idOfSealedKeys(path: string): Promise<string | undefined> {
  return read(await readFile(path))?.id;
}

/**
 * Reads a file of erasure keys, or one that a backup has of it.
 * @param passphrase called only for the latter
 * @throws NodeJS error ENOENT; Problem invalid PASSPHRASE_WRONG, ERASURE_KEYS_INVALID
 */
export async function openErasureKeysFile(path: string, passphrase: () => Promise<string>): Promise<PlainKeys> {
  const sealed = read(await readFile(path));
  if (sealed === undefined) return await readErasureKeys(path);
  const { id, sealed: text, ...how } = sealed;
  const bytes = await openUnder(
    await passphrase(),
    { ...how, sealed: Buffer.from(text, 'base64') },
    contextOf(id),
    `the erasure keys in ${path}`,
  );
  const content = decodeKeyFile(bytes);
  if (content === undefined || content.id !== id)
    throw new Problem('invalid', 'ERASURE_KEYS_INVALID', `${path}: the file of erasure keys is damaged.`);
  wipe(content.cover);
  return { id, generation: content.generation, bytes };
}

function read(bytes: Uint8Array): Format | undefined {
  if (bytes[0] !== 0x7b) return undefined;
  try {
    const parsed = v.safeParse(format, JSON.parse(Buffer.from(bytes).toString('utf8')));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}

function contextOf(id: string): Uint8Array {
  return utf8(`conclave/backup/erasure-keys/v1/${id}`);
}
