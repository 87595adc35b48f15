import { Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { postArgument } from '../../src/cli/social/arguments.ts';
import { perform } from '../../src/client/perform.ts';
import { social } from '../../src/contract/social.ts';

export default class Bookmark extends ApiCommand {
  static override summary = 'Keep a bookmark for a post, or remove it';
  static override examples = ['<%= config.bin %> social bookmark 019bbf0000001234567890abcdef0123'];
  static override args = postArgument;
  static override flags = { remove: Flags.boolean({ description: 'remove the bookmark' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Bookmark);
    await using client = await this.connect(flags);
    await perform(client, flags.remove ? social.removeBookmark : social.bookmark, { id: args.post });
    await this.answer({ bookmarked: !flags.remove }, () => (flags.remove ? 'Bookmark removed.' : 'Bookmarked.'));
  }
}
