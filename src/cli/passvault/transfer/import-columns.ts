import type { ImportColumns } from '../../../contract/passvault/transfer.ts';
import { Problem } from '../../../base/problem.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { prompts, type Item } from '../../kit/prompts.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { knownField, knownFields } from '../entries/entry-fields.ts';
import { headerOf } from '../table-header.ts';

type Part = keyof ImportColumns;

/** The parts of an entry that a column may hold. The content of a note comes from the notes column. */
const parts = [...knownFields.filter(({ property }) => property !== 'content'), { name: 'tags', property: 'tags' }];

/** Patterns for the most common column names, so that Enter answers most questions. */
const usual: Readonly<Partial<Record<Part, RegExp>>> = {
  title: /^(?:title|name|account|entry|titel|bezeichnung)$/i,
  username: /^(?:user.?name|user|login|e-?mail|benutzername)$/i,
  password: /^(?:password|pass|passwort|kennwort)$/i,
  siteUrl: /^(?:url|website|web ?site|site|address|link)$/i,
  totpSecret: /^(?:totp|otp|2fa|otpauth|one.time.*)$/i,
  notes: /^(?:notes?|comments?|extra|notizen?|bemerkung(?:en)?)$/i,
  tags: /^(?:tags?|folder|group|category|ordner|gruppe)$/i,
};

/**
 * Parses `title=Name,password=Pass word`, given once or several times. A comma belongs to a name, unless another part follows it.
 *
 * @throws Problem invalid USAGE
 */
export function parseColumns(texts: readonly string[]): ImportColumns | undefined {
  if (texts.length === 0) return undefined;
  const columns: Partial<Record<Part, string>> = {};
  for (const text of texts.flatMap((each) => each.split(/,(?=\s*[a-zA-Z-]+=)/))) {
    const split = text.indexOf('=');
    const part = partNamed(text.slice(0, Math.max(split, 0)).trim());
    const name = text.slice(split + 1).trim();
    if (part === undefined || name === '') {
      const names = parts.map((each) => each.name).join(', ');
      throw new Problem('invalid', 'USAGE', `Give columns as PART=COLUMN. The parts are ${names}.`);
    }
    if (columns[part] !== undefined) throw new Problem('invalid', 'USAGE', `${text.slice(0, split)} has two columns.`);
    columns[part] = name;
  }
  return columns;
}

function partNamed(name: string): Part | undefined {
  if (name === 'tags') return 'tags';
  const property = knownField(name)?.property;
  return property === 'content' ? 'notes' : property;
}

/**
 * Asks which part of an entry each column of a table holds.
 *
 * @returns undefined if the file is not a table, or if no column is wanted
 */
export async function askColumns(terminal: Terminal, bytes: Buffer): Promise<ImportColumns | undefined> {
  const header = headerOf(bytes);
  if (header === undefined) return undefined;
  terminal.stderr.write(
    'The columns of this CSV file were not recognised. Say which column holds what. Other columns become custom fields.\n',
  );
  for (;;) {
    const columns = await askOnce(terminal, header);
    const said = Object.entries(columns).map(([part, column]) => `${labelOf(part)}: ${escapeForTerminal(column)}`);
    if (said.length === 0) return undefined;
    // An import cannot be undone, and the answers are no longer on the screen. They are therefore shown for confirmation.
    if (await prompts(terminal).confirm(`${said.join(', ')}. Is that right?`, true)) return columns;
  }
}

async function askOnce(terminal: Terminal, header: readonly string[]): Promise<Partial<Record<Part, string>>> {
  const columns: Partial<Record<Part, string>> = {};
  for (const part of ['title', 'username', 'password', 'siteUrl', 'totpSecret', 'notes', 'tags'] as const) {
    const left = header.filter((name) => !Object.values(columns).includes(name));
    if (left.length === 0) break;
    const guess = left.find((name) => usual[part]?.test(name) === true);
    const none: Item<string | undefined> = { name: 'none of them', value: undefined };
    const items = left.map((name) => ({ name: escapeForTerminal(name), value: name }));
    const sorted = guess === undefined ? [none, ...items] : items.toSorted((one) => (one.value === guess ? -1 : 0));
    const chosen = await prompts(terminal).menu<string | undefined>(labelOf(part), [
      ...sorted,
      ...(guess === undefined ? [] : [none]),
    ]);
    if (chosen !== undefined) columns[part] = chosen;
  }
  return columns;
}

function labelOf(part: string): string {
  return knownFields.find(({ property }) => property === part)?.label ?? 'Tags';
}
