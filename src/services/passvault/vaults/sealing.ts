import { openContent, sealContent } from '../../../shared/attachments/off-thread.ts';
import { IV_LENGTH } from '../../../crypto/aes-gcm.ts';
import type { Context } from '../../../service/context.ts';
import { fromUtf8, utf8 } from '../../../crypto/bytes.ts';
import { deriveKey } from '../../../crypto/hkdf.ts';
import { openWithKey, sealWithKey } from '../../../crypto/sealing.ts';

/** The kind of a ciphertext of a vault. A ciphertext of one kind never opens as another kind. */
export type FieldClass = 'header' | 'page' | 'entry' | 'attachment' | 'attachment-content';

/** Where a ciphertext belongs. All of it is authenticated: a ciphertext that was moved or rolled back doesn't open. */
export interface Place {
  readonly vaultId: string;
  /** id of the entry or attachment, number of the page; empty for the header */
  readonly id: string;
  /** version of the row that holds the ciphertext */
  readonly version: number;
  readonly fieldClass: FieldClass;
}

function contextOf({ vaultId, id, version, fieldClass }: Place): Uint8Array {
  return utf8(`conclave/passvault/${fieldClass}/v1/${vaultId}/${id}/${version}`);
}

export function sealBytes(ctx: Context, dataKey: Uint8Array, place: Place, bytes: Uint8Array): Uint8Array {
  return sealWithKey(dataKey, bytes, contextOf(place), ctx.random);
}

/** The same, in a thread if the content is large. @throws Problem unavailable OVERLOADED */
export async function sealContentBytes(
  ctx: Context,
  dataKey: Uint8Array,
  place: Place,
  content: Uint8Array,
): Promise<Uint8Array> {
  const job = { key: dataKey, iv: ctx.random(IV_LENGTH), context: contextOf(place), content };
  return (await sealContent(ctx.offload, job)).sealed;
}

/** Opens what `sealContentBytes` sealed, in a thread if it is large. @throws CryptoError, Problem unavailable OVERLOADED */
export async function openContentBytes(
  ctx: Context,
  dataKey: Uint8Array,
  place: Place,
  sealed: Uint8Array,
): Promise<Uint8Array> {
  return await openContent(ctx.offload, { key: dataKey, context: contextOf(place), sealed });
}

/** @throws CryptoError */
export function openBytes(dataKey: Uint8Array, place: Place, sealed: Uint8Array): Uint8Array {
  return openWithKey(dataKey, sealed, contextOf(place));
}

export function sealJson(ctx: Context, dataKey: Uint8Array, place: Place, value: unknown): Uint8Array {
  return sealBytes(ctx, dataKey, place, utf8(JSON.stringify(value)));
}

/** Opens JSON that only callers of this module have sealed. @throws CryptoError */
export function openJson(dataKey: Uint8Array, place: Place, sealed: Uint8Array): unknown {
  return JSON.parse(openText(dataKey, place, sealed));
}

/** @throws CryptoError */
export function openText(dataKey: Uint8Array, place: Place, sealed: Uint8Array): string {
  const bytes = openBytes(dataKey, place, sealed);
  const text = fromUtf8(bytes);
  bytes.fill(0);
  return text;
}

/** Names are visible while a vault is closed, so a key of the node seals them. */
export function nameSealer(ctx: Context): {
  seal(vaultId: string, name: string): Uint8Array;
  open(vaultId: string, sealed: Uint8Array): string;
} {
  const key = deriveKey(ctx.keys.wrap, 'conclave/passvault/name/v1');
  return {
    seal: (vaultId, name) => sealWithKey(key, utf8(name), utf8(vaultId), ctx.random),
    open: (vaultId, sealed) => fromUtf8(openWithKey(key, sealed, utf8(vaultId))),
  };
}

function seedKey(ctx: Context): Uint8Array {
  return deriveKey(ctx.keys.wrap, 'conclave/passvault/seed/v1');
}

export function wrapSeed(ctx: Context, vaultId: string, seed: Uint8Array): Uint8Array {
  return sealWithKey(seedKey(ctx), seed, utf8(vaultId), ctx.random);
}

/** @throws CryptoError */
export function unwrapSeed(ctx: Context, vaultId: string, wrapped: Uint8Array): Uint8Array {
  return openWithKey(seedKey(ctx), wrapped, utf8(vaultId));
}
