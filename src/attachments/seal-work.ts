import { createHash } from 'node:crypto';
import { sealWithKey } from '../crypto/sealing.ts';
import type { Work } from '../offload/task.ts';
import type { SealedContent, SealJob } from './tasks.ts';

export function sealAndHash({ key, iv, context, content }: SealJob): SealedContent {
  const sha256 = new Uint8Array(createHash('sha256').update(content).digest());
  return { sealed: sealWithKey(key, content, context, () => iv), sha256 };
}

/** The same in a thread, which gives the ciphertext away. */
export const sealWork: Work<SealJob, SealedContent> = (job, { transfer }) => {
  const done = sealAndHash(job);
  transfer.push(done.sealed.buffer as ArrayBuffer);
  return done;
};
