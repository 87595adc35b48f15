import { sql, type SelectQueryBuilder } from 'kysely';
import type { Actor } from '../../../actor.ts';
import type { Context } from '../../../context.ts';
import type { InboxItem } from '../../../contract/mail/fields.ts';
import { folders, type Folder } from '../../../contract/mail/limits.ts';
import { fieldProblem, Problem } from '../../../problem.ts';
import { search } from '../../../store/search/search.ts';
import { fold } from '../../../store/search/words.ts';
import type { Tables } from '../../../store/tables/tables.ts';
import { labelsOf, nameKey } from '../boxes/counters.ts';
import { unreadOf } from '../boxes/changes.ts';
import { searchSpace } from '../boxes/summary.ts';
import { shownItems } from './metadata.ts';
import { addressKey, mailboxIn } from '../message/address.ts';

type YesOrNo = 'true' | 'false';

/** Which messages of a member, and how they are sorted. */
interface Selection {
  readonly readStatus: 'read' | 'unread' | 'all';
  readonly senderAddress?: string | undefined;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly hasAttachments?: YesOrNo | undefined;
  readonly subjectContains?: string | undefined;
  readonly searchText?: string | undefined;
  readonly flagged?: YesOrNo | undefined;
  readonly label?: string | undefined;
  readonly sortBy: 'date' | 'sender' | 'subject' | 'size';
  readonly sortDirection: 'asc' | 'desc';
  readonly page: number;
  readonly pageSize: number;
}

export interface MessagePage {
  readonly emails: InboxItem[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
}

export async function listInbox(ctx: Context, actor: Actor, selection: Selection): Promise<MessagePage> {
  return await listItems(ctx, actor, ['inbox'], selection);
}

export async function listSent(ctx: Context, actor: Actor, selection: Selection): Promise<MessagePage> {
  return await listItems(ctx, actor, ['sent'], selection);
}

export async function listDrafts(ctx: Context, actor: Actor, selection: Selection): Promise<MessagePage> {
  return await listItems(ctx, actor, ['drafts'], selection);
}

export async function listFolder(
  ctx: Context,
  actor: Actor,
  { folder, ...selection }: Selection & { readonly folder: Folder | 'all' },
): Promise<MessagePage> {
  const shown = folder === 'all' ? folders.filter((one) => one !== 'spam' && one !== 'trash') : [folder];
  return await listItems(ctx, actor, shown, selection);
}

export async function countUnread(ctx: Context, actor: Actor): Promise<{ unreadCount: number }> {
  return { unreadCount: await unreadOf(ctx, actor.memberId) };
}

/** The newest messages that a search looks at further. Somebody who finds more adds a word. */
const MOST_FOUND = 2_000;
const SEARCHES = 8;

type Items = SelectQueryBuilder<Tables, 'mail_items', object>;

async function listItems(
  ctx: Context,
  { memberId }: Actor,
  shown: readonly Folder[],
  selection: Selection,
): Promise<MessagePage> {
  const { page, pageSize, sortBy, sortDirection } = selection;
  const found = selection.searchText === undefined ? undefined : await foundBy(ctx, memberId, selection.searchText);
  const label =
    selection.label === undefined ? undefined : (await labelsOf(ctx, memberId)).get(nameKey(selection.label));
  const nothing = { emails: [], total: 0, page, pageSize };
  if (found?.length === 0 || (selection.label !== undefined && label === undefined)) return nothing;
  const all: Items = found === undefined ? ctx.db.selectFrom('mail_items') : only(ctx, found);
  let query = all.where('member_id', '=', memberId);
  query = shown.length === 1 ? query.where('folder', '=', shown[0] ?? '') : query.where('folder', 'in', [...shown]);
  query = filtered(query, selection);
  if (label !== undefined)
    query = query.where('id', 'in', (e) =>
      e.selectFrom('mail_item_labels').select('item_id').where('member_id', '=', memberId).where('name', '=', label),
    );
  const { total } = await query.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const offset = (page - 1) * pageSize;
  if (offset >= total) return { ...nothing, total };
  const column = ({ date: 'dated_at', sender: 'from_key', subject: 'subject_key', size: 'size' } as const)[sortBy];
  let sorted = query.select('id').orderBy(column, sortDirection);
  if (sortBy === 'sender') sorted = sorted.orderBy('dated_at', sortDirection);
  const rows = await sorted.orderBy('id', sortDirection).limit(pageSize).offset(offset).execute();
  const emails = await shownItems(
    ctx,
    memberId,
    rows.map(({ id }) => id),
  );
  return { emails, total, page, pageSize };
}

/** The columns that lists look at. */
const looked = [
  'id',
  'member_id',
  'folder',
  'seen',
  'flagged',
  'has_attachments',
  'from_key',
  'subject_folded',
  'subject_key',
  'dated_at',
  'size',
] as const;

/** The messages with these ids. The limit keeps databases from looking at all messages of a folder for a few that are known. */
function only({ db }: Pick<Context, 'db'>, ids: readonly string[]): Items {
  const known = db
    .selectFrom('mail_items')
    .select(looked)
    .where('id', 'in', [...ids])
    .limit(ids.length);
  return db.selectFrom(known.as('mail_items'));
}

function filtered(query: Items, selection: Selection): Items {
  const { readStatus, senderAddress, dateFrom, dateTo, hasAttachments, subjectContains, flagged } = selection;
  let narrowed = query;
  // The plus keeps SQLite from choosing the index of read states where that of senders finds less.
  const seen = senderAddress === undefined ? sql<number>`seen` : sql<number>`+seen`;
  if (readStatus !== 'all') narrowed = narrowed.where(seen, '=', readStatus === 'read' ? 1 : 0);
  if (senderAddress !== undefined) {
    const mailbox = mailboxIn(senderAddress.trim());
    narrowed = narrowed.where(
      'from_key',
      '=',
      mailbox === undefined ? senderAddress.trim().toLowerCase() : addressKey(mailbox),
    );
  }
  if (dateFrom !== undefined) narrowed = narrowed.where('dated_at', '>=', moment('dateFrom', dateFrom));
  if (dateTo !== undefined) narrowed = narrowed.where('dated_at', '<=', moment('dateTo', dateTo));
  if (hasAttachments !== undefined)
    narrowed = narrowed.where(
      hasAttachments === 'true' ? sql<boolean>`has_attachments = 1` : sql<boolean>`has_attachments = 0`,
    );
  if (flagged !== undefined)
    narrowed = narrowed.where(flagged === 'true' ? sql<boolean>`flagged = 1` : sql<boolean>`flagged = 0`);
  if (subjectContains !== undefined) {
    const pattern = `%${fold(subjectContains).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    narrowed = narrowed.where(sql<boolean>`subject_folded like ${pattern} escape '\\'`);
  }
  return narrowed;
}

function moment(field: string, text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw fieldProblem(field, 'is no moment');
  return at;
}

/** The ids of the newest messages with all words of a text. */
async function foundBy(ctx: Context, memberId: string, text: string): Promise<string[]> {
  const ids: string[] = [];
  const listing = { list: 'mail.search', memberId };
  let cursor: string | undefined;
  try {
    for (let turn = 0; turn < SEARCHES && ids.length < MOST_FOUND; turn += 1) {
      const request = { space: searchSpace(ctx, memberId), text, order: 'newest', listing, cursors: ctx } as const;
      const { rows, next } = await search(ctx.db, request, { limit: MOST_FOUND - ids.length, cursor });
      ids.push(...rows.map(({ id }) => id));
      cursor = next.cursor;
      if (!next.hasMore || cursor === undefined) break;
    }
  } catch (error) {
    if (error instanceof Problem && error.code === 'QUERY_TOO_LONG')
      throw fieldProblem('searchText', 'has too many words');
    throw error;
  }
  return ids;
}
