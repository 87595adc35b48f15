import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { generatePassword } from '../../../client/generate-password.ts';
import { impossibleSecret } from '../../../client/impossible-secret.ts';
import { Problem } from '../../../base/problem.ts';
import { unreadable } from '../../kit/file-reasons.ts';
import { missingInput } from '../../kit/missing-input.ts';
import { prompts } from '../../kit/prompts.ts';
import { isInteractive, type Terminal } from '../../kit/terminal.ts';
import type { EntryAssignment } from './assignments.ts';
import type { EditableEntry } from './entry-text.ts';

/** The limit is larger than any field of an entry. */
const longestFile = 1024 * 1024;

/**
 * Applies assignments to an entry, in their order.
 *
 * @throws Problem invalid if a file lacks the value, or if the value cannot be asked for
 */
export async function withAssignments(
  terminal: Terminal,
  entry: EditableEntry,
  assignments: readonly EntryAssignment[],
): Promise<EditableEntry> {
  let changed = entry;
  for (const assignment of assignments) changed = put(changed, assignment, await valueOf(terminal, assignment));
  return changed;
}

/** @returns undefined for a field that is removed */
async function valueOf(terminal: Terminal, { name, source, target }: EntryAssignment): Promise<string | undefined> {
  switch (source.kind) {
    case 'value':
      return source.value;
    case 'delete':
      return undefined;
    case 'generate':
      return (await generatePassword(source.recipe)).password;
    case 'file':
      return await fileText(terminal, name, source.path);
    default:
      if (!isInteractive(terminal)) {
        const by = `'${name}[file]=PATH' (- for standard input) or '${name}[generate]'`;
        throw missingInput({ path: name, by });
      }
      return await prompts(terminal).secret({
        message: name,
        check: (answer) => (answer === '' ? 'Must not be empty' : impossible(target, answer)),
      });
  }
}

function impossible(target: EntryAssignment['target'], answer: string): string | undefined {
  return target.kind === 'known' ? impossibleSecret(target.property, answer) : undefined;
}

/** Removes the last line end. An empty file is refused, because it is more likely a mistake than a wish to remove the value. */
async function fileText({ stdin }: Terminal, name: string, path: string): Promise<string> {
  let text: string;
  try {
    text = path === '-' ? await textOf(stdin) : await readFile(path, 'utf8');
  } catch (cause) {
    throw new Problem('invalid', 'SECRET_UNREADABLE', `${name}: ${unreadable(path, cause)}`, { cause });
  }
  const value = text.replace(/\r?\n$/, '');
  if (value.length > longestFile) throw new Problem('invalid', 'SECRET_UNREADABLE', `${name}: ${path} is too long.`);
  const where = path === '-' ? 'standard input' : path;
  if (value === '')
    throw new Problem(
      'invalid',
      'SECRET_EMPTY',
      `The value of ${name} in ${where} is empty. Use [delete] to remove it.`,
    );
  return value;
}

function put(entry: EditableEntry, { name, target }: EntryAssignment, value: string | undefined): EditableEntry {
  switch (target.kind) {
    case 'known':
      return { ...entry, [target.property]: value ?? '' };
    case 'tags':
      return { ...entry, tags: listOf(value) };
    case 'urls':
      return { ...entry, urls: listOf(value).map((uri) => ({ uri, match: 'domain' })) };
    case 'favorite':
    case 'archived':
      return { ...entry, [target.kind]: yesOf(name, value) };
    default: {
      const others = entry.customFields.filter((field) => field.name !== name);
      if (value === undefined) return { ...entry, customFields: others };
      const field = { name, value, hidden: target.hidden };
      const at = entry.customFields.findIndex((one) => one.name === name);
      const customFields =
        at < 0 ? [...others, field] : entry.customFields.map((one, index) => (index === at ? field : one));
      return { ...entry, customFields };
    }
  }
}

function listOf(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function yesOf(name: string, value: string | undefined): boolean {
  const word = (value ?? 'no').toLowerCase();
  if (['yes', 'true', 'no', 'false'].includes(word)) return word === 'yes' || word === 'true';
  throw new Problem('invalid', 'USAGE', `${name} must be yes or no.`);
}
