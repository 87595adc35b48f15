import { stretchPassword } from '../../crypto/password.ts';
import type { Work } from '../../service/ports/task.ts';
import type { PasswordJob } from './password-task.ts';

export const passwordWork: Work<PasswordJob, Uint8Array> = async ({ password, salt, ...cost }, thread) => {
  const { verifier } = await thread.native(async () => await stretchPassword(password, salt, cost));
  return verifier;
};
