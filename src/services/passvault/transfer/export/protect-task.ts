import { task } from '../../../../service/ports/task.ts';

export interface ProtectJob {
  readonly json: string;
  readonly password: string;
}

/**
 * Derives a key and encrypts an export, without blocking this thread or the queue of sign-ins. One export runs at a time, and members take
 * turns.
 */
export const protectTask = task<ProtectJob, string>({
  name: 'protect-export',
  // The text, its ciphertext and the base64 of the ciphertext are in memory together.
  memory: 768,
  atOnce: 1,
  queued: 16,
  apart: true,
});
