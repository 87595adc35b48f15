import type { EntryType, VaultSummary } from '../../../contract/passvault/entry.ts';
import { passvault } from '../../../contract/passvault.ts';
import { impossibleSecret } from '../../../client/impossible-secret.ts';
import { generatePassword } from '../../../client/generate-password.ts';
import { Problem } from '../../../base/problem.ts';
import { ambiguous } from '../../kit/pick.ts';
import { inTurn, prompts } from '../../kit/prompts.ts';
import { isInteractive, type Terminal } from '../../kit/terminal.ts';
import { parseAssignment } from './assignments.ts';
import type { Use } from '../browse/browsing.ts';
import { editedEntry, type EditorChoice } from './change-entry.ts';
import { assertPossible, changesBetween } from './entry-changes.ts';
import type { EditableEntry } from './entry-text.ts';
import { withAssignments } from './entry-values.ts';
import { vaultTitle } from '../../../base/vault-names.ts';
import { findVault } from '../find-vault.ts';
import { parseEntryName } from '../run/reference.ts';
import { performOn, type VaultSession } from '../session.ts';

export const typesByName = { login: 'login', card: 'credit_card', note: 'secure_note' } as const satisfies Record<
  string,
  EntryType
>;

export interface NewEntryWishes {
  readonly type: EntryType;
  readonly assignments: readonly string[];
  readonly editor: EditorChoice | undefined;
  /** allows an entry with the title of an existing one */
  readonly duplicate: boolean;
}

const empty: EditableEntry = { tags: [], favorite: false, archived: false, urls: [], customFields: [] };

/** Adds an entry from assignments or an editor. Without either, it asks questions on the terminal. */
export async function addEntry(terminal: Terminal, use: Use, name: string, wishes: NewEntryWishes) {
  const { vault: vaultName, entry: title } = parseEntryName(name);
  const { type, editor } = wishes;
  const assignments = wishes.assignments.map((text) => parseAssignment(text, type));
  const find = async (session: VaultSession) => {
    const vault = await findVault(session, vaultName);
    if (!wishes.duplicate) await refuseSame(session, vault, title);
    return vault;
  };
  const create = async (session: VaultSession, vault: VaultSummary, entry: EditableEntry) => {
    const { title: _, ...values } = changesBetween(empty, entry);
    assertPossible(values);
    const input = { vaultId: vault.id, ...values, type, title: entry.title ?? title };
    return { vault, entry: (await performOn(session, vault, passvault.createEntry, input)).entry };
  };
  const begin = async () => await withAssignments(terminal, { ...empty, title }, assignments);
  if (editor === undefined && !isInteractive(terminal)) {
    return await use(async (session) => await create(session, await find(session), await begin()));
  }
  // A store that is opened in this process is closed while the person writes, which may take all day.
  const vault = await use(find);
  const entry = await begin();
  const keep = async (written: EditableEntry) => await use(async (session) => await create(session, vault, written));
  if (editor === undefined) return await keep(assignments.length === 0 ? await askedFor(terminal, entry, type) : entry);
  const added = await editedEntry(
    terminal,
    { entry, type, heading: `A new entry of ${vaultTitle(vault)}` },
    editor,
    keep,
  );
  if (added !== undefined) return added;
  throw new Problem('invalid', 'NOTHING_CHANGED', 'The file was not changed. Nothing was added.');
}

/** A second entry with the same title could be reached only by its id, and is more often a mistake than a wish. */
async function refuseSame(session: VaultSession, vault: VaultSummary, title: string): Promise<void> {
  const { results } = await performOn(session, vault, passvault.search, {
    vaultId: vault.id,
    query: title.slice(0, 1_000),
  });
  const same = results.filter((one) => one.title.normalize('NFC') === title.normalize('NFC'));
  if (same.length === 0) return;
  const { fields } = ambiguous(
    title,
    same.map(({ id, username }) => ({ id, label: username === '' ? title : `${title}, ${username}` })),
  );
  const message = `${JSON.stringify(vaultTitle(vault))} already has ${JSON.stringify(title)}. Change it with conclave vault edit, or add another one with --duplicate.`;
  throw new Problem('conflict', 'ENTRY_EXISTS', message, { fields });
}

async function askedFor(terminal: Terminal, entry: EditableEntry, type: EntryType): Promise<EditableEntry> {
  const asking = prompts(terminal, { back: true });
  const text = (message: string) => async (before: string | undefined) =>
    await asking.text({ message, ...(before && { fallback: before }) });
  const hidden = (message: string) => async () => await asking.secret({ message });
  switch (type) {
    case 'login': {
      const steps = [text('Username'), text('Address'), hidden('Password (empty: generate one)')];
      const [username = '', siteUrl = '', typed = ''] = await inTurn(steps);
      const password = typed === '' ? (await generatePassword({})).password : typed;
      return { ...entry, username, siteUrl, password };
    }
    case 'credit_card': {
      const check = (answer: string) => impossibleSecret('cardNumber', answer);
      const number = async () => await asking.secret({ message: 'Card number', check });
      const steps = [text('Cardholder'), number, text('Expires (MM/YYYY)'), hidden('CVV')];
      const [cardholderName = '', cardNumber = '', expirationDate = '', cvv = ''] = await inTurn(steps);
      return { ...entry, cardholderName, cardNumber, expirationDate, cvv };
    }
    default:
      return { ...entry, content: await asking.secret({ message: 'Content (for longer text use --editor)' }) };
  }
}
