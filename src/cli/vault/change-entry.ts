import type { Entry, VaultSummary } from '../../contract/passvault/entry.ts';
import { passvault } from '../../contract/passvault.ts';
import { Problem } from '../../problem.ts';
import { isInteractive, type Terminal } from '../terminal.ts';
import { prompts } from '../prompts.ts';
import { editText } from './editor.ts';
import { changesBetween, overlap, type EntryChanges } from './entry-changes.ts';
import { editableOf, formatEntry, type EditableEntry } from './entry-text.ts';
import { parseEntry } from './entry-text-parser.ts';
import { readEntry } from './find-entry.ts';
import { performOn, type VaultSession } from './session.ts';

export interface EditorChoice {
  readonly allowDisk: boolean;
  readonly warn: (message: string) => void;
}

/**
 * Has the user's editor change an entry.
 *
 * @returns undefined where it was left as it is
 */
export async function editedEntry(
  terminal: Terminal,
  entry: EditableEntry,
  type: Entry['type'],
  heading: string,
  choice: EditorChoice,
): Promise<EditableEntry | undefined> {
  let text = formatEntry(entry, type, heading);
  for (;;) {
    const edited = await editText(terminal, text, choice);
    if (edited === undefined) return undefined;
    try {
      return parseEntry(edited);
    } catch (error) {
      if (!(error instanceof Problem) || !isInteractive(terminal)) throw error;
      if (!(await prompts(terminal).confirm(`${error.message} Edit it again?`))) throw error;
      text = `${edited}\n`;
    }
  }
}

export interface Changed {
  readonly entry: Pick<Entry, 'id' | 'title' | 'updatedAt' | 'version'>;
  readonly fields: readonly string[];
}

/**
 * Sends what became another. When somebody else changed the entry meanwhile, and other parts of it, both changes stand.
 *
 * @returns undefined where nothing became another
 * @throws Problem conflict ENTRY_CHANGED that names the parts which both changed
 */
export async function sendChanges(
  session: VaultSession,
  vault: VaultSummary,
  before: Entry,
  after: EditableEntry,
): Promise<Changed | undefined> {
  const changes = changesBetween(editableOf(before), after);
  const fields = Object.keys(changes);
  if (fields.length === 0) return undefined;
  const send = async (version: number) => {
    const input = { vaultId: vault.id, entryId: before.id, ...changes, version };
    return { ...(await performOn(session, vault, passvault.updateEntry, input)), fields };
  };
  try {
    return await send(before.version);
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'ENTRY_CHANGED')) throw error;
    return await send((await mergeable(session, vault, before, changes)).version);
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
    'Somebody else changed the same meanwhile. Nothing was done; look at it and try again.',
    {
      fields: both.map((path) => ({ path, message: 'was changed by both' })),
    },
  );
}
