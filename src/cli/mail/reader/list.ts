import { perform } from '../../../client/perform.ts';
import type { InboxItem } from '../../../contract/mail/fields.ts';
import { mailLimits, type Folder } from '../../../contract/mail/limits.ts';
import { mail } from '../../../contract/mail.ts';
import { counted } from '../../kit/counted.ts';
import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { moment, type Unmeasured } from '../../kit/screen.ts';
import { nameIn, signsOf } from '../mail-columns.ts';
import type { Reading } from './reading.ts';

/** What the list shows. */
export interface Place {
  readonly folder: Folder | 'all';
  readonly search: string;
  readonly page: number;
}

/** The messages of one thread on a page, the newest first. */
export type Row = readonly [InboxItem, ...InboxItem[]];

export interface List {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly pages: number;
}

export async function listed({ use, canvas }: Reading, { folder, search, page }: Place): Promise<List> {
  const pageSize = Math.min(mailLimits.page, canvas.height());
  const wanted = { folder, page, pageSize, ...(search !== '' && { searchText: search }) };
  const { emails, total } = await use(async (client) => await perform(client, mail.listFolder, wanted));
  return { rows: rowsOf(emails), total, pages: Math.max(1, Math.ceil(total / pageSize)) };
}

function rowsOf(items: readonly InboxItem[]): Row[] {
  const rows = new Map<string, Row>();
  for (const item of items) rows.set(item.threadId, [...(rows.get(item.threadId) ?? []), item] as unknown as Row);
  return [...rows.values()];
}

export function titleOf({ folder, search, page }: Place, { total, pages }: List): string {
  const where = search === '' ? folder : `${folder}, search: ${search}`;
  return escapeForTerminal(`Mail: ${where}  ${counted(total, 'message')}, page ${page} of ${pages}`);
}

const FROM_WIDTH = 18;
const MARKS_WIDTH = 4;

export function lineOf(
  { measure }: Reading,
  screen: Unmeasured,
  [item]: Row,
  { isChosen, isMarked }: { readonly isChosen: boolean; readonly isMarked: boolean },
): string {
  const from = escapeForTerminal(nameIn(item.from));
  const shown = fit(from, FROM_WIDTH, measure);
  const gap = ' '.repeat(FROM_WIDTH - measure(shown));
  const count = item.threadCount > 1 ? ` (${item.threadCount})` : '';
  const subject = escapeForTerminal(item.subject === '' ? '(no subject)' : item.subject);
  const date = moment(screen, item.date);
  const cursor = `${isChosen ? '>' : ' '}${isMarked ? 'x' : ' '}`;
  return `${cursor}${signsOf(item).padEnd(MARKS_WIDTH)} ${date}  ${shown}${gap}  ${subject}${count}`;
}
