import type { NodeKeys } from '../../config/node-keys.ts';
import { logTagOf, parseVerifierKey } from '../../crypto/verifier-key.ts';

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
