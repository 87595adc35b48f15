import { unlockKeyHeader } from '../contract/operation.ts';
import { Problem } from '../problem.ts';

/** @throws Problem invalid VALIDATION_ERROR, which doesn't repeat what was sent */
export function unlockKeyOf(headers: Headers): Uint8Array | undefined {
  const text = headers.get(unlockKeyHeader);
  if (text === null) return undefined;
  if (!/^[\w-]{43}$/.test(text)) {
    const message = 'must be 32 bytes in base64url, without padding';
    throw new Problem('invalid', 'VALIDATION_ERROR', `X-Vault-Unlock: ${message}`, {
      fields: [{ path: 'X-Vault-Unlock', message }],
    });
  }
  return new Uint8Array(Buffer.from(text, 'base64url'));
}
