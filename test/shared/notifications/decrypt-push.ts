import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';

// What a browser does with a push message, written from RFC 8188 and RFC 8291 without the program's own functions.

function derived(secret: Uint8Array, salt: Uint8Array, info: string | Uint8Array, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}

export interface EncodedHeader {
  readonly salt: Buffer;
  readonly recordSize: number;
  readonly keyId: Buffer;
  readonly records: Buffer;
}

export function readHeader(body: Uint8Array): EncodedHeader {
  const bytes = Buffer.from(body);
  const end = 21 + bytes.readUInt8(20);
  return {
    salt: bytes.subarray(0, 16),
    recordSize: bytes.readUInt32BE(16),
    keyId: bytes.subarray(21, end),
    records: bytes.subarray(end),
  };
}

/** RFC 8188. @returns the plaintext */
export function decodeAes128gcm(body: Uint8Array, secret: Uint8Array): Buffer {
  const { salt, recordSize, records } = readHeader(body);
  const key = derived(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
  const base = derived(secret, salt, 'Content-Encoding: nonce\0', 12);
  const plain: Buffer[] = [];
  for (let start = 0, number = 0; start < records.length; start += recordSize, number += 1) {
    const record = records.subarray(start, start + recordSize);
    const nonce = Buffer.from(base);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ number) >>> 0, 8);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce);
    decipher.setAuthTag(record.subarray(-16));
    const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    const end = padded.findLastIndex((byte) => byte !== 0);
    const isLast = start + recordSize >= records.length;
    if (padded[end] !== (isLast ? 2 : 1)) throw new Error(`record ${number} ends with ${padded[end]}`);
    plain.push(padded.subarray(0, end));
  }
  return Buffer.concat(plain);
}

/** The keys of a browser's subscription. */
export interface BrowserKeys {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly auth: Uint8Array;
}

/** RFC 8291. */
export function decryptPush({ privateKey, publicKey, auth }: BrowserKeys, body: Uint8Array): Buffer {
  const { keyId } = readHeader(body);
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(privateKey);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, keyId]);
  return decodeAes128gcm(body, derived(ecdh.computeSecret(keyId), auth, info, 32));
}
