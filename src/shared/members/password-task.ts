import { task } from '../../service/ports/task.ts';

export interface PasswordJob {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
}

/** Stretches passwords of links and codes of canaries, in a queue of their own: anybody can ask for this work, and nobody's sign-in waits for it. */
export const passwordTask = task<PasswordJob, Uint8Array>({
  name: 'password',
  memory: 64,
  atOnce: 2,
  queued: 64,
});
