import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { Portable } from '../../../contract/social/transfer.ts';
import { utf8 } from '../../../crypto/bytes.ts';
import type { Download } from '../../../service/raw-bodies.ts';
import { ownHost, ownUrl } from '../address.ts';
import { requireSelf } from '../people/found.ts';
import { csvCell } from './csv.ts';
import { ownedBehind } from './owned.ts';

/** Rows of one piece. */
const BATCH = 500;

interface Form {
  /** without a line end; undefined for files without one */
  readonly title?: string;
  /** the cells behind the first one */
  readonly more: readonly string[];
}

const forms: Readonly<Record<Portable, Form>> = {
  follows: { title: 'Account address,Show boosts,Notify on new posts,Languages', more: ['true', 'false', ''] },
  blocks: { more: [] },
  mutes: { title: 'Account address,Hide notifications', more: ['true'] },
  bookmarks: { more: [] },
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
  const { title, more } = forms[what];
  if (title !== undefined) yield utf8(`${title}\r\n`);
  const address = (name: string): string =>
    what === 'bookmarks' ? `${ownUrl(ctx)}/social/posts/${name}` : `${name}@${ownHost(ctx)}`;
  for (let after: string | undefined = ''; after !== undefined;) {
    const { found, next }: Awaited<ReturnType<typeof ownedBehind>> = await ownedBehind(ctx, memberId, what, {
      after,
      most: BATCH,
    });
    const lines = found.map(({ name }) => `${[address(name), ...more].map(csvCell).join(',')}\r\n`);
    if (lines.length > 0) yield utf8(lines.join(''));
    after = next;
  }
}
