import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { messageArgument, messageIdOf } from '../../src/cli/mail/find-message.ts';
import { folders } from '../../src/contract/mail/limits.ts';
import { mailReading } from '../../src/contract/mail/reading.ts';

export default class Move extends ApiCommand {
  static override summary = 'Move a message to another folder';
  static override description = `Folders are ${folders.join(', ')}.`;
  static override examples = ['<%= config.bin %> mail move 01a1fcb906fb archive'];
  static override args = {
    message: Args.string({ description: messageArgument, required: true }),
    folder: Args.string({ description: 'the folder', options: [...folders], required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Move);
    await using client = await this.connect(flags);
    const messageId = await messageIdOf(client, args.message);
    const folder = folders.find((one) => one === args.folder);
    const reply = await perform(client, mailReading.changeMessage, { messageId, folder });
    await this.answer(reply, () => `Moved it to ${reply.folder}.`);
  }
}
