import { Problem } from '../../base/problem.ts';

/** Whether the node may answer later what it does not answer now. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  const { kind, code } = error;
  if (kind === 'network') return code === 'NETWORK' || code === 'BAD_REPLY';
  return kind === 'unavailable' || kind === 'tooMany' || code === 'STORE_IN_USE';
}
