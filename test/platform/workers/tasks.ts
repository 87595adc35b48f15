import { task } from '../../../src/service/ports/task.ts';

const small = { memory: 32, atOnce: 1, queued: 1 };

export const double = task<Uint8Array, Uint8Array>({ ...small, name: 'double' });
export const count = task<number, string, number>({ ...small, name: 'count' });
export const fail = task<'problem' | 'error' | 'function', never>({ ...small, name: 'fail' });
/** until the thread is ended */
export const forever = task<null, never, string>({ ...small, name: 'forever' });
export const hoard = task<'objects' | 'text', number>({ ...small, name: 'hoard' });
export const unknown = task<null, null>({ ...small, name: 'unknown' });
/** which thread it is in, and what of the process it sees */
export const self = task<'refuse' | 'break' | null, { thread: number; heard: number }>({ ...small, name: 'self' });
