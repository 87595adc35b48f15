import { sql } from 'kysely';
import type { Actor } from '../../../service/actor.ts';
import type { Context } from '../../../service/context.ts';
import type { InboxItem } from '../../../contract/mail/fields.ts';
import { folders, type Folder } from '../../../contract/mail/limits.ts';
import { fieldProblem, Problem } from '../../../base/problem.ts';
import { search } from '../../../platform/store/search/search.ts';
import { fold } from '../../../platform/store/search/words.ts';
import { labelsOf, listed, nameKey } from '../boxes/counters.ts';
import { unreadOf } from '../boxes/changes.ts';
import { searchSpace } from '../boxes/summary.ts';
import { shownItems } from './metadata.ts';
import { pageOf, pageOfSome, type Items, type Paging } from './pages.ts';
import { addressKey, mailboxIn } from '../message/address.ts';

type YesOrNo = 'true' | 'false';

/** Which messages of a member, and how they are sorted. */
interface Selection extends Paging {
  readonly readStatus: 'read' | 'unread' | 'all';
  readonly senderAddress?: string | undefined;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly hasAttachments?: YesOrNo | undefined;
  readonly subjectContains?: string | undefined;
  readonly searchText?: string | undefined;
  readonly flagged?: YesOrNo | undefined;
  readonly label?: string | undefined;
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

async function listItems(
  ctx: Context,
  { memberId }: Actor,
  shown: readonly Folder[],
  selection: Selection,
): Promise<MessagePage> {
  const { page, pageSize, subjectContains: subject } = selection;
  const found = selection.searchText === undefined ? undefined : await foundBy(ctx, memberId, selection.searchText);
  const label =
    selection.label === undefined ? undefined : (await labelsOf(ctx, memberId)).get(nameKey(selection.label));
  const nothing = { emails: [], total: 0, page, pageSize };
  if (found?.length === 0 || (selection.label !== undefined && label === undefined)) return nothing;
  const inFolders = (names: readonly Folder[]): Items => {
    let query = itemsOf(ctx, memberId);
    if (found !== undefined) query = only(ctx, found).where('member_id', '=', memberId);
    else if (label !== undefined) query = labelledOf(ctx, memberId, label);
    query = names.length === 1 ? query.where('folder', '=', names[0] ?? '') : query.where('folder', 'in', [...names]);
    query = filtered(query, selection);
    if (found !== undefined && label !== undefined)
      query = query.where('id', 'in', labelledOf(ctx, memberId, label).select('id'));
    if (subject === undefined) return query;
    if (found !== undefined || label === undefined) return withSubject(query, subject);
    return query.where('id', 'in', withSubject(itemsOf(ctx, memberId), subject).select('id'));
  };
  const { ids, total } =
    found === undefined ? await pageOf(shown, inFolders, selection) : await pageOfSome(inFolders(shown), selection);
  return { emails: await shownItems(ctx, memberId, ids), total, page, pageSize };
}

function itemsOf({ db }: Context, memberId: string): Items {
  return db.selectFrom('mail_items').where('member_id', '=', memberId);
}

/** What labels repeat of their messages, under the names of the messages themselves. */
function labelledOf({ db }: Context, memberId: string, label: string): Items {
  const labelled = db
    .selectFrom('mail_item_labels')
    .select(['item_id as id', ...listed])
    .where('member_id', '=', memberId)
    .where('name', '=', label);
  return db.selectFrom(labelled.as('mail_items'));
}

/** The columns that lists look at. */
const looked = ['id', 'member_id', 'subject_folded', ...listed] as const;

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
  const { readStatus, senderAddress, dateFrom, dateTo, hasAttachments, flagged } = selection;
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
    narrowed = narrowed.where('has_attachments', '=', hasAttachments === 'true' ? 1 : 0);
  if (flagged !== undefined) narrowed = narrowed.where('flagged', '=', flagged === 'true' ? 1 : 0);
  return narrowed;
}

function withSubject(query: Items, part: string): Items {
  const pattern = `%${fold(part).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return query.where(sql<boolean>`subject_folded like ${pattern} escape '\\'`);
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
