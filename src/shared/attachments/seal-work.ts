import { createHash } from 'node:crypto';
import { openWithKey, sealWithKey } from '../../crypto/sealing.ts';
import type { Work } from '../../service/ports/task.ts';
import type { OpenJob, SealedContent, SealJob } from './tasks.ts';

export function sealAndHash({ key, iv, context, content }: SealJob): SealedContent {
  const sha256 = new Uint8Array(createHash('sha256').update(content).digest());
  return { sealed: sealWithKey(key, content, context, () => iv), sha256 };
}

/** Seals in a thread, which transfers the ciphertext. */
export const sealWork: Work<SealJob, SealedContent> = (job, { transfer }) => {
  const done = sealAndHash(job);
  transfer.push(done.sealed.buffer as ArrayBuffer);
  return done;
};

/** Opens in a thread, which transfers the content, so no copy stays there. */
export const openWork: Work<OpenJob, Uint8Array> = ({ key, context, sealed }, { transfer }) => {
  const content = openWithKey(key, sealed, context);
  if (content.byteLength === content.buffer.byteLength) transfer.push(content.buffer as ArrayBuffer);
  return content;
};
