import { CryptoError } from '../../../crypto/crypto-error.ts';
import { deriveIdentity } from '../../../crypto/identity.ts';
import { mnemonicToSeed } from '../../../crypto/mnemonic.ts';
import { memberIdOf } from '../../../crypto/public-key.ts';
import {
  joinKey,
  openDocument,
  sealDocument,
  unwrapShare,
  wrapKey,
  type WrappedShare,
} from '../../../crypto/formats/quorum/document.ts';
import { assertJson } from '../../../base/json-text.ts';
import { Problem } from '../../../base/problem.ts';
import type { Transferable, Work } from '../../../service/ports/task.ts';
import type { SealJob, Unsealed, UnsealJob, WrapJob } from './tasks.ts';

/** Seals in a thread, which transfers the ciphertext. */
export const sealWork: Work<SealJob, Uint8Array> = ({ key, header, content }, { transfer }) => {
  const sealed = sealDocument(key, header, content);
  key.fill(0);
  pass(transfer, sealed);
  return sealed;
};

export const wrapWork: Work<WrapJob, WrappedShare[]> = async ({ key, members, sharesRequired, place }) => {
  const shares = await wrapKey(key, members, sharesRequired, place);
  key.fill(0);
  return shares;
};

/** Opens in a thread, which transfers the content, so no copy stays there. */
export const unsealWork: Work<UnsealJob, Unsealed> = async (job, { transfer }) => {
  const shares: Uint8Array[] = [];
  const wrong: number[] = [];
  for (const [at, credential] of job.credentials.entries()) {
    const share = await shareOf(job, credential);
    if (share === undefined) wrong.push(at);
    else shares.push(share);
  }
  try {
    if (wrong.length > 0) return { wrong };
    const content = await contentOf(job, shares);
    if (content === undefined) return { damaged: true };
    pass(transfer, content);
    return { content };
  } finally {
    for (const share of shares) share.fill(0);
  }
};

/** Every reason is the same to the caller: the phrase, the member, or what the store has of the share. */
async function shareOf(
  { documentId, epochNumber, generation }: UnsealJob,
  { memberId, mnemonic, wrapped }: UnsealJob['credentials'][number],
): Promise<Uint8Array | undefined> {
  try {
    const seed = await mnemonicToSeed(mnemonic);
    const { privateKey, publicKey } = deriveIdentity(seed);
    seed.fill(0);
    try {
      if (wrapped === undefined || memberIdOf(publicKey) !== memberId) return undefined;
      return unwrapShare(privateKey, wrapped, { documentId, memberId, epochNumber, generation });
    } finally {
      privateKey.fill(0);
    }
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

async function contentOf(
  { header, sealed, sharesRequired }: UnsealJob,
  shares: readonly Uint8Array[],
): Promise<Uint8Array | undefined> {
  try {
    // Each of them is the share that was made, so any of them give the key.
    const key = await joinKey(shares.slice(0, sharesRequired));
    try {
      const content = openDocument(key, header, sealed);
      // It goes out as it is, and a member who re-keyed the document may have sealed something else.
      assertJson(content);
      return content;
    } finally {
      key.fill(0);
    }
  } catch (error) {
    if (error instanceof CryptoError || error instanceof Problem) return undefined;
    throw error;
  }
}

/** Content that has memory of its own moves to the other thread. */
function pass(transfer: Transferable[], bytes: Uint8Array): void {
  if (bytes.byteLength === bytes.buffer.byteLength) transfer.push(bytes.buffer as ArrayBuffer);
}
