import { perform } from '../../../client/perform.ts';
import type { InboxItem } from '../../../contract/mail/fields.ts';
import { mailLimits, folders, type Folder } from '../../../contract/mail/limits.ts';
import { mail } from '../../../contract/mail.ts';
import { fit } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { prompts } from '../../kit/prompts.ts';
import { moment, type Unmeasured } from '../../kit/screen.ts';
import { nameIn, signsOf } from '../mail-columns.ts';
import { act, actionKeys, answerTo } from './actions.ts';
import { readThread } from './message-screen.ts';
import { aside, tried, type Reading } from './reading.ts';

/** Fits into 80 columns. */
const help = 'r:reply a:archive d:delete s:flag u:unread /:search f:folder n/p:page q:quit';

/** What the list shows. */
interface Place {
  readonly folder: Folder | 'all';
  readonly search: string;
  readonly page: number;
}

/** The messages of one thread on a page, the newest first. */
type Row = readonly [InboxItem, ...InboxItem[]];

/** Lists threads, and does what keys say, until the person quits. */
export async function readMail(reading: Reading): Promise<void> {
  const { keyboard, canvas } = reading;
  let place: Place = { folder: 'inbox', search: '', page: 1 };
  let at = 0;
  let note = '';
  let list = await listed(reading, place);
  const screen = await reading.screen();
  const look = async (next: Place) => {
    // Only a list that could be read replaces the one that is shown.
    list = await listed(reading, next);
    place = next;
  };
  for (;;) {
    const { rows, pages, total } = list;
    at = Math.max(0, Math.min(rows.length - 1, at));
    const where = place.search === '' ? place.folder : `${place.folder}, search: ${place.search}`;
    const title = escapeForTerminal(`Mail: ${where}  ${total} messages, page ${place.page} of ${pages}`);
    const lines = rows.map((row, index) => lineOf(reading, screen, row, index === at));
    canvas.draw(title, lines.length === 0 ? ['There are no messages here.'] : lines, escapeForTerminal(note), help);
    note = '';
    const key = await keyboard.next();
    const row = rows[at];
    if (key === 'q') return;
    if (key === 'j' || key === 'down') at += 1;
    if (key === 'k' || key === 'up') at -= 1;
    if (key === 'home') at = 0;
    if (key === 'end') at = rows.length - 1;
    const step = stepOf(key);
    const page = Math.max(1, Math.min(pages, place.page + step));
    if (step !== 0 && page !== place.page) {
      at = 0;
      note = await tried(async () => (await look({ ...place, page }), ''));
    }
    if (key === 'resize' || key === '.') note = await tried(async () => (await look(place), ''));
    if (key === 'escape') note = await tried(async () => (await look({ folder: 'inbox', search: '', page: 1 }), ''));
    if (key === '/' || key === 'f')
      note = await tried(async () => (await look(await (key === '/' ? searched : chosen)(reading, place)), ''));
    if (row === undefined) continue;
    const [{ id }] = row;
    if (key === 'return') note = await tried(async () => await readThread(reading, id));
    else if (key === 'r' || key === 'R') note = await tried(async () => await answerTo(reading, id, key === 'R'));
    else if (actionKeys.has(key))
      note = await tried(async () => await reading.use(async (client) => await act(client, key, row)));
    else continue;
    note = `${note}${await tried(async () => (await look(place), ''))}`;
  }
}

function stepOf(key: string): number {
  if (key === 'n' || key === 'pagedown') return 1;
  return key === 'p' || key === 'pageup' ? -1 : 0;
}

async function listed({ use, canvas }: Reading, { folder, search, page }: Place) {
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

const FROM_WIDTH = 18;
const MARKS_WIDTH = 4;

function lineOf({ measure }: Reading, screen: Unmeasured, [item]: Row, isChosen: boolean): string {
  const from = escapeForTerminal(nameIn(item.from));
  const shown = fit(from, FROM_WIDTH, measure);
  const gap = ' '.repeat(FROM_WIDTH - measure(shown));
  const count = item.threadCount > 1 ? ` (${item.threadCount})` : '';
  const subject = escapeForTerminal(item.subject === '' ? '(no subject)' : item.subject);
  const date = moment(screen, item.date);
  return `${isChosen ? '>' : ' '} ${signsOf(item).padEnd(MARKS_WIDTH)} ${date}  ${shown}${gap}  ${subject}${count}`;
}

async function searched(reading: Reading, place: Place): Promise<Place> {
  const message = 'Words to search for (nothing shows all)';
  const search = await aside(reading, async () => await prompts(reading.terminal, { back: true }).text({ message }));
  return { folder: search.trim() === '' ? place.folder : 'all', search: search.trim(), page: 1 };
}

async function chosen(reading: Reading): Promise<Place> {
  const items = [...folders, 'all' as const].map((name) => ({ name, value: name }));
  const folder = await aside(
    reading,
    async () => await prompts(reading.terminal, { back: true }).menu('Folder', items),
  );
  return { folder, search: '', page: 1 };
}
