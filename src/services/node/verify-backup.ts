import { dirname, join, resolve } from 'node:path';
import { Problem } from '../../base/problem.ts';
import type { Manifest } from '../../platform/store/backup/manifest.ts';
import { openBackup } from '../../platform/store/backup/read-backup.ts';
import { ifMissing } from '../../platform/store/durable-file.ts';
import { calm, type OnProgress } from '../../platform/store/transfer/progress.ts';
import type { Check } from '../../platform/store/verify.ts';
import { idOfSealedKeys, openErasureKeysFile, sealedKeysName } from './sealed-keys.ts';
import { openNodeSecretSeal } from './sealed-secret.ts';

export interface VerifyBackupRequest {
  readonly file: string;
  /** without it, what is encrypted with it is not opened */
  readonly passphrase?: string | undefined;
  readonly onProgress?: OnProgress | undefined;
}

/**
 * Reads a backup to its end, and opens what a restore needs besides.
 * @throws Problem missing BACKUP_MISSING; invalid BACKUP_NOT_A_BACKUP, BACKUP_DAMAGED; conflict BACKUP_TOO_NEW
 */
export async function verifyBackup(request: VerifyBackupRequest): Promise<{ ok: boolean; checks: Check[] }> {
  await using backup = await openBackup(resolve(request.file));
  await backup.checkContents(calm(request.onProgress));
  const { manifest } = backup;
  const checks = [
    { name: 'backup', ok: true, detail: `of ${manifest.createdAt}, ${manifest.blocks.count} blocks` },
    await checkSecret(manifest, request),
    await checkKeys(manifest, request),
  ];
  return { ok: checks.every(({ ok }) => ok), checks };
}

async function checkSecret({ secret, nodeId }: Manifest, { passphrase }: VerifyBackupRequest): Promise<Check> {
  const name = 'node secret';
  if (secret === null) return { name, ok: true, detail: 'not in the backup; a restore needs a copy of node.secret' };
  if (passphrase === undefined) return { name, ok: true, detail: 'encrypted; not opened without a passphrase' };
  return await opened(name, async () => await openNodeSecretSeal(secret, nodeId, passphrase));
}

async function checkKeys({ erasureKeys: keys }: Manifest, { file, passphrase }: VerifyBackupRequest): Promise<Check> {
  const name = 'erasure keys';
  const path = join(dirname(resolve(file)), sealedKeysName);
  if (keys === null) return { name, ok: true, detail: 'none needed' };
  const id = await idOfSealedKeys(path).catch(ifMissing);
  if (keys === undefined) {
    const beside = id === undefined ? 'are not beside the backup' : 'beside the backup may be those of it';
    return { name, ok: true, detail: `an earlier version of Conclave wrote the backup; keys ${beside}` };
  }
  if (id !== keys.id) {
    const detail = `${keys.written ? `not in ${path}` : 'not written with the backup'}; a restore needs a copy of erasure.keys (${keys.id})`;
    return { name, ok: !keys.written, detail };
  }
  if (passphrase === undefined) return { name, ok: true, detail: 'encrypted; not opened without a passphrase' };
  return await opened(name, async () => {
    const { generation } = await openErasureKeysFile(path, async () => passphrase);
    if (generation < keys.generation)
      throw new Problem('invalid', 'ERASURE_KEYS_STALE', `${path} is from before the backup.`);
  });
}

async function opened(name: string, open: () => Promise<unknown>): Promise<Check> {
  try {
    await open();
    return { name, ok: true, detail: 'opened with the passphrase' };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { name, ok: false, detail: error.message };
  }
}
