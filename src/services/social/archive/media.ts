import { readPart } from '../../../shared/attachments/sealed-parts.ts';
import type { Context } from '../../../service/context.ts';
import { mediaFileName } from '../media/file-name.ts';
import { findMedia, openMedia } from '../media/rows.ts';
import type { ArchiveFile } from './archive-file.ts';

/** The media of a member, one file each, the oldest first. What is deleted meanwhile is missing. */
export async function* mediaOf(ctx: Context, memberId: string): AsyncGenerator<ArchiveFile> {
  for (let after = ''; ;) {
    const next = await ctx.db
      .selectFrom('social_media')
      .select('id')
      .where('owner_id', '=', memberId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return;
    after = next.id;
    const row = await findMedia(ctx, after);
    if (row === undefined) continue;
    const part = await openMedia(ctx, row);
    yield { name: `media/${mediaFileName(row)}`, size: part.size, content: readPart(ctx, part), things: 1 };
  }
}
