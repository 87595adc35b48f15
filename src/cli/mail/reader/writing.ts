import type { Client } from '../../../client/client.ts';
import { perform } from '../../../client/perform.ts';
import type { AttachmentInput, DeliveryStatuses, ShownMailbox } from '../../../contract/mail/fields.ts';
import { mail } from '../../../contract/mail.ts';
import { Problem } from '../../../base/problem.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';
import { oneKey } from '../../kit/one-key.ts';
import { prompts } from '../../kit/prompts.ts';
import { editText } from '../../passvault/browse/editor.ts';
import { assertAttachable, attachedFiles } from '../attached-files.ts';
import { mailboxText } from '../mail-columns.ts';
import { quotedText } from '../quoted.ts';
import { mailboxesFrom } from '../recipients.ts';
import { completed, completedBy, ownMailbox, undelivered } from '../sending.ts';
import { sendTime } from '../send-time.ts';
import { aside, untilDone } from '../../kit/full-screen.ts';
import { given, recipientsOfAnswer } from './answered.ts';
import type { Reading } from './reading.ts';

/** So long a message waits that is sent with a chance to take it back. */
const UNDO = '10s';

/** A message that somebody writes. */
interface Letter {
  text: string;
  /** a draft can be sent as it is */
  readonly draft?: true;
  /** files that will be attached */
  readonly files: string[];
  /** sends it, then or at once */
  readonly send: (client: Client, letter: Written) => Promise<Sent>;
  /** keeps it as a draft */
  readonly keep: (client: Client, letter: Written) => Promise<unknown>;
}

interface Written {
  readonly textBody: string;
  /** left out if there are none */
  readonly attachments?: AttachmentInput[];
  readonly sendAt?: string;
}

interface Sent {
  readonly id: string;
  readonly deliveryStatus: DeliveryStatuses;
  readonly skipped?: readonly string[];
}

/** Has a message written and sent. @returns what to tell the person */
export async function compose(reading: Reading): Promise<string> {
  return await aside(reading, async () => {
    const ask = prompts(reading.terminal, { back: true });
    const to = mailboxesFrom([await askAddresses(ask, 'To')], 'To');
    const cc = mailboxesFrom([await askAddresses(ask, 'Cc')], 'Cc');
    const subject = await ask.text({ message: 'Subject' });
    const send: Letter['send'] = async (client, letter) => {
      const from = await ownMailbox(client);
      return await perform(client, mail.send, { from, subject, ...completed({ to, cc }, from.domain), ...letter });
    };
    const keep: Letter['keep'] = async (client, letter) =>
      await perform(client, mail.createDraft, { subject, ...(await completedBy(client, { to, cc })), ...letter });
    return await finish(reading, { text: '', files: [], send, keep });
  });
}

/** Has an answer written and sent. @returns what to tell the person */
export async function answerTo(reading: Reading, messageId: string, replyAll: boolean): Promise<string> {
  const at = await reading.screen();
  const { text, message } = await reading.use(async (client) => ({
    text: await quotedText(client, at, messageId),
    message: await perform(client, mail.showMessage, { messageId }),
  }));
  const send: Letter['send'] = async (client, letter) =>
    await perform(client, mail.reply, { messageId, from: await ownMailbox(client), replyAll, ...letter });
  const keep: Letter['keep'] = async (client, letter) => {
    const { address: own } = await perform(client, mail.listMailboxes, {});
    const { subject } = message;
    return await perform(client, mail.createDraft, {
      ...recipientsOfAnswer(message, own, replyAll),
      subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`,
      inReplyTo: messageId,
      ...letter,
    });
  };
  return await aside(reading, async () => await finish(reading, { text, files: [], send, keep }));
}

/** Goes on with a draft. @returns what to tell the person */
export async function writeOn(reading: Reading, messageId: string): Promise<string> {
  const { message, content } = await reading.use(async (client) => ({
    message: await perform(client, mail.showMessage, { messageId }),
    content: await perform(client, mail.showContent, { messageId, as: 'text' }),
  }));
  if (!message.keywords.includes('$draft')) return 'This is no draft.';
  // What replaces a draft replaces all of it, so nothing may be missing here.
  if (content.truncated) return 'The text is too long to be edited here.';
  if (content.htmlBody !== null)
    return 'This draft has HTML, which would be lost. "conclave mail draft send" sends it as it is.';
  return await aside(reading, async () => {
    const ask = prompts(reading.terminal, { back: true });
    const to = mailboxesFrom([await askAddresses(ask, 'To', message.to)], 'To');
    const cc = mailboxesFrom([await askAddresses(ask, 'Cc', message.cc)], 'Cc');
    const subject = await ask.text({ message: 'Subject', fallback: message.subject });
    const fields = {
      bcc: (message.bcc ?? []).map(given),
      ...(message.replyTo !== undefined && { replyTo: message.replyTo.map(given) }),
      subject,
    };
    // Each version of a draft has an id of its own.
    let draft = messageId;
    const keep: Letter['keep'] = async (client, { textBody, attachments }) => {
      if (attachments !== undefined && content.attachments.length > 0)
        throw new Problem(
          'invalid',
          'USAGE',
          'Files that are attached to a draft would be lost. Discard, and write a new message.',
        );
      const files = attachments === undefined ? {} : { attachments };
      const people = await completedBy(client, { to, cc });
      const written = { messageId: draft, ...fields, ...people, textBody, ...files };
      const { id } = await perform(client, mail.updateDraft, written);
      draft = id;
    };
    const send: Letter['send'] = async (client, letter) => {
      await keep(client, letter);
      return await perform(client, mail.sendDraft, { messageId: draft, sendAt: letter.sendAt });
    };
    return await finish(reading, { text: content.textBody ?? '', draft: true, files: [], send, keep });
  });
}

/** Forwards a message. @returns what to tell the person */
export async function forwardOn(reading: Reading, messageId: string): Promise<string> {
  return await aside(reading, async () => {
    const { terminal } = reading;
    const to = await askAddresses(prompts(terminal, { back: true }), 'Forward to');
    const forwardTo = mailboxesFrom([to], 'Forward to');
    if (forwardTo.length === 0) return 'Nobody was named. Nothing was forwarded.';
    let textBody: string | undefined;
    for (;;) {
      const key = await oneKey(terminal, 'Forward it:', {
        s: 'send',
        u: `send in ${UNDO}`,
        w: 'write a text',
        x: 'no',
      });
      if (key === 'x') return 'Nothing was forwarded.';
      if (key === 'w') {
        textBody = (await edited(reading, textBody ?? '')) ?? textBody;
        continue;
      }
      const send: Letter['send'] = async (client, { sendAt }) =>
        await perform(client, mail.forward, {
          messageId,
          forwardTo: (await completedBy(client, { to: forwardTo })).to,
          textBody,
          sendAt,
        });
      return await sentBy(reading, send, { textBody: '' }, key === 'u');
    }
  });
}

/** Asks what to do with a text until it is sent, kept or thrown away. What the server refuses can be tried again. */
async function finish(reading: Reading, letter: Letter): Promise<string> {
  const { use } = reading;
  const begun = letter.text;
  letter.text = (await edited(reading, begun)) ?? begun;
  if (letter.text === begun && letter.draft !== true) return 'Nothing was written.';
  const keys = {
    s: 'send',
    u: `send in ${UNDO}`,
    e: 'edit',
    f: 'attach',
    k: 'keep',
    x: 'discard',
  };
  return await untilDone(reading, 'Message:', keys, async (key) => {
    if (key === 'x') return 'The message was discarded.';
    if (key === 's' || key === 'u') return await sentBy(reading, letter.send, letter, key === 'u');
    if (key === 'e') letter.text = (await edited(reading, letter.text)) ?? letter.text;
    else if (key === 'f') await attach(reading, letter.files);
    else {
      await use(async (client) => await letter.keep(client, await writtenOf(reading, client, letter)));
      return 'Kept as a draft.';
    }
    return undefined;
  });
}

async function sentBy(
  reading: Reading,
  send: Letter['send'],
  letter: Pick<Letter, 'text' | 'files'> | { readonly textBody: string },
  later: boolean,
): Promise<string> {
  const sent = await reading.use(async (client) => {
    const written = 'files' in letter ? await writtenOf(reading, client, letter) : letter;
    const sendAt = sendTime(undefined, later ? UNDO : undefined, Date.now());
    return await send(client, { ...written, ...(sendAt !== undefined && { sendAt }) });
  });
  const { id, deliveryStatus, skipped = [] } = sent;
  const failed = new Set(undelivered({ ...sent, subject: '' }));
  const everybody = Object.keys(deliveryStatus).filter((one) => !failed.has(one));
  const missed = [...failed, ...skipped];
  const without = missed.length === 0 ? '' : ` Not delivered to ${missed.join(', ')}.`;
  if (!later) return `${everybody.length === 0 ? '' : `Sent to ${everybody.join(', ')}.`}${without}`.trim();
  reading.undoing.last = async (client) => {
    await perform(client, mail.cancel, { messageId: id });
    return 'Took the message back. It is in drafts.';
  };
  return `It goes to ${everybody.join(', ')} in ${UNDO}. z takes it back.${without}`;
}

async function writtenOf(
  reading: Reading,
  client: Client,
  { text, files }: Pick<Letter, 'text' | 'files'>,
): Promise<Written> {
  if (files.length === 0) return { textBody: text };
  return { textBody: text, attachments: await attachedFiles(reading.terminal, client, files) };
}

async function attach({ terminal }: Reading, files: string[]): Promise<void> {
  const file = (await prompts(terminal, { back: true }).text({ message: 'File to attach' })).trim();
  if (file === '') return;
  await assertAttachable([file]);
  files.push(file);
  terminal.stderr.write(`Attached: ${escapeForTerminal(files.join(', '))}\n`);
}

async function edited({ terminal }: Reading, text: string): Promise<string | undefined> {
  const warn = (message: string) => void terminal.stderr.write(`${message}\n`);
  return await editText(terminal, text, { allowDisk: true, warn });
}

/** Asks until all are addresses. */
async function askAddresses(
  ask: ReturnType<typeof prompts>,
  message: string,
  now: readonly ShownMailbox[] = [],
): Promise<string> {
  const check = (answer: string): string | undefined => {
    try {
      mailboxesFrom([answer], message);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return error.message;
      throw error;
    }
  };
  return await ask.text({ message, check, ...(now.length > 0 && { fallback: now.map(mailboxText).join(', ') }) });
}
