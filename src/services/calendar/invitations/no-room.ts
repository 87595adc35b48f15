import { Problem } from '../../../base/problem.ts';

/** What the store of one member does not take stops nobody else. @throws what else it is */
export function noRoom(error: unknown): undefined {
  const full = new Set(['STORAGE_QUOTA_EXCEEDED', 'EVENTS_FULL', 'VALIDATION_ERROR']);
  if (error instanceof Problem && full.has(error.code)) return undefined;
  throw error;
}
