import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { assertAttachable, attachedFiles } from '../../src/cli/mail/attached-files.ts';
import { messageNamed } from '../../src/cli/mail/find-message.ts';
import { messageArgument } from '../../src/cli/mail/message-argument.ts';
import { quotedText } from '../../src/cli/mail/quoted.ts';
import { sendTime } from '../../src/cli/mail/send-time.ts';
import { SendingCommand } from '../../src/cli/mail/sending-command.ts';
import { contentFlags, ownMailbox, timeFlags } from '../../src/cli/mail/sending.ts';
import { writtenBody } from '../../src/cli/mail/written-body.ts';
import { mail } from '../../src/contract/mail.ts';

export default class Reply extends SendingCommand {
  static override summary = 'Reply to a message';
  static override description =
    'The answer goes to the sender, or to where the sender wants it; with --all also to everybody else who has the message. The text of the message is quoted below the answer, unless --no-quote is given.';
  static override examples = ['<%= config.bin %> mail reply 01a207df9916 --all'];
  static override args = messageArgument;
  static override flags = {
    all: Flags.boolean({ description: 'reply to everybody who has the message' }),
    quote: Flags.boolean({ description: 'quote the message below the answer', default: true, allowNo: true }),
    name: Flags.string({ description: 'your name, as recipients see it', helpValue: 'NAME' }),
    ...contentFlags,
    ...timeFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Reply);
    await using client = await this.connect(flags);
    const screen = await this.screen();
    const messageId = await messageNamed(client, screen, args.message);
    const begun = flags.quote ? await quotedText(client, screen, messageId) : '';
    sendTime(flags.at, flags.undo, Date.now());
    await assertAttachable(flags.attach);
    const body = await writtenBody(this.terminal, flags, { begun, warn: (text) => this.warnOf(text) });
    const from = await ownMailbox(client, flags.name);
    const attachments = await attachedFiles(this.terminal, client, flags.attach ?? []);
    const sendAt = sendTime(flags.at, flags.undo, Date.now());
    const answer = { messageId, from, replyAll: flags.all, ...body, attachments, sendAt };
    const sent = await perform(client, mail.reply, answer);
    await this.tell(sent, sendAt);
  }
}
