import type { Context } from '../../../service/context.ts';
import { contentHash } from '../../../crypto/hash.ts';
import { openJson, sealJson, type Place } from './sealing.ts';

interface Header {
  readonly vaultId: string;
  readonly ownerId: string;
  readonly createdAt: number;
}

/** The part that checks a data key: only the right key decrypts it. */
export function sealHeader(ctx: Context, dataKey: Uint8Array, keyVersion: number, header: Header): Uint8Array {
  return sealJson(ctx, dataKey, placeOf(header.vaultId, keyVersion), header);
}

/** @throws CryptoError when the data key is wrong */
export function checkHeader(dataKey: Uint8Array, keyVersion: number, vaultId: string, sealed: Uint8Array): void {
  openJson(dataKey, placeOf(vaultId, keyVersion), sealed);
}

/** The content address of the header, as for blocks. */
export function headerBlockId(sealed: Uint8Array): string {
  return contentHash(sealed);
}

function placeOf(vaultId: string, keyVersion: number): Place {
  return { vaultId, id: '', version: keyVersion, fieldClass: 'header' };
}
