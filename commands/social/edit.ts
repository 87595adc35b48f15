import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { postArgument, writingFlags } from '../../src/cli/social/arguments.ts';
import { postsText } from '../../src/cli/social/post-view.ts';
import { textOf } from '../../src/cli/kit/text-argument.ts';
import { social } from '../../src/contract/social.ts';

export default class Edit extends ApiCommand {
  static override summary = 'Change the text of your post, within 15 minutes';
  static override examples = ['<%= config.bin %> social edit 01a207df991600112233445566778899 "The garden is closed."'];
  static override args = {
    ...postArgument,
    text: Args.string({ description: 'the new text; - or nothing: standard input' }),
  };
  static override flags = writingFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Edit);
    const content = await textOf(this.terminal, args.text);
    await using client = await this.connect(flags);
    const post = await perform(client, social.editPost, {
      id: args.post,
      content,
      ...(flags.warning !== undefined && { contentWarning: flags.warning }),
      ...(flags.sensitive && { isSensitive: true }),
    });
    await this.answer(post, (screen) => postsText(screen, [post]));
  }
}
