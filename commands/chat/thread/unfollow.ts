import { messageArguments } from '../../../src/cli/chat/arguments.ts';
import { chooseFollowing } from '../../../src/cli/chat/follow-thread.ts';
import { ChatCommand } from '../../../src/cli/chat/sealed/chat-command.ts';

export default class Unfollow extends ChatCommand {
  static override summary = 'Do not follow a thread any more';
  static override description = 'That holds until you follow it again, whatever you answer in it.';
  static override examples = ['<%= config.bin %> chat thread unfollow "#tea party" 01a207df9916'];
  static override args = messageArguments;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unfollow);
    await using client = await this.connect(flags);
    await this.answer(await chooseFollowing(this.side(client), args, false), () => 'You do not follow the thread.');
  }
}
