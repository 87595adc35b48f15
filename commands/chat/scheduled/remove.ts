import { perform } from '../../../src/client/perform.ts';
import { scheduledArgument, scheduledNamed } from '../../../src/cli/chat/scheduling.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { chat } from '../../../src/contract/chat.ts';

export default class Remove extends ApiCommand {
  static override summary = 'Remove a scheduled message, which is not sent then';
  static override examples = ['<%= config.bin %> chat scheduled remove 01a22b4f8d10'];
  static override args = scheduledArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Remove);
    await using client = await this.connect(flags);
    const scheduledId = await scheduledNamed(client, args.message);
    await perform(client, chat.removeScheduled, { scheduledId });
    await this.answer({ removed: scheduledId }, () => `Removed ${scheduledId}. It is not sent.`);
  }
}
