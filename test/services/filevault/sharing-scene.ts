import { eciesDecrypt } from '../../../src/crypto/ecies.ts';
import { openMessage, sealedLength } from '../../../src/crypto/formats/file-content/chunked-encryption.ts';
import { fromHex } from '../../../src/crypto/bytes.ts';
import { deriveIdentity } from '../../../src/crypto/identity.ts';
import { mnemonicToSeed } from '../../../src/crypto/mnemonic.ts';
import { blockContext, openManifest, sharedKeyContext } from '../../../src/crypto/formats/file-content/file-content.ts';
import type { OpenedLink } from '../../../src/contract/filevault/links.ts';
import type { ApiAnswer, ApiOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import type { Scene } from './scene.ts';

export type Answered = Omit<OpenedLink, 'encryptedContent'> & { readonly encryptedContent?: string };

/** Answers what was made. */
export async function makeLink(scene: Scene, fileId: string, more: object = {}, token?: string) {
  const body = { fileId, mode: 'server_proxied', ...more };
  const made = await scene.get('POST', '/share/link', body, token === undefined ? {} : { token });
  return made as { id: string; token: string; url: string; versionId: string };
}

/** A request without a sign-in. */
export async function visit(scene: Scene, path: string, options: ApiOptions = {}): Promise<ApiAnswer> {
  return await scene.house.api('GET', `/filevault/share/link/${path}`, options);
}

/** The content of a link, or what was said instead. */
export async function fetchContent(
  scene: Scene,
  token: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const url = `http://house.test/filevault/share/link/${token}/content`;
  const answer = await scene.house.fetch(new Request(url, { method, headers }));
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** What a reader of a link does: opens the key, the manifest, and every block, and notices everything that is wrong. */
export function decrypted(opened: Answered, privateKey: Uint8Array, sealed: Uint8Array): Buffer {
  const named = { id: opened.contentId, file_id: opened.fileId };
  const key = eciesDecrypt(privateKey, fromHex(opened.wrappedKey!), sharedKeyContext(opened.id, named));
  const manifest = openManifest(key, named, Buffer.from(opened.manifest!, 'base64'));
  if (manifest === undefined) throw new Error('the manifest does not open');
  const whole = sealedLength(manifest.chunkSize);
  const blocks = manifest.hashes.map((_, place) => {
    const block = openMessage(key, blockContext(named, place), sealed.subarray(place * whole, (place + 1) * whole));
    if (block === undefined) throw new Error(`the block ${place} does not open`);
    return block;
  });
  return Buffer.concat(blocks);
}

/** The private key in the fragment of a link. */
export function fragmentOf(url: string): Uint8Array {
  return new Uint8Array(Buffer.from(new URL(url).hash.slice(1), 'base64url'));
}

/** From the recovery phrase. */
export async function privateKeyOf({ mnemonic }: HouseMember): Promise<Uint8Array> {
  return deriveIdentity(await mnemonicToSeed(mnemonic)).privateKey;
}
