import { ApiCommand } from '../../src/cli/kit/command.ts';
import { postArgument, undoFlag } from '../../src/cli/social/arguments.ts';
import { perform } from '../../src/client/perform.ts';
import { social } from '../../src/contract/social.ts';

export default class Bookmark extends ApiCommand {
  static override summary = 'Keep a bookmark for a post, or remove it';
  static override examples = [
    '<%= config.bin %> social bookmark 019bbf0000001234567890abcdef0123',
    '<%= config.bin %> social bookmark 019bbf0000001234567890abcdef0123 --undo',
  ];
  static override args = postArgument;
  static override flags = undoFlag('remove the bookmark');

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Bookmark);
    await using client = await this.connect(flags);
    await perform(client, flags.undo ? social.removeBookmark : social.bookmark, { id: args.post });
    await this.answer({ bookmarked: !flags.undo }, () => (flags.undo ? 'Bookmark removed.' : 'Bookmarked.'));
  }
}
