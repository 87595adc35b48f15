import { hash } from 'node:crypto';
import { clientKeyHeaders } from '../contract/operation.ts';
import { Problem } from '../problem.ts';

/** @throws Problem invalid VALIDATION_ERROR, which doesn't repeat what was sent */
export function unlockKeyOf(headers: Headers): Uint8Array | undefined {
  return keyIn(headers, clientKeyHeaders.unlockKey, 'X-Vault-Unlock');
}

/** @returns SHA-256, hex, of what the device shows. @throws Problem invalid VALIDATION_ERROR, which doesn't repeat what was sent */
export function deviceOf(headers: Headers): string | undefined {
  const key = keyIn(headers, clientKeyHeaders.device, 'X-Device');
  return key && hash('sha256', key, 'hex');
}

function keyIn(headers: Headers, header: string, spelled: string): Uint8Array | undefined {
  const text = headers.get(header);
  if (text === null) return undefined;
  if (!/^[\w-]{43}$/.test(text)) {
    const message = 'must be 32 bytes in base64url, without padding';
    throw new Problem('invalid', 'VALIDATION_ERROR', `${spelled}: ${message}`, {
      fields: [{ path: spelled, message }],
    });
  }
  return new Uint8Array(Buffer.from(text, 'base64url'));
}
