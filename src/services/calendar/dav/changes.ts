import type { Context } from '../../../service/context.ts';
import type { DavSyncEnd, DavSynced } from '../../../service/ports/dav.ts';
import { changeOfToken, tokenAt } from './collections.ts';
import { changesAfter, isHidden, TOGETHER, toResource, type ChangedName, type Reader } from './heads.ts';

/**
 * What has changed in a calendar since a token, in the order of the changes: what changes meanwhile comes at the end, or the next time.
 * @throws Problem forbidden FORBIDDEN with `d:valid-sync-token`
 */
export async function* changes(
  ctx: Context,
  reader: Reader,
  since: string | undefined,
  most: number,
): AsyncGenerator<readonly DavSynced[], DavSyncEnd, undefined> {
  const { calendar } = reader;
  const withGone = since !== undefined;
  let seq = since === undefined ? -1 : changeOfToken(calendar, since);
  const next = async (count: number) => await changesAfter(ctx, calendar.id, seq, { most: count, withGone });
  for (let left = most; ;) {
    const size = Math.min(TOGETHER, left);
    const found = size === 0 ? [] : await next(size);
    const last = found.at(-1);
    if (last !== undefined) seq = last.seq;
    left -= found.length;
    if (found.length > 0) yield found.flatMap((one) => toSynced(reader, one, withGone));
    if (left > 0 && found.length === size) continue;
    const more = left === 0 && (await next(1)).length > 0;
    // All up to what the calendar was at the beginning has been read.
    return { token: tokenAt(calendar, more ? seq : Math.max(seq, calendar.change_seq)), more };
  }
}

function toSynced(reader: Reader, { name, head }: ChangedName, withGone: boolean): DavSynced[] {
  if (head !== undefined && !isHidden(reader, head)) return [{ name, resource: toResource(reader, head) }];
  // What has become private is gone for its reader.
  return withGone ? [{ name }] : [];
}
