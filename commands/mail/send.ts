import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { assertAttachable, attachedFiles } from '../../src/cli/mail/attached-files.ts';
import { sendTime } from '../../src/cli/mail/send-time.ts';
import { mailboxesFrom } from '../../src/cli/mail/recipients.ts';
import { SendingCommand } from '../../src/cli/mail/sending-command.ts';
import * as sending from '../../src/cli/mail/sending.ts';
import { writtenBody } from '../../src/cli/mail/written-body.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Send extends SendingCommand {
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
    const people = sending.completed({ ...recipients, ...(replyTo.length > 0 && { replyTo }) }, from.domain);
    const sent = await perform(client, mail.send, { from, ...people, subject, ...body, attachments, sendAt });
    await this.tell(sent, sendAt);
  }
}
