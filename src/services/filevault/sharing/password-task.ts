import { task } from '../../../offload/task.ts';

export interface PasswordJob {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
}

/** Stretches the password of a link, in a queue of its own: anybody can ask for this work, and nobody's sign-in waits for it. */
export const passwordTask = task<PasswordJob, Uint8Array>({
  name: 'share-password',
  memory: 64,
  atOnce: 2,
  queued: 64,
});
