import { Flags } from '@oclif/core';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Client } from '../../client/client.ts';
import { perform } from '../../client/perform.ts';
import type { AttachmentInput, MailboxInput } from '../../contract/mail/fields.ts';
import { mailLimits } from '../../contract/mail/limits.ts';
import { mailReading } from '../../contract/mail/reading.ts';
import { Problem } from '../../problem.ts';
import { isInteractive, type Terminal } from '../kit/terminal.ts';
import { mailboxFrom } from './mailboxes.ts';

const fileFlag = (description: string) => Flags.string({ description, helpValue: 'FILE' });
const people = (description: string) =>
  Flags.string({ description: `${description}; repeat for more`, helpValue: 'ADDRESS', multiple: true });

/** Who gets a message. */
export const recipientFlags = {
  to: people('recipient, as ada@home.example or "Ada <ada@home.example>"'),
  cc: people('recipient of a copy'),
  bcc: people('recipient of a copy of whom nobody else learns'),
};

/** What it says. */
export const bodyFlags = {
  'body-file': fileFlag('file with the text (- for standard input)'),
  'html-file': fileFlag('file with the same as HTML'),
  attach: Flags.string({ description: 'file to attach; repeat for more', helpValue: 'FILE', multiple: true }),
  at: Flags.string({
    description: 'send it then, as 2026-12-24T18:00:00Z; until then it can be cancelled',
    helpValue: 'TIME',
  }),
};

interface BodyFlags {
  readonly 'body-file'?: string | undefined;
  readonly 'html-file'?: string | undefined;
  readonly attach?: readonly string[] | undefined;
  readonly at?: string | undefined;
}

export function recipientsFrom(flags: Partial<Record<'to' | 'cc' | 'bcc', readonly string[] | undefined>>) {
  const those = (name: 'to' | 'cc' | 'bcc') => (flags[name] ?? []).map((text) => mailboxFrom(text));
  return { to: those('to'), cc: those('cc'), bcc: those('bcc') };
}

/** The mailbox of whoever is signed in. */
export async function ownMailbox(client: Client): Promise<MailboxInput> {
  const { address } = await perform(client, mailReading.listMailboxes, {});
  return mailboxFrom(address);
}

/** Texts and attachments as flags name them. Without a file, the text comes from standard input unless that is a terminal. */
export async function writtenFrom(terminal: Terminal, flags: BodyFlags) {
  const { 'body-file': bodyFile, 'html-file': htmlFile, attach = [], at } = flags;
  const textBody = bodyFile === undefined && htmlFile !== undefined ? undefined : await textFrom(terminal, bodyFile);
  const htmlBody = htmlFile === undefined ? undefined : await textFrom(terminal, htmlFile);
  const attachments: AttachmentInput[] = [];
  for (const file of attach) attachments.push(await attachmentFrom(file));
  return {
    ...(textBody !== undefined && { textBody }),
    ...(htmlBody !== undefined && { htmlBody }),
    ...(attachments.length > 0 && { attachments }),
    ...(at !== undefined && { sendAt: momentFrom(at) }),
  };
}

async function textFrom(terminal: Terminal, file: string | undefined): Promise<string> {
  if (file !== undefined && file !== '-') return await readText(file);
  if (file === undefined && isInteractive(terminal))
    throw new Problem(
      'invalid',
      'INPUT_MISSING',
      'The text is missing. Give it with --body-file FILE, or pass it on standard input.',
    );
  const pieces: Buffer[] = [];
  for await (const piece of terminal.stdin) pieces.push(Buffer.from(piece as Buffer));
  return Buffer.concat(pieces).toString('utf8');
}

async function readText(file: string): Promise<string> {
  return (await readWhole(file, mailLimits.body)).toString('utf8');
}

async function attachmentFrom(file: string): Promise<AttachmentInput> {
  const content = (await readWhole(file, mailLimits.attachmentBytes)).toString('base64');
  return { filename: basename(file), content };
}

async function readWhole(file: string, most: number): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > most) throw new Problem('invalid', 'INPUT_TOO_LARGE', `${file} is larger than ${most} bytes.`);
    return await readFile(file);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('invalid', 'INPUT_UNREADABLE', `${file} cannot be read. Check its name.`, { cause });
  }
}

function momentFrom(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new Problem('invalid', 'INPUT_INVALID', `${JSON.stringify(text)} is no moment. Write 2026-12-24T18:00:00Z.`);
  return at.toISOString();
}

/** What to say of a message that was sent. */
export function sentText({
  id,
  deliveryStatus,
}: {
  readonly id: string;
  readonly deliveryStatus: Readonly<Record<string, string>>;
}): string {
  const lines = Object.entries(deliveryStatus).map(([address, status]) => `${address}: ${status}`);
  return [`Sent ${id}.`, ...lines].join('\n');
}
