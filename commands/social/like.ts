import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { postArgument, undoFlag } from '../../src/cli/social/arguments.ts';
import { social } from '../../src/contract/social.ts';

export default class Like extends ApiCommand {
  static override summary = 'Like a post';
  static override examples = [
    '<%= config.bin %> social like 01a207df991600112233445566778899',
    '<%= config.bin %> social like 01a207df991600112233445566778899 --undo',
  ];
  static override args = postArgument;
  static override flags = undoFlag('take back your like');

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Like);
    await using client = await this.connect(flags);
    await perform(client, flags.undo ? social.unlike : social.like, { id: args.post });
    const liked = !flags.undo;
    await this.answer({ id: args.post, liked }, () => (liked ? 'You like the post.' : 'Your like is taken back.'));
  }
}
