import type { Context } from '../../../service/context.ts';

/** Calls that finish an upload in this process, by store and upload. They can take as long as the scanner of the node does. */
const callsOf = new WeakMap<object, Map<string, number>>();

export async function whileFinalizing<T>(
  { store }: Pick<Context, 'store'>,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const calls = callsOf.get(store) ?? new Map<string, number>();
  callsOf.set(store, calls);
  calls.set(id, (calls.get(id) ?? 0) + 1);
  try {
    return await work();
  } finally {
    const others = (calls.get(id) ?? 1) - 1;
    if (others === 0) calls.delete(id);
    else calls.set(id, others);
  }
}

/** The status of an upload that is not finished. */
export function statusOf({ store }: Pick<Context, 'store'>, id: string): 'in_progress' | 'finalizing' {
  return callsOf.get(store)?.has(id) === true ? 'finalizing' : 'in_progress';
}
