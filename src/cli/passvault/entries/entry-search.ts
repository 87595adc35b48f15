import { fit, type Measure } from '../../kit/display-width.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import type { Item } from '../../kit/prompts.ts';
import { typeNames, withoutScheme, type ListedEntry } from '../vault-tables.ts';

/** The most results in a list; one more letter narrows them down. */
const most = 200;
/** Columns that the prompt uses before each line. */
const margin = 4;

/** Entries that contain every typed word. Entries whose titles begin with the text come first, then favourites. */
export function matching<T extends ListedEntry>(entries: readonly T[], term: string): T[] {
  const typed = term.trim().toLowerCase();
  const words = typed.split(/\s+/);
  const found = entries.filter((entry) => {
    const text = [entry.title, entry.username, entry.siteUrl, ...entry.tags].join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rank = ({ title, favorite }: ListedEntry) => {
    const lower = title.toLowerCase();
    const place = typed === '' || lower.startsWith(typed) ? 0 : lower.includes(typed) ? 2 : 4;
    return place + (favorite ? 0 : 1);
  };
  return found
    .map((entry, at) => ({ entry, at, rank: rank(entry) }))
    .sort((one, other) => one.rank - other.rank || one.at - other.at)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** One line for each entry: title and user name in columns that fit on the terminal. */
export function entryItems<T extends ListedEntry>(entries: readonly T[], columns: number, measure: Measure): Item<T>[] {
  const room = Math.min(columns, 120) - margin;
  const titleWidth = Math.floor(room * 0.55);
  const nameWidth = room - titleWidth - 2;
  return entries.map((entry) => {
    const title = fit(escapeForTerminal(entry.favorite ? `* ${entry.title}` : entry.title), titleWidth, measure);
    const name = fit(
      escapeForTerminal(entry.username === '' ? `(${typeNames[entry.type]})` : entry.username),
      nameWidth,
      measure,
    );
    const details = [withoutScheme({ width: columns }, entry.siteUrl), entry.tags.join(', ')].filter(
      (part) => part !== '',
    );
    return {
      name: `${title}${' '.repeat(titleWidth - measure(title))}  ${name}`,
      value: entry,
      short: title.trimEnd(),
      ...(details.length > 0 && { description: fit(escapeForTerminal(details.join('  ')), room, measure) }),
    };
  });
}
