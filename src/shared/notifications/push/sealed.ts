import type { Context } from '../../../service/context.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import { hmacSha256Hex } from '../../../crypto/hash.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';
import type { PushKeys } from '../../../crypto/web-push.ts';

/** Where a browser gets push messages, and its keys. Whoever knows the endpoint and the keys can write to the browser. */
export interface PushTarget extends PushKeys {
  readonly endpoint: string;
}

const context = (id: string) => utf8(`conclave/push/subscription/v1\0${id}`);

/** Finds a subscription by its endpoint, which is not in the database. */
export function endpointTag({ keys }: Pick<Context, 'keys'>, endpoint: string): string {
  return hmacSha256Hex(keys.push, utf8(`conclave/push/endpoint/v1\0${endpoint}`));
}

export function sealTarget(
  { keys, random }: Pick<Context, 'keys' | 'random'>,
  id: string,
  { endpoint, p256dh, auth }: PushTarget,
): Uint8Array {
  const [publicKey, secret] = [p256dh, auth].map((bytes) => Buffer.from(bytes).toString('base64url'));
  return sealWithKey(keys.push, utf8(JSON.stringify([endpoint, publicKey, secret])), context(id), random);
}

/** @throws CryptoError */
export function openTarget({ keys }: Pick<Context, 'keys'>, id: string, sealed: Uint8Array): PushTarget {
  const text = Buffer.from(openWithKey(keys.push, sealed, context(id))).toString('utf8');
  const [endpoint, p256dh, auth] = JSON.parse(text) as [string, string, string];
  return { endpoint, p256dh: bytesOf(p256dh), auth: bytesOf(auth) };
}

export function bytesOf(base64url: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}
