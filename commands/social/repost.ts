import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { postArgument } from '../../src/cli/social/arguments.ts';
import { postsText } from '../../src/cli/social/post-view.ts';
import { social } from '../../src/contract/social.ts';

export default class Repost extends ApiCommand {
  static override summary = 'Show a post to your followers';
  static override description = 'To take it back, remove the repost: conclave social remove';
  static override examples = ['<%= config.bin %> social repost 01a207df991600112233445566778899'];
  static override args = postArgument;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Repost);
    await using client = await this.connect(flags);
    const post = await perform(client, social.repost, { id: args.post });
    await this.answer(post, (screen) => postsText(screen, [post]));
  }
}
