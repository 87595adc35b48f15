import type { Context } from '../../../service/context.ts';
import { whomMutes } from '../../../shared/members/blocks.ts';
import type { AppliedFilters } from '../filters/applying.ts';
import { postRows, type SeenPost } from '../seeing/posts.ts';
import { subjectsOf } from './shown.ts';

/** A list of posts for one reader. */
export interface Listed {
  readonly memberId: string;
  /** whether posts of members whom the reader muted are left out */
  readonly withoutMuted: boolean;
}

/**
 * Those of the posts that a list shows to its reader, by id: the reader may see them, did not mute who says something in them, and has no
 * filter that hides them.
 *
 * @param subjects takes what the posts quote or repost
 */
export async function listedRows(
  ctx: Context,
  { memberId, withoutMuted }: Listed,
  ids: readonly string[],
  filters: AppliedFilters | undefined,
  subjects: Map<string, SeenPost>,
): Promise<Map<string, SeenPost>> {
  const rows = await postRows(ctx, memberId, ids);
  for (const [id, subject] of await subjectsOf(ctx, memberId, rows.values())) subjects.set(id, subject);
  if ((!withoutMuted && filters === undefined) || rows.size === 0) return rows;
  // A repost or a quote shows what it is about too.
  const shownBy = (row: SeenPost): SeenPost[] => {
    const subject = subjects.get(row.subject_id ?? '');
    return subject === undefined ? [row] : [row, subject];
  };
  const authorsOf = (row: SeenPost): string[] => shownBy(row).map((one) => one.author_id);
  const away = withoutMuted ? await whomMutes(ctx, memberId, [...rows.values()].flatMap(authorsOf)) : new Set<string>();
  for (const row of rows.values())
    if (authorsOf(row).some((id) => away.has(id)) || filters?.hides(shownBy(row)) === true) rows.delete(row.id);
  return rows;
}
