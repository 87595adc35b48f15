import { ApiCommand } from '../../src/cli/kit/command.ts';
import { pageFlags, shownBy } from '../../src/cli/kit/list-command.ts';
import { postArgument } from '../../src/cli/social/arguments.ts';
import { threadText } from '../../src/cli/social/post-view.ts';
import { readThread } from '../../src/cli/social/read-thread.ts';

export default class Thread extends ApiCommand {
  static override summary = 'Read the conversation that a post is part of';
  static override examples = ['<%= config.bin %> social thread 01a207df991600112233445566778899'];
  static override args = postArgument;
  static override flags = pageFlags(500);

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Thread);
    await using client = await this.connect(flags);
    const thread = await readThread(client, args.post, shownBy(flags));
    await this.answer(thread, (screen) => threadText(screen, thread.rootPost, thread.replies));
    if (thread.hasMore) this.say('There are more replies. Use --limit or --all.');
  }
}
