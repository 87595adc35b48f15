import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { assertAttachable, attachedFiles } from '../../src/cli/mail/attached-files.ts';
import { sendTime } from '../../src/cli/mail/send-time.ts';
import { mailboxesFrom } from '../../src/cli/mail/recipients.ts';
import * as sending from '../../src/cli/mail/sending.ts';
import { writtenBody } from '../../src/cli/mail/written-body.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Send extends ApiCommand {
  static override summary = 'Write and send a message';
  static override description =
    'Its text is read from --body-file, from standard input, or from your editor (EDITOR) on a terminal. With --undo or --at it leaves later, and until then it can be taken back.';
  static override examples = [
    '<%= config.bin %> mail send --to bob@home.example --subject "The plan" --attach plan.pdf --undo 10s',
    'uptime | <%= config.bin %> mail send --to "Ada <ada@home.example>" --subject Uptime',
  ];
  static override flags = {
    ...sending.recipientFlags,
    'reply-to': Flags.string({ description: 'where answers go, instead of to you', helpValue: 'ADDRESS' }),
    name: Flags.string({ description: 'your name, as recipients see it', helpValue: 'NAME' }),
    subject: Flags.string({ description: 'subject, one line', helpValue: 'TEXT', default: '' }),
    ...sending.contentFlags,
    ...sending.timeFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Send);
    const recipients = sending.recipientsOf(flags);
    sending.assertSomebody(recipients);
    const replyTo = flags['reply-to'] === undefined ? [] : mailboxesFrom([flags['reply-to']], '--reply-to');
    // All that may be wrong is found before somebody writes a text in vain.
    sendTime(flags.at, flags.undo, Date.now());
    await assertAttachable(flags.attach);
    const body = await writtenBody(this.terminal, flags, { warn: (text) => this.warnOf(text) });
    await using client = await this.connect(flags);
    const from = await sending.ownMailbox(client, flags.name);
    const attachments = await attachedFiles(this.terminal, client, flags.attach ?? []);
    const sendAt = sendTime(flags.at, flags.undo, Date.now());
    const { subject } = flags;
    const message = { from, ...recipients, subject, ...body, attachments, sendAt };
    const sent = await perform(client, mail.send, replyTo.length > 0 ? { ...message, replyTo } : message);
    await this.answer(sent, () => sending.sentText(sent, sendAt));
    this.say(sending.afterSending(sent, sendAt));
  }
}
