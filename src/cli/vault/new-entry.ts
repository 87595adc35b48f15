import type { EntryType, VaultSummary } from '../../contract/passvault/entry.ts';
import { passvault } from '../../contract/passvault.ts';
import { generatePassword } from '../../client/generate-password.ts';
import { Problem } from '../../problem.ts';
import { ambiguous } from '../pick.ts';
import { prompts } from '../prompts.ts';
import { isInteractive, type Terminal } from '../terminal.ts';
import { parseAssignment } from './assignments.ts';
import type { Use } from './browsing.ts';
import { editedEntry, type EditorChoice } from './change-entry.ts';
import { changesBetween } from './entry-changes.ts';
import type { EditableEntry } from './entry-text.ts';
import { withAssignments } from './entry-values.ts';
import { findVault } from './find-vault.ts';
import { parseEntryName } from './reference.ts';
import { performOn, type VaultSession } from './session.ts';

export const typesByName = { login: 'login', card: 'credit_card', note: 'secure_note' } as const satisfies Record<
  string,
  EntryType
>;

export interface NewEntryWishes {
  readonly type: EntryType;
  readonly assignments: readonly string[];
  readonly editor: EditorChoice | undefined;
  /** an entry of the same title doesn't matter */
  readonly duplicate: boolean;
}

const empty: EditableEntry = { tags: [], favorite: false, archived: false, urls: [], customFields: [] };

/** Adds an entry, from assignments, an editor, or questions on a terminal where there are neither. */
export async function addEntry(terminal: Terminal, use: Use, name: string, wishes: NewEntryWishes) {
  const { vault: vaultName, entry: title } = parseEntryName(name);
  const { type, editor } = wishes;
  const assignments = wishes.assignments.map((text) => parseAssignment(text, type));
  const find = async (session: VaultSession) => {
    const vault = await findVault(session, vaultName);
    if (!wishes.duplicate) await refuseSame(session, vault, title);
    return vault;
  };
  const write = async (vault: VaultSummary): Promise<EditableEntry> => {
    const entry = await withAssignments(terminal, { ...empty, title }, assignments);
    if (editor !== undefined) return await written(terminal, vault, entry, type, editor);
    return assignments.length === 0 && isInteractive(terminal) ? await askedFor(terminal, entry, type) : entry;
  };
  const create = async (session: VaultSession, vault: VaultSummary, entry: EditableEntry) => {
    const { title: _, ...values } = changesBetween(empty, entry);
    const input = { vaultId: vault.id, ...values, type, title: entry.title ?? title };
    return { vault, entry: (await performOn(session, vault, passvault.createEntry, input)).entry };
  };
  if (editor === undefined && !isInteractive(terminal)) {
    return await use(async (session) => {
      const vault = await find(session);
      return await create(session, vault, await write(vault));
    });
  }
  // A store that is opened in this process isn't held while somebody writes, which may take all day.
  const vault = await use(find);
  const entry = await write(vault);
  return await use(async (session) => await create(session, vault, entry));
}

async function written(
  terminal: Terminal,
  vault: VaultSummary,
  entry: EditableEntry,
  type: EntryType,
  editor: EditorChoice,
): Promise<EditableEntry> {
  const edited = await editedEntry(terminal, entry, type, `A new entry of ${vault.name}`, editor);
  if (edited !== undefined) return edited;
  throw new Problem('invalid', 'NOTHING_CHANGED', 'Nothing was written, and nothing is added.');
}

/** A second one of a name could be reached by its id alone, and adding twice is a mistake more often than a wish. */
async function refuseSame(session: VaultSession, vault: VaultSummary, title: string): Promise<void> {
  const { results } = await performOn(session, vault, passvault.search, {
    vaultId: vault.id,
    query: title.slice(0, 1_000),
  });
  const same = results.filter((one) => one.title === title);
  if (same.length === 0) return;
  const { fields } = ambiguous(
    title,
    same.map(({ id, username }) => ({ id, label: username === '' ? title : `${title}, ${username}` })),
  );
  const message = `${JSON.stringify(vault.name)} has ${JSON.stringify(title)} already; change it with conclave vault edit, or add another with --duplicate.`;
  throw new Problem('conflict', 'ENTRY_EXISTS', message, { fields });
}

async function askedFor(terminal: Terminal, entry: EditableEntry, type: EntryType): Promise<EditableEntry> {
  const asking = prompts(terminal);
  const text = async (message: string) => await asking.text({ message });
  const hidden = async (message: string) => await asking.secret({ message });
  switch (type) {
    case 'login': {
      const username = await text('Username');
      const siteUrl = await text('Address');
      const password = await hidden('Password (empty: make one)');
      return {
        ...entry,
        username,
        siteUrl,
        password: password === '' ? (await generatePassword({})).password : password,
      };
    }
    case 'credit_card':
      return {
        ...entry,
        cardholderName: await text('Cardholder'),
        cardNumber: await hidden('Card number'),
        expirationDate: await text('Expires (MM/YYYY)'),
        cvv: await hidden('CVV'),
      };
    default:
      return { ...entry, content: await hidden('Content (longer ones with --editor)') };
  }
}
