import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { bodyFlags, ownMailbox, sentText, writtenFrom } from '../../src/cli/mail/writing.ts';
import { mailSending } from '../../src/contract/mail/sending.ts';

export default class Reply extends ApiCommand {
  static override summary = 'Reply to a message';
  static override description =
    'It goes to Reply-To, or else to the sender; with --all to everybody whom the message names, but never to yourself.';
  static override examples = ['echo Yes. | <%= config.bin %> mail reply 01a1fcb906fb --all'];
  static override args = { message: Args.string({ description: messageArgument, required: true }) };
  static override flags = {
    all: Flags.boolean({ description: 'also to all in To and Cc' }),
    subject: Flags.string({ description: 'another subject', helpValue: 'TEXT' }),
    ...bodyFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Reply);
    const written = await writtenFrom(this.terminal, flags);
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const from = await ownMailbox(client);
    const { subject, all: replyAll } = flags;
    const reply = await perform(client, mailSending.reply, { messageId, from, replyAll, subject, ...written });
    await this.answer(reply, () => sentText(reply));
  }
}
