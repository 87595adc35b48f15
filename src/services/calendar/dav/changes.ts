import type { Context } from '../../../service/context.ts';
import { changesOf } from '../../../service/dav-changes.ts';
import type { DavSyncEnd, DavSynced } from '../../../service/ports/dav.ts';
import { changeOfToken, tokenAt } from './collections.ts';
import { changedAfter, goneAfter, isHidden, toResource, type Reader } from './heads.ts';

/**
 * What has changed in a calendar since a token, in the order of the changes.
 * @throws Problem forbidden FORBIDDEN with `d:valid-sync-token`
 */
export async function* changes(
  ctx: Context,
  reader: Reader,
  since: string | undefined,
  most: number,
): AsyncGenerator<readonly DavSynced[], DavSyncEnd, undefined> {
  const { calendar } = reader;
  return yield* changesOf(
    {
      changed: async (seq, count) => await changedAfter(ctx, calendar.id, seq, count),
      gone: async (seq, count) => await goneAfter(ctx, calendar.id, seq, count),
      seen: (head) => (isHidden(reader, head) ? undefined : toResource(reader, head)),
    },
    {
      since: since === undefined ? undefined : changeOfToken(calendar, since),
      current: calendar.change_seq,
      most,
      tokenAt: (seq) => tokenAt(calendar, seq),
    },
  );
}
