import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { postsText } from '../../src/cli/social/post-view.ts';
import { searchPosts } from '../../src/cli/social/timelines.ts';
import { Problem } from '../../src/base/problem.ts';

export default class SearchCommand extends ApiCommand {
  static override summary = 'Search posts, the newest first';
  static override description =
    'Finds posts that have all words. Conditions: #tag, from:NAME, hub:SLUG, has:image, before:2026-01-31. A last word that ends with * is a ' +
    'beginning. With --json, `cursor` continues by --cursor.';
  static override usage = 'social search WORD... [--limit N]';
  static override examples = [
    '<%= config.bin %> social search garden tomatoes',
    `<%= config.bin %> social search '#garden' from:ada has:image before:2026-02-01`,
  ];
  static override strict = false;
  static override args = { words: Args.string({ description: 'words and conditions' }) };
  static override flags = {
    limit: Flags.integer({ description: 'show at most this many', default: 20, min: 1, max: 1_000, helpValue: 'N' }),
    cursor: Flags.string({ description: 'continue after an earlier page', helpValue: 'CURSOR' }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SearchCommand);
    if (argv.length === 0) throw new Problem('invalid', 'USAGE', 'The words to search for are missing.');
    await using client = await this.connect(flags);
    const page = await searchPosts(client, argv.join(' '), flags.limit, flags.cursor);
    await this.answer(page, (screen) => (page.posts.length === 0 ? 'No post found.' : postsText(screen, page.posts)));
    if (page.hasMore && !flags.json) this.say('There are more. Use --limit, or --json and --cursor.');
  }
}
