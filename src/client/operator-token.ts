import { mintOperatorToken } from '../shared/members/tokens.ts';
import { loadConfig } from '../config/load.ts';
import { deriveNodeKeys } from '../config/node-keys.ts';
import { openNodeSecret } from '../config/node-secret.ts';
import { systemRandom } from '../crypto/bytes.ts';

/**
 * Creates a token of type System for the running server of a data directory. The caller must be able to read its node secret.
 *
 * @throws Problem missing NODE_SECRET_MISSING
 */
export async function operatorToken(
  dataDir: string,
  { config, env }: { config?: string | undefined; env: NodeJS.ProcessEnv },
): Promise<string> {
  const loaded = await loadConfig({ flags: { 'data-dir': dataDir, config }, env });
  const secret = await openNodeSecret(loaded.config.nodeSecretFile, { create: false, random: systemRandom });
  return await mintOperatorToken(deriveNodeKeys(secret), { now: Date.now });
}
