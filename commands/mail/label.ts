import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Label extends ApiCommand {
  static override summary = 'Put labels on a message, and take them off';
  static override description =
    'A label is made with its first message. Without flags it shows the labels of the message.';
  static override examples = ['<%= config.bin %> mail label 01a1fcb906fb --add Work --remove Later'];
  static override args = { message: Args.string({ description: messageArgument, required: true }) };
  static override flags = {
    add: Flags.string({ description: 'label to put on; repeat for more', helpValue: 'LABEL', multiple: true }),
    remove: Flags.string({ description: 'label to take off; repeat for more', helpValue: 'LABEL', multiple: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Label);
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const { add, remove } = flags;
    const reply =
      add === undefined && remove === undefined
        ? await perform(client, mailReading.showMessage, { messageId })
        : await perform(client, mailReading.changeMessage, { messageId, addLabels: add, removeLabels: remove });
    await this.answer(reply, () => (reply.labels.length === 0 ? 'It has no labels.' : reply.labels.join('\n')));
  }
}
