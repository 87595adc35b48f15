import { task } from '../../../src/service/ports/task.ts';

const small = { memory: 32, atOnce: 1, queued: 1 };

export const double = task<Uint8Array, Uint8Array>({ ...small, name: 'double' });
export const count = task<number, string, number>({ ...small, name: 'count' });
export const fail = task<'problem' | 'error' | 'function', never>({ ...small, name: 'fail' });
/** until the thread is ended */
export const forever = task<null, never, string>({ ...small, name: 'forever' });
export const hoard = task<'objects' | 'text', number>({ ...small, name: 'hoard' });
/** the same and more in processes of their own */
export const apart = {
  hoard: task<'objects' | 'text' | 'lines' | 'values', number>({ ...small, name: 'hoard', apart: true }),
  double: task<readonly Uint8Array[], Uint8Array[]>({ ...small, name: 'double-each', apart: true }),
  count: task<number, string, number>({ ...small, name: 'count', apart: true }),
  fail: task<'problem' | 'error' | 'function', never>({ ...small, name: 'fail', apart: true }),
  forever: task<null, never, string>({ ...small, name: 'forever', apart: true }),
  self: task<'refuse' | 'break' | null, { thread: number; process: number; heard: number }>({
    ...small,
    name: 'self',
    apart: true,
  }),
};
export const unknown = task<null, null>({ ...small, name: 'unknown' });
/** which thread it is in, and what of the process it sees */
export const self = task<'refuse' | 'break' | null, { thread: number; process: number; heard: number }>({
  ...small,
  name: 'self',
});
