import { Problem } from '../base/problem.ts';
import type { Context } from './context.ts';
import type { DavDamaged, DavResource } from './ports/dav.ts';

/** What `read` gives. Of many resources one that does not open keeps nobody from the others: the log names it. @param id for the log */
export async function unlessDamaged<T>(
  { log }: Pick<Context, 'log'>,
  id: string,
  resource: DavResource,
  read: () => Promise<T> | T,
): Promise<T | DavDamaged> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'STORE_DAMAGED') throw error;
    log.error('a resource does not open', { id, error });
    return { ...resource, damaged: true };
  }
}
