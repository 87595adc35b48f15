import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { Portable } from '../../../contract/social/transfer.ts';
import { whomMutes } from '../../../members/blocks.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import type { Download } from '../../../raw-bodies.ts';
import { writtenQuery } from '../../../store/written-query.ts';
import { ownHost, ownUrl } from '../address.ts';
import { requireSelf } from '../people/found.ts';
import { postRows } from '../seeing/posts.ts';
import { csvCell } from './csv.ts';

/** Rows of one piece. */
const BATCH = 500;

interface Row {
  /** the rows behind it are the next piece */
  readonly key: string;
  /** a username, or the id of a post */
  readonly name: string;
}

const people = (table: string, mine: string, other: string, more: string) =>
  writtenQuery<Row>(`
    select m.id as key, m.username as name from ${table} t join members m on m.id = t.${other}
    where t.${mine} = $1 and t.${other} > $2 and m.status = 'active' ${more} order by t.${other} limit $3`);

interface Exported {
  /** without a line end; undefined for files without one */
  readonly title?: string;
  readonly rows: ReturnType<typeof writtenQuery<Row>>;
  /** the cells behind the first one */
  readonly more: readonly string[];
}

const exports: Readonly<Record<Portable, Exported>> = {
  follows: {
    title: 'Account address,Show boosts,Notify on new posts,Languages',
    rows: people('social_follows', 'follower_id', 'followee_id', 'and t.requested = 0'),
    more: ['true', 'false', ''],
  },
  blocks: { rows: people('member_blocks', 'member_id', 'blocked_id', ''), more: [] },
  mutes: {
    title: 'Account address,Hide notifications',
    rows: people('member_mutes', 'member_id', 'muted_id', ''),
    more: ['true'],
  },
  bookmarks: {
    rows: writtenQuery<Row>(`
      select id as key, post_id as name from social_bookmarks where member_id = $1 and id > $2 order by id limit $3`),
    more: [],
  },
};

export async function exportCsv(ctx: Context, actor: Actor, { what }: { readonly what: Portable }): Promise<Download> {
  await requireSelf(ctx, actor);
  return {
    type: 'text/csv; charset=utf-8',
    filename: `${what}.csv`,
    content: { flow: () => written(ctx, actor.memberId, what) },
  };
}

async function* written(ctx: Context, memberId: string, what: Portable): AsyncGenerator<Uint8Array> {
  const { title, rows, more } = exports[what];
  if (title !== undefined) yield utf8(`${title}\r\n`);
  for (let after = ''; ;) {
    const { rows: found } = await ctx.db.executeQuery(rows(memberId, after, BATCH));
    const names =
      what === 'bookmarks' ? await addressesOf(ctx, memberId, found) : await activeNames(ctx, memberId, what, found);
    if (names.length > 0) yield utf8(names.map((name) => `${[name, ...more].map(csvCell).join(',')}\r\n`).join(''));
    if (found.length < BATCH) return;
    after = found.at(-1)?.key ?? '';
  }
}

/** A mute that has ended may still have its row. */
async function activeNames(ctx: Context, memberId: string, what: Portable, rows: readonly Row[]): Promise<string[]> {
  let shown = rows;
  if (what === 'mutes') {
    const now = await whomMutes(
      ctx,
      memberId,
      rows.map(({ key }) => key),
    );
    shown = rows.filter(({ key }) => now.has(key));
  }
  return shown.map(({ name }) => `${name}@${ownHost(ctx)}`);
}

async function addressesOf(ctx: Context, memberId: string, rows: readonly Row[]): Promise<string[]> {
  const seen = await postRows(
    ctx,
    memberId,
    rows.map(({ name }) => name),
  );
  return rows.flatMap(({ name }) => (seen.has(name) ? [`${ownUrl(ctx)}/social/posts/${name}`] : []));
}
