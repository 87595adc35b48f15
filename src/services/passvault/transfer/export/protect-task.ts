import { task } from '../../../../offload/task.ts';

export interface ProtectJob {
  readonly json: string;
  readonly password: string;
}

/**
 * Derives a key and encrypts an export: neither this thread nor the queue of sign-ins knows of it. One at a time, members taking turns.
 */
export const protectTask = task<ProtectJob, string>({
  name: 'protect-export',
  // The text, its ciphertext and the base 64 of that stand beside each other.
  memory: 768,
  atOnce: 1,
  queued: 16,
});
