import type { Entry, VaultSummary } from '../../../contract/passvault/entry.ts';
import { passvault } from '../../../contract/passvault.ts';
import { Problem } from '../../../base/problem.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { isInteractive, type Terminal } from '../../kit/terminal.ts';
import { prompts } from '../../kit/prompts.ts';
import type { Use } from '../browse/browsing.ts';
import { editText } from '../browse/editor.ts';
import { assertPossible, changesBetween, overlap, type EntryChanges } from './entry-changes.ts';
import { editableOf, formatEntry, type EditableEntry } from './entry-text.ts';
import { parseEntry } from './entry-text-parser.ts';
import { readEntry } from './find-entry.ts';
import { performOn, type VaultSession } from '../session.ts';

export interface EditorChoice {
  readonly allowDisk: boolean;
  readonly warn: (message: string) => void;
}

/** The entry that the editor opens. */
export interface Draft {
  readonly entry: EditableEntry;
  readonly type: Entry['type'];
  readonly heading: string;
}

/**
 * Opens an entry in the user's editor, and stores the result. If the text is refused, a person at a terminal can edit it again. Their text
 * is lost only if they agree.
 *
 * @param keep stores the edited entry
 * @returns the result of `keep`; undefined if the entry is unchanged
 */
export async function editedEntry<T>(
  terminal: Terminal,
  { entry, type, heading }: Draft,
  choice: EditorChoice,
  keep: (after: EditableEntry) => Promise<T>,
): Promise<T | undefined> {
  let text = formatEntry(entry, type, heading);
  for (let refused = false; ; refused = true) {
    const edited = (await editText(terminal, text, choice)) ?? (refused ? text : undefined);
    if (edited === undefined) return undefined;
    try {
      return await keep(parseEntry(edited));
    } catch (error) {
      if (!(error instanceof Problem) || !isInteractive(terminal)) throw error;
      const fields = error.fields
        .map(({ path, message }) => `${path} ${message}`)
        .filter((said) => !error.message.includes(said));
      const said = [error.message, ...fields].map((each) => escapeForTerminal(each)).join(' ');
      if (!(await prompts(terminal).confirm(`${said} Edit it again? (no discards it)`, true))) throw error;
      text = edited;
    }
  }
}

export interface Changed {
  readonly entry: Pick<Entry, 'id' | 'title' | 'updatedAt' | 'version'>;
  readonly fields: readonly string[];
}

/** Sends the changed fields of an entry. After a conflict the person can save again, which overwrites the changes of others. */
export function sender(
  use: Use,
  vault: VaultSummary,
  before: Entry,
): (after: EditableEntry) => Promise<Changed | undefined> {
  let over = false;
  return async (after) => {
    try {
      return await use(async (session) => await sendChanges(session, vault, before, after, over));
    } catch (error) {
      over ||= error instanceof Problem && error.code === 'ENTRY_CHANGED';
      throw error;
    }
  };
}

/**
 * Sends the changed parts of an entry. If another person changed other parts meanwhile, both changes are kept.
 *
 * @param over whether to overwrite the same parts that another person changed
 * @returns undefined if nothing changed
 * @throws Problem conflict ENTRY_CHANGED that names the parts which both changed
 */
async function sendChanges(
  session: VaultSession,
  vault: VaultSummary,
  before: Entry,
  after: EditableEntry,
  over = false,
): Promise<Changed | undefined> {
  const changes = changesBetween(editableOf(before), after);
  const fields = Object.keys(changes);
  if (fields.length === 0) return undefined;
  assertPossible(changes);
  const send = async (version: number) => {
    const input = { vaultId: vault.id, entryId: before.id, ...changes, version };
    return { ...(await performOn(session, vault, passvault.updateEntry, input)), fields };
  };
  try {
    return await send(before.version);
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'ENTRY_CHANGED')) throw error;
    return await send((await mergeable(session, vault, before, over ? {} : changes)).version);
  }
}

async function mergeable(
  session: VaultSession,
  vault: VaultSummary,
  before: Entry,
  changes: EntryChanges,
): Promise<Entry> {
  const now = await readEntry(session, vault, before.id);
  const both = overlap(changes, before, now);
  if (both.length === 0) return now;
  throw new Problem(
    'conflict',
    'ENTRY_CHANGED',
    'Somebody else changed the same fields in the meantime. Nothing was saved. Saving again overwrites their change.',
    {
      fields: both.map((path) => ({ path, message: 'was changed by both' })),
    },
  );
}
