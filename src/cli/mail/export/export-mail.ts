import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Caller } from '../../../client/perform.ts';
import { folders } from '../../../contract/mail/limits.ts';
import { Problem } from '../../../base/problem.ts';
import { fileReasons, isFileReason } from '../../kit/file-reasons.ts';
import type { Teller } from '../../kit/waiting.ts';
import { fromLine } from '../files/from-line.ts';
import { quoteFrom } from '../files/from-quoting.ts';
import { toLf } from '../files/line-ends.ts';
import { flagsOfState, maildirBase } from '../files/maildir.ts';
import { fieldsOfState, withoutFlags } from '../files/mbox-flags.ts';
import { directoryOf, type Mailbox } from '../files/maildir-folders.ts';
import type { ServerMessage } from '../transfer/changes.ts';
import { appendMessage, writeMessage } from '../transfer/message-file.ts';

export const mailFormats = ['mbox', 'maildir', 'eml'] as const;
export type MailFormat = (typeof mailFormats)[number];

/** Messages of one mailbox. */
export interface Exported {
  readonly mailbox: Mailbox;
  readonly messages: readonly ServerMessage[];
}

/** What is written, and what counts the messages. */
interface Work {
  readonly caller: Caller;
  readonly count: () => void;
}

/**
 * Writes messages to a new file, or to a new folder. It gets its name when everything is in it.
 *
 * @param path does not exist
 * @param all one mailbox in itself, or several in a folder
 * @throws Problem conflict FILE_EXISTS, invalid OUTPUT_UNWRITABLE
 */
export async function exportMail(
  caller: Caller,
  format: MailFormat,
  path: string,
  all: Exported | readonly Exported[],
  { report }: Teller,
): Promise<void> {
  const several = 'length' in all;
  const mailboxes = several ? all : [all];
  const total = mailboxes.reduce((sum, { messages }) => sum + messages.length, 0);
  let done = 0;
  const work = { caller, count: () => report({ what: `exporting ${total} messages`, done: (done += 1), total }) };
  await written(path, async (target) => {
    if (format === 'mbox' && !several) return await writeMbox(work, target, all.messages);
    await mkdir(target, { mode: 0o700 });
    for (const { mailbox, messages } of mailboxes) {
      const name = 'label' in mailbox ? mailbox.label : mailbox.folder;
      if (format === 'mbox') await writeMbox(work, join(target, `${name}.mbox`), messages);
      else if (format === 'eml') await writeEml(work, several ? join(target, name) : target, messages);
      else await writeMaildir(work, several ? join(target, directoryOf(mailbox)) : target, messages);
    }
  });
}

/** Writes under a name of its own first, so that whatever has the name is whole. */
async function written(path: string, write: (target: string) => Promise<void>): Promise<void> {
  const exists = new Problem('conflict', 'FILE_EXISTS', `${path} exists already. It was not changed.`);
  if ((await stat(path).catch(() => undefined)) !== undefined) throw exists;
  const target = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    await write(target);
    // Another program can have taken the name in the meantime.
    if ((await stat(path).catch(() => undefined)) !== undefined) throw exists;
    await rename(target, path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (cause instanceof Problem || !isFileReason(code)) throw cause;
    throw new Problem('invalid', 'OUTPUT_UNWRITABLE', `${path} cannot be written: ${fileReasons[code]}.`, { cause });
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

async function writeMbox({ caller, count }: Work, path: string, messages: readonly ServerMessage[]): Promise<void> {
  await using file = await open(path, 'wx+', 0o600);
  let at = 0;
  const put = async (text: string) => void (at += (await file.write(text, at, 'latin1')).bytesWritten);
  for (const message of messages) {
    const flags = fieldsOfState({ ...message, inTrash: message.folder === 'trash' });
    await put(`${fromLine(new Date(message.receivedAt))}\n${flags}`);
    at = await appendMessage(caller, message.id, file, at, () => [toLf(), withoutFlags(), quoteFrom()]);
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at - 1);
    await put(buffer[0] === 10 ? '\n' : '\n\n');
    count();
  }
  await file.sync();
}

async function writeMaildir({ caller, count }: Work, path: string, messages: readonly ServerMessage[]): Promise<void> {
  for (const part of ['', 'cur', 'new', 'tmp']) await mkdir(join(path, part), { recursive: true, mode: 0o700 });
  for (const message of messages) {
    const flags = flagsOfState(message, message.folder === 'trash');
    const base = maildirBase(Date.parse(message.receivedAt), message.id);
    const temporary = join(path, 'tmp', base);
    await writeMessage(caller, message.id, temporary, () => [toLf()]);
    await dated(temporary, message);
    // What is new to people has no flags.
    await rename(temporary, flags === '' ? join(path, 'new', base) : join(path, 'cur', `${base}:2,${flags}`));
    count();
  }
}

async function writeEml({ caller, count }: Work, path: string, messages: readonly ServerMessage[]): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  for (const message of messages) {
    const name = `${message.receivedAt.slice(0, 19).replaceAll(':', '')}-${message.id}.eml`;
    await writeMessage(caller, message.id, join(path, name), () => []);
    await dated(join(path, name), message);
    count();
  }
}

/** Programs that read the file take its time as when the message came. */
async function dated(path: string, { receivedAt }: ServerMessage): Promise<void> {
  await utimes(path, new Date(), new Date(receivedAt));
}

/** The messages of every folder. A message with labels is there once. */
export function byFolder(messages: readonly ServerMessage[]): Exported[] {
  return folders.map((folder) => ({
    mailbox: { folder },
    messages: messages.filter((message) => message.folder === folder),
  }));
}
