import { messageArguments } from '../../../src/cli/chat/arguments.ts';
import { chooseFollowing } from '../../../src/cli/chat/follow-thread.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';

export default class Follow extends ChatCommand {
  static override summary = 'Follow a thread: be notified of answers';
  static override description =
    'You follow what you began or answered, and where an answer names you, unless you choose otherwise. That counts where you are notified of mentions only.';
  static override examples = ['<%= config.bin %> chat thread follow "#tea party" 01a207df9916'];
  static override args = messageArguments;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Follow);
    await using client = await this.connect(flags);
    await this.answer(await chooseFollowing(this.side(client), args, true), () => 'You follow the thread.');
  }
}
