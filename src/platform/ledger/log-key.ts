import type { NodeKeys } from '../../config/node-keys.ts';
import { toHex, utf8 } from '../../crypto/bytes.ts';
import { sha256 } from '../../crypto/hash.ts';
import { logTagOf, parseVerifierKey } from '../../crypto/verifier-key.ts';

export type LogKeys = Pick<NodeKeys, 'identity' | 'nodeId' | 'ledgerLog' | 'ledgerLogKey'>;

/** The verifier key that identifies the log, in its text form: `origin+hash+key`. */
export function logKeyOf({ ledgerLogKey }: Pick<LogKeys, 'ledgerLogKey'>): string {
  return ledgerLogKey;
}

/** The id of the log in other records: SHA-256 of the text form of its verifier key, hex. */
export function chainIdOf(logKey: string): string {
  return toHex(sha256(utf8(logKey)));
}

/** The name of the log that a key signs. */
export function originOf(logKey: string): string {
  return logKey.slice(0, logKey.indexOf('+'));
}

/**
 * Makes the log of a key the current one, if it is a log of this node. Another process may have recovered the node; the head of the ledger
 * then names the key of the new log.
 */
export function followLog(keys: Pick<NodeKeys, 'nodeId' | 'logOf' | 'useLog'>, logKey: string): boolean {
  const name = parseVerifierKey(logKey)?.name;
  const tag = name === undefined ? undefined : logTagOf(keys.nodeId, name);
  if (tag === undefined || keys.logOf(tag).ledgerLogKey !== logKey) return false;
  keys.useLog(tag);
  return true;
}
