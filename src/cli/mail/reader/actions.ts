import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import type { EmailMetadata } from '../../../contract/mail/fields.ts';
import { folders, type Folder } from '../../../contract/mail/limits.ts';
import { mail } from '../../../contract/mail.ts';
import { Problem } from '../../../base/problem.ts';
import { counted } from '../../kit/counted.ts';
import { prompts } from '../../kit/prompts.ts';
import { aside } from '../../kit/full-screen.ts';
import type { Reading } from './reading.ts';

/** What actions look at. */
export type Acted = Pick<EmailMetadata, 'id' | 'read' | 'keywords' | 'folder' | 'labels'>;

/** What keys do with messages, wherever they are shown. */
export const actionKeys = new Set(['a', 'd', 's', 'u', 'm', 'L']);

interface Change {
  readonly folder?: Folder;
  readonly read?: boolean;
  readonly addKeywords?: string[];
  readonly removeKeywords?: string[];
  readonly addLabels?: string[];
  readonly removeLabels?: string[];
}

/** A change of one message, the change that takes it back, and what to tell of it. */
interface Planned {
  readonly change: Change;
  readonly back: (message: Acted) => Change;
  readonly told: (count: string) => string;
}

/** @returns what to tell the person, and whether the messages are somewhere else now */
export async function act(
  reading: Reading,
  key: string,
  messages: readonly Acted[],
): Promise<{ readonly note: string; readonly moved: boolean }> {
  const [first] = messages;
  if (first === undefined) return { note: '', moved: false };
  const { change, back, told } = await planned(reading, key, first);
  const done: Acted[] = [];
  const revert = async (client: Client): Promise<string> => {
    for (const message of done) await perform(client, mail.changeMessage, { messageId: message.id, ...back(message) });
    return `Took it back for ${counted(done.length, 'message')}.`;
  };
  await reading.use(async (client) => {
    for (const message of messages) {
      await perform(client, mail.changeMessage, { messageId: message.id, ...change });
      done.push(message);
      reading.undoing.last = revert;
    }
  });
  return { note: told(counted(messages.length, 'message')), moved: change.folder !== undefined };
}

async function planned(reading: Reading, key: string, first: Acted): Promise<Planned> {
  if (key === 'a') return moving('archive', 'Moved', 'to the archive');
  if (key === 'd') return moving('trash', 'Moved', 'to the trash');
  if (key === 'm') {
    const folder = await chosenFolder(reading);
    return moving(folder, 'Moved', `to ${folder}`);
  }
  if (key === 'L') return await labelling(reading, first);
  if (key === 'u') return { change: { read: !first.read }, back: ({ read }) => ({ read }), told: () => '' };
  const [flag, unflag] = [{ addKeywords: ['$flagged'] }, { removeKeywords: ['$flagged'] }];
  return {
    change: isFlagged(first) ? unflag : flag,
    back: (message) => (isFlagged(message) ? flag : unflag),
    told: () => '',
  };
}

function isFlagged({ keywords }: Acted): boolean {
  return keywords.includes('$flagged');
}

function moving(folder: Folder, verb: string, where: string): Planned {
  return {
    change: { folder },
    back: (message) => ({ folder: message.folder }),
    told: (count) => `${verb} ${count} ${where}.`,
  };
}

/** Folders that messages can be moved to; the server refuses what does not belong there. */
async function chosenFolder(reading: Reading): Promise<Folder> {
  const items = folders.filter((name) => name !== 'drafts').map((name) => ({ name, value: name }));
  return await aside(reading, async () => await prompts(reading.terminal, { back: true }).menu('Move to', items));
}

async function labelling(reading: Reading, { labels }: Acted): Promise<Planned> {
  const has = labels.length === 0 ? '' : ` It has ${labels.join(', ')}.`;
  const message = `Labels, with commas between them; -name takes one away.${has}`;
  const text = await aside(reading, async () => await prompts(reading.terminal, { back: true }).text({ message }));
  const names = text.split(',').map((name) => name.trim());
  const add = names.filter((name) => name !== '' && !name.startsWith('-'));
  const remove = names.flatMap((name) => (name.startsWith('-') ? [name.slice(1).trim()] : [])).filter(Boolean);
  if (add.length + remove.length === 0) throw new Problem('invalid', 'USAGE', 'No label was named.');
  return {
    change: { addLabels: add, removeLabels: remove },
    back: (before) => ({
      addLabels: remove.filter((name) => before.labels.includes(name)),
      removeLabels: add.filter((name) => !before.labels.includes(name)),
    }),
    told: (count) => `Labels of ${count} were changed.`,
  };
}

/** Takes the last thing back. @returns what to tell the person */
export async function undo(reading: Reading): Promise<string> {
  const { last } = reading.undoing;
  if (last === undefined) return 'There is nothing to take back.';
  reading.undoing.last = undefined;
  return await reading.use(last);
}
