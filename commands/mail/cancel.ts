import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { mailSending } from '../../src/contract/mail/sending.ts';

export default class Cancel extends ApiCommand {
  static override summary = 'Take back a message before it leaves';
  static override description =
    'While it is PENDING for all recipients: before its time, or while their nodes are away. It is a draft again.';
  static override examples = ['<%= config.bin %> mail cancel 01a1fcb906fb'];
  static override args = { message: Args.string({ description: messageArgument, required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Cancel);
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const reply = await perform(client, mailSending.cancel, { messageId });
    await this.answer(reply, () => 'Took it back. It is a draft now.');
  }
}
