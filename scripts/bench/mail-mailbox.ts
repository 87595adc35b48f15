// How long pages and searches of a large mailbox take over HTTP, next to a small read. Run after `npm run build`:
// npx tsx scripts/bench/mail-mailbox.ts [--messages 100000] [--rounds 15] [--store <folder that keeps the mailbox for another run>]
// [--engine sqljs] [--small]
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fillMail, filled } from './fill-mail.ts';
import { inTurns, median, ownFolder, report, settings } from './harness.ts';
import { initStore, signIn, startConclave, startEngine } from './server.ts';

const { messages, rounds, store, engine } = settings(
  { messages: 100_000, rounds: 15, store: '', engine: 'sqljs' },
  { messages: 2_000, rounds: 2 },
);
const most = { page: 30, search: 50 };

interface Asked {
  readonly what: string;
  readonly kind: keyof typeof most;
  readonly query: Readonly<Record<string, string | number>>;
  /** all folders instead of the inbox */
  readonly everywhere?: true;
  /** how many messages there are by what was filled in, where it is known */
  readonly total?: number;
}

const at = (part: number): string => new Date(filled.moment(Math.floor(messages * part))).toISOString();
const pages = [
  ['first page', 1],
  ['middle page', Math.ceil(messages / 100)],
  ['last page', Math.ceil(messages / 50)],
] as const;
const filters: readonly (readonly [string, Record<string, string>])[] = [
  ['since the middle', { dateFrom: at(0.5) }],
  ['until the middle', { dateTo: at(0.5) }],
  ['between two dates', { dateFrom: at(0.4), dateTo: at(0.6) }],
  ['unread', { readStatus: 'unread' }],
  ['read', { readStatus: 'read' }],
  ['of a sender', { senderAddress: filled.sender }],
  ['with attachments', { hasAttachments: 'true' }],
  ['without attachments', { hasAttachments: 'false' }],
  ['flagged', { flagged: 'true' }],
  ['with a label', { label: filled.label }],
  ['unread with a label', { label: filled.label, readStatus: 'unread' }],
  ['unread with attachments since the middle', { readStatus: 'unread', hasAttachments: 'true', dateFrom: at(0.5) }],
];
const sorts = ['date', 'sender', 'subject', 'size'] as const;
const directions = ['desc', 'asc'] as const;
const { frequent, another, single } = filled.words;
const rare = single(Math.floor(messages / 3) | 1);

const asked: Asked[] = [
  ...sorts.flatMap((sortBy) =>
    directions.flatMap((sortDirection) =>
      pages.map(([name, page]): Asked => ({
        what: `${name} by ${sortBy}, ${sortDirection}`,
        kind: 'page',
        query: { sortBy, sortDirection, page },
        total: messages,
      })),
    ),
  ),
  ...filters.flatMap(([name, filter]) =>
    sorts.map((sortBy): Asked => ({ what: `${name} by ${sortBy}`, kind: 'page', query: { ...filter, sortBy } })),
  ),
  ...sorts.flatMap((sortBy) =>
    pages.map(([name, page]): Asked => ({
      what: `${name} of all folders by ${sortBy}`,
      kind: 'page',
      query: { sortBy, page },
      everywhere: true,
      total: messages,
    })),
  ),
  {
    what: 'middle page with a label',
    kind: 'page',
    query: { label: filled.label, page: Math.ceil(messages / 1000) },
  },
  { what: 'a word of one message', kind: 'search', query: { searchText: rare }, total: 1 },
  { what: 'a word of every second message', kind: 'search', query: { searchText: frequent } },
  { what: 'its second page by subject', kind: 'search', query: { searchText: frequent, page: 2, sortBy: 'subject' } },
  { what: 'two frequent words', kind: 'search', query: { searchText: `${frequent} ${another}` } },
  { what: 'a frequent word and a rare one', kind: 'search', query: { searchText: `${frequent} ${rare}` } },
  {
    what: 'a frequent word, unread with attachments',
    kind: 'search',
    query: { searchText: frequent, readStatus: 'unread', hasAttachments: 'true' },
  },
  { what: 'a word that nobody wrote', kind: 'search', query: { searchText: 'nobodywroteit' }, total: 0 },
];

await using folder = await ownFolder();
await using database = await startEngine(engine);
const dataDir = store === '' ? join(folder.path, 'data') : store;
const isThere = existsSync(dataDir);
const env = initStore(dataDir, database.env);
if (!isThere) await fillMail(dataDir, database.url, messages);
await using server = await startConclave(dataDir, env);
const member = await signIn(server.port, dataDir);
const pathOf = ({ query, everywhere }: Asked): string => {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `/api/emails/${everywhere ? 'messages' : 'inbox'}?${new URLSearchParams(texts).toString()}`;
};
for (const one of asked) await check(pathOf(one), one.total);
const small = 'a small read';
const times = await inTurns<string>(rounds, {
  [small]: async () => await read('/api/user/verify'),
  ...Object.fromEntries(asked.map((one) => [one.what, async () => await read(pathOf(one))])),
});
const base = median(times[small] ?? []);
report(
  `A mailbox of ${messages} messages on ${engine}, medians of ${rounds}`,
  asked.map(({ what, kind }) => {
    const value = median(times[what] ?? []);
    return {
      what,
      value,
      unit: 'ms',
      nextTo: `${small}, ${base.toFixed(1)} ms`,
      ratio: value / base,
      atMost: most[kind],
    };
  }),
);

async function read(path: string): Promise<void> {
  await member.data('GET', path);
}

/** A list that finds nothing is quick too. */
async function check(path: string, wanted?: number): Promise<void> {
  const { total, emails } = (await member.data('GET', path)) as { total: number; emails: unknown[] };
  if (wanted === undefined ? total === 0 : total !== wanted)
    throw new Error(`${path} found ${total} messages instead of ${wanted ?? 'some'}`);
  if (total > 0 && emails.length === 0) throw new Error(`${path} shows none of ${total} messages`);
}
