import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import type { ReplyOf } from '../../../contract/operation.ts';
import type { passvault } from '../../../contract/passvault.ts';
import { Problem } from '../../../base/problem.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** The share that a trustee gives to the person who recovers the vault. */
export interface RecoveryShare {
  readonly vaultId: string;
  readonly trusteeId: string;
  readonly encryptedShare: string;
}

type Share = ReplyOf<(typeof passvault)['emergencyShare']>['share'];

/** @throws Problem forbidden KEY_LOCKED if the session cannot open the share */
export function recoveryShareOf({ vaultId, trusteeId, recoveryShare }: Share): RecoveryShare {
  if (recoveryShare !== undefined) return { vaultId, trusteeId, encryptedShare: recoveryShare };
  const message = 'This session does not have your private key, so it cannot decrypt the share.';
  throw new Problem('forbidden', 'KEY_LOCKED', message);
}

/**
 * Reads shares from files. A file contains a JSON object, a list of objects, or one object on each line.
 *
 * @throws Problem invalid SHARE_UNREADABLE, which names the file
 */
export async function readShares(
  { stdin }: Terminal,
  files: readonly string[],
  vaultId: string,
): Promise<RecoveryShare[]> {
  const shares: RecoveryShare[] = [];
  for (const file of files) {
    try {
      const text = file === '-' ? await textOf(stdin) : await readFile(file, 'utf8');
      shares.push(...parsed(text).map(asShare));
    } catch (cause) {
      throw new Problem(
        'invalid',
        'SHARE_UNREADABLE',
        `${file} is not a share. Print one with: conclave vault emergency share`,
        {
          cause,
        },
      );
    }
  }
  const other = shares.find((share) => share.vaultId !== vaultId);
  if (other !== undefined)
    throw new Problem('invalid', 'SHARE_UNREADABLE', `A share belongs to another vault: ${other.vaultId}.`);
  return shares;
}

/** The problem of an owner who sets a new master password without the old one, and has not recovered the vault before. */
export function asNotRecovered(error: unknown, vault: string): unknown {
  if (!(error instanceof Problem && error.fields.some(({ path }) => path === 'masterPassword'))) return error;
  const message = `You have not recovered ${vault} in this session. Ask its trustees for shares, and run: conclave vault emergency recover ${JSON.stringify(vault)} FILE...`;
  return new Problem('invalid', 'NOT_RECOVERED', message, { cause: error });
}

function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown);
  }
}

function asShare(value: unknown): RecoveryShare {
  const { vaultId, trusteeId, encryptedShare } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (typeof vaultId !== 'string' || typeof trusteeId !== 'string' || typeof encryptedShare !== 'string') {
    throw new TypeError('not a share');
  }
  return { vaultId, trusteeId, encryptedShare };
}
