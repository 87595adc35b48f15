import type { Context } from '../../../service/context.ts';
import { memberSummaries } from '../../../shared/members/summaries.ts';
import { earlierGrantsHandler } from '../../../shared/notifications/earlier-grants.ts';
import type { JobHandler } from '../../../platform/store/jobs/jobs.ts';
import { isLeft } from './live-links.ts';

/** How many shares or links of a member are read at once: they may have made any number. */
const PAGE = 500;

/** Shares and links that members made while app passwords could. */
export function earlierSharesHandler(ctx: Context): JobHandler {
  return earlierGrantsHandler(ctx, {
    scope: 'files',
    could: 'share files and make links',
    advice: 'End those that you do not know, and remove the app password.',
    list: sharesSince,
  });
}

async function* sharesSince(
  tx: Context,
  memberId: string,
  since: number,
  until: number,
): AsyncGenerator<readonly string[]> {
  yield* pages(
    (after) =>
      tx.db
        .selectFrom('file_shares as s')
        .innerJoin('file_nodes as n', 'n.id', 's.file_id')
        .select(['s.id', 's.file_id', 's.recipient_id', 's.level'])
        .where('s.shared_by', '=', memberId)
        .where('s.created_at', '>=', since)
        .where('s.created_at', '<=', until)
        .where('s.id', '>', after)
        .orderBy('s.id')
        .limit(PAGE)
        .execute(),
    async (shares) => {
      const recipients = await memberSummaries(tx, [...new Set(shares.map(({ recipient_id }) => recipient_id))]);
      return shares.map(
        ({ id, file_id: file, recipient_id: to, level }) =>
          `share ${id} of ${file} with ${recipients.get(to)?.username ?? to} (${level})`,
      );
    },
  );
  yield* pages(
    (after) =>
      tx.db
        .selectFrom('file_links as l')
        .innerJoin('file_nodes as n', 'n.id', 'l.file_id')
        .selectAll('l')
        .where('l.created_by', '=', memberId)
        .where('l.revoked_at', 'is', null)
        .where('l.created_at', '>=', since)
        .where('l.created_at', '<=', until)
        .where('l.id', '>', after)
        .orderBy('l.id')
        .limit(PAGE)
        .execute(),
    (links) =>
      links.filter((link) => isLeft(link, tx.clock.now())).map(({ id, file_id: file }) => `link ${id} to ${file}`),
  );
}

async function* pages<Row extends { readonly id: string }>(
  read: (after: string) => Promise<readonly Row[]>,
  told: (rows: readonly Row[]) => readonly string[] | Promise<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows = await read(after);
    yield await told(rows);
    after = rows.length < PAGE ? undefined : rows.at(-1)?.id;
  }
}
