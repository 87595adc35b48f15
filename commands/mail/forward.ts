import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { recipientsFrom, sentText } from '../../src/cli/mail/writing.ts';
import { mailSending } from '../../src/contract/mail/sending.ts';

export default class Forward extends ApiCommand {
  static override summary = 'Forward a message with its attachments';
  static override description = 'Its text is quoted below who wrote it, to whom and when.';
  static override examples = ['<%= config.bin %> mail forward 01a1fcb906fb --to cyd@home.example'];
  static override args = { message: Args.string({ description: messageArgument, required: true }) };
  static override flags = {
    to: Flags.string({
      description: 'recipient; repeat for more',
      helpValue: 'ADDRESS',
      multiple: true,
      required: true,
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Forward);
    const { to: forwardTo } = recipientsFrom({ to: flags.to });
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const reply = await perform(client, mailSending.forward, { messageId, forwardTo });
    await this.answer(reply, () => sentText(reply));
  }
}
