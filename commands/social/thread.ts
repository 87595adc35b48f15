import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { postArgument } from '../../src/cli/social/arguments.ts';
import { threadText } from '../../src/cli/social/post-view.ts';
import { social } from '../../src/contract/social.ts';

export default class Thread extends ApiCommand {
  static override summary = 'Read the conversation that a post is part of';
  static override examples = ['<%= config.bin %> social thread 01a207df991600112233445566778899'];
  static override args = postArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Thread);
    await using client = await this.connect(flags);
    const thread = await perform(client, social.showThread, { id: args.post });
    await this.answer(thread, (screen) => threadText(screen, thread.rootPost, thread.replies));
    if (thread.hasMore) this.say('There are more replies. Ask for the thread of one of these.');
  }
}
