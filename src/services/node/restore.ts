import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { deriveNodeKeys } from '../../config/node-keys.ts';
import { openNodeSecret } from '../../config/node-secret.ts';
import { nodeSecretPath } from '../../config/paths.ts';
import { Problem } from '../../base/problem.ts';
import { damaged } from '../../platform/store/backup/damage.ts';
import type { Manifest } from '../../platform/store/backup/manifest.ts';
import { openBackup, type Backup } from '../../platform/store/backup/read-backup.ts';
import { restoreBackup } from '../../platform/store/backup/restore-backup.ts';
import { refuseWritable } from '../../platform/store/data-folder.ts';
import type { EngineName } from '../../platform/store/database.ts';
import { acquireLock } from '../../platform/store/lock.ts';
import { finishRestore } from '../../platform/store/pending-restore.ts';
import type { OnProgress } from '../../platform/store/transfer/progress.ts';
import { planKeys, type KeysOutcome } from './restore-keys.ts';
import { openNodeSecretSeal } from './sealed-secret.ts';
import { configuredPlace, type Loaded } from './store-place.ts';

export interface RestoreRequest {
  readonly file: string;
  /** replace an existing store and an existing node secret */
  readonly force?: boolean | undefined;
  /** keep the node secret as it is, even if it belongs to another node or is absent */
  readonly otherNode?: boolean | undefined;
  /** allows a backup that this node didn't sign; called with a sentence about the backup before anything changes */
  readonly trust?: ((said: string) => void) | undefined;
  /** passphrase of the node secret in the backup; a function is called only when the passphrase is needed */
  readonly passphrase?: string | (() => Promise<string>) | undefined;
  /** a file of erasure keys, or what a backup has of it; default: what lies beside the backup */
  readonly erasureKeys?: string | undefined;
  /** go on without erasure keys, so that no file of the file vault in the backup can be opened */
  readonly withoutFiles?: boolean | undefined;
  readonly command?: string | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface RestoreReport {
  readonly file: string;
  readonly location: string;
  readonly engine: EngineName;
  readonly nodeId: string;
  /** when the backup was made, ISO 8601 */
  readonly createdAt: string;
  readonly schemaVersion: number;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly rows: number;
  /** how many sessions the backup had; everybody signs in again */
  readonly endedSessions: number;
  readonly blocks: number;
  readonly blockBytes: number;
  /** restored from the backup; kept as it was; of another node; or absent */
  readonly secret: 'restored' | 'kept' | 'other' | 'absent';
  /** restored from the backup or the named file; kept as they were; not needed; or lost, and every file of the file vault with them */
  readonly erasureKeys: KeysOutcome;
  /** where the erasure keys of another store are now that were in place */
  readonly movedErasureKeys?: string | undefined;
}

/**
 * Replaces the configured store by a backup. No server may run on the store.
 *
 * @throws Problem missing BACKUP_MISSING | NODE_SECRET_MISSING; invalid BACKUP_NOT_A_BACKUP | BACKUP_DAMAGED | PASSPHRASE_WRONG |
 *   ERASURE_KEYS_MISSING; conflict BACKUP_UNTRUSTED | BACKUP_TOO_NEW | STORE_EXISTS | STORE_IN_USE | OTHER_NODE |
 *   ERASURE_KEYS_OF_OTHER_STORE; unavailable STORE_FULL
 */
export async function restoreStore(loaded: Loaded, request: RestoreRequest): Promise<RestoreReport> {
  const { dataDir } = configuredPlace(loaded);
  await using backup = await openBackup(resolve(request.file));
  await refuseWritable(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Servers on PostgreSQL don't hold this lock, but other restores do.
  const lock = await acquireLock(dataDir, request.command ?? 'conclave admin store restore');
  try {
    await finishRestore(dataDir);
    return await restoreLocked(loaded, backup, request);
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

async function restoreLocked(loaded: Loaded, backup: Backup, asked: RestoreRequest): Promise<RestoreReport> {
  const { manifest } = backup;
  const passphrase = askedOnce(asked.passphrase);
  const request = { ...asked, passphrase };
  const { dataDir, url, engine, location } = configuredPlace(loaded);
  const { secret, inStep, before } = await planSecret(loaded, manifest, request);
  // The backup is our own only if this node has the same secret, or the passphrase decrypts it. All other backups need trust.
  const isOurs = backup.signedBy === manifest.nodeId && (secret === 'kept' || secret === 'restored');
  if (!isOurs) {
    const summary = summaryOf(backup);
    if (request.trust === undefined) throw untrusted(summary);
    request.trust(introduce(summary));
  }
  const force = request.force ?? false;
  const keys = planKeys(
    { config: loaded.config, inStep: url === undefined },
    { ...request, force, passphrase: passphrase ?? noPassphrase },
  );
  const restored = await restoreBackup(backup, {
    dataDir,
    url,
    force,
    inspect: keys.inspect,
    inStep: () => [
      ...(inStep === undefined ? [] : [{ name: 'node.secret' as const, content: inStep }]),
      ...keys.inStep(),
    ],
    async beforeSwitch() {
      await before?.();
      await keys.before();
    },
    onProgress: request.onProgress,
  });
  return {
    file: resolve(request.file),
    location,
    engine,
    nodeId: manifest.nodeId,
    createdAt: manifest.createdAt,
    ...restored,
    rows: restored.tables.reduce((sum, { rows }) => sum + rows, 0),
    blocks: manifest.blocks.count,
    blockBytes: manifest.blocks.bytes,
    secret,
    erasureKeys: keys.outcome(),
    movedErasureKeys: keys.movedTo(),
  };
}

/** The secret and the erasure keys have the same one. */
function askedOnce(passphrase: RestoreRequest['passphrase']): (() => Promise<string>) | undefined {
  if (passphrase === undefined) return undefined;
  if (typeof passphrase === 'string') return async () => passphrase;
  let said: Promise<string> | undefined;
  return async () => await (said ??= passphrase());
}

async function noPassphrase(): Promise<never> {
  throw new Problem(
    'invalid',
    'PASSPHRASE_WRONG',
    'Give the passphrase of the erasure keys that are beside the backup.',
  );
}

interface SecretPlan {
  readonly secret: RestoreReport['secret'];
  /** a file that is put in place in one step with the store */
  readonly inStep?: Uint8Array;
  readonly before?: () => Promise<void>;
}

async function planSecret(loaded: Loaded, manifest: Manifest, request: RestoreRequest): Promise<SecretPlan> {
  const path = loaded.config.nodeSecretFile;
  const present = await nodeOfSecret(path);
  if (present === manifest.nodeId) return { secret: 'kept' };
  if (manifest.secret === null || request.passphrase === undefined || request.otherNode === true)
    return withoutSecret(present, manifest, request);
  if (present !== undefined && request.force !== true)
    throw otherNode(present, manifest, 'To replace its secret as well, use --force');
  const passphrase = typeof request.passphrase === 'string' ? request.passphrase : await request.passphrase();
  const secret = await openNodeSecretSeal(manifest.secret, manifest.nodeId, passphrase);
  if (deriveNodeKeys(secret).nodeId !== manifest.nodeId) throw damaged('the node secret in it belongs to another node');
  const besideStore =
    loaded.config.database === undefined && resolve(path) === resolve(nodeSecretPath(loaded.config.dataDir));
  if (besideStore) return { secret: 'restored', inStep: secret };
  // Two places can't change in one step. If there is no secret yet, writing the secret first does no harm.
  if (present !== undefined) throw otherNode(present, manifest, `Move ${path} away first`);
  return { secret: 'restored', before: async () => await placeSecret(path, secret) };
}

function withoutSecret(present: string | undefined, manifest: Manifest, request: RestoreRequest): SecretPlan {
  if (request.otherNode === true) return { secret: present === undefined ? 'absent' : 'other' };
  const how =
    manifest.secret === null
      ? 'Put the file of its node secret in place first'
      : 'Give the passphrase of the secret in the backup';
  if (present !== undefined) throw otherNode(present, manifest, how);
  throw new Problem(
    'missing',
    'NODE_SECRET_MISSING',
    `The node secret of ${manifest.nodeId} is missing. Without it ${unusable}. ${how}, or go on without it: --other-node`,
  );
}

function otherNode(present: string, { nodeId }: Manifest, how: string): Problem {
  return new Problem(
    'conflict',
    'OTHER_NODE',
    `The backup is of the node ${nodeId}, and the node secret here belongs to ${present}. With it ${unusable}. Nothing was changed. ${how}.`,
  );
}

const unusable = 'the recovery phrases and backup codes in the backup do not work (signing in with a password does)';

/** The id of the node that a secret file belongs to; undefined if there is no file. */
async function nodeOfSecret(path: string): Promise<string | undefined> {
  try {
    return deriveNodeKeys(await openNodeSecret(path, { create: false })).nodeId;
  } catch (error) {
    if (error instanceof Problem && error.code === 'NODE_SECRET_MISSING') return undefined;
    throw error;
  }
}

async function placeSecret(path: string, secret: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await openNodeSecret(path, { create: true, random: () => secret });
}

export interface BackupSummary {
  readonly nodeId: string;
  readonly createdAt: string;
  /** version of the program that made the backup */
  readonly version: string;
  readonly engine: EngineName;
  readonly schemaVersion: number;
  readonly rows: number;
  readonly blocks: number;
  readonly blockBytes: number;
  readonly bytes: number;
  readonly withSecrets: boolean;
  /** whether the node that the backup names has signed it */
  readonly signed: boolean;
}

/** What a backup says about itself. Its contents aren't checked. */
export async function describeBackup(file: string): Promise<BackupSummary> {
  await using backup = await openBackup(resolve(file));
  return summaryOf(backup);
}

function summaryOf(backup: Backup): BackupSummary {
  const { nodeId, createdAt, version, engine, schemaVersion, tables, blocks, secret } = backup.manifest;
  return {
    nodeId,
    createdAt,
    version,
    engine,
    schemaVersion,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    blocks: blocks.count,
    blockBytes: blocks.bytes,
    bytes: backup.bytes,
    signed: backup.signedBy !== undefined,
    withSecrets: secret !== null,
  };
}

/** Describes a backup in one sentence, from its own statements. */
function introduce({ nodeId, createdAt, version, schemaVersion, rows, blocks, signed }: BackupSummary): string {
  const by = signed
    ? `is signed by the node ${nodeId}, which is not this one`
    : `names the node ${nodeId}, and is not signed`;
  return `The backup ${by}. It was made at ${createdAt} by version ${version}, with ${rows} rows, ${blocks} blocks and schema ${schemaVersion}.`;
}

function untrusted(summary: BackupSummary): Problem {
  return new Problem(
    'conflict',
    'BACKUP_UNTRUSTED',
    `${introduce(summary)} Whoever wrote it could have put anything into it. Nothing was changed. If you know where it comes from, use --trust.`,
  );
}
