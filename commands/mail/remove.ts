import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Delete your copy of a message for ever';
  static override description = 'Others keep theirs. To keep yours for a while, run: conclave mail move MESSAGE trash.';
  static override examples = ['<%= config.bin %> mail remove 01a1fcb906fb --yes'];
  static override args = { message: Args.string({ description: messageArgument, required: true }) };
  static override flags = { yes: Flags.boolean({ description: 'do not ask for confirmation' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const { subject } = await perform(client, mailReading.showMessage, { messageId });
    await confirmed(this.terminal, flags.yes, `Delete ${JSON.stringify(subject)} for ever?`);
    const reply = await perform(client, mailReading.removeMessage, { messageId });
    await this.answer(reply, () => 'Deleted it.');
  }
}
