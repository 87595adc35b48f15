import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { aboutText, postArgument, writingFlags } from '../../src/cli/social/arguments.ts';
import { mediaFiles, mediaFlags, uploadMedia } from '../../src/cli/social/media.ts';
import { postsText } from '../../src/cli/social/post-view.ts';
import { textOf } from '../../src/cli/kit/text-argument.ts';
import { social } from '../../src/contract/social.ts';

export default class Quote extends ApiCommand {
  static override summary = 'Quote a post with a commentary';
  static override description = 'Members who may not see the post see your commentary alone.';
  static override examples = ['<%= config.bin %> social quote 01a207df991600112233445566778899 "Worth a read."'];
  static override args = {
    ...postArgument,
    text: Args.string({ description: 'your commentary; - or nothing: standard input' }),
  };
  static override flags = { ...writingFlags, ...mediaFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Quote);
    const files = mediaFiles(flags);
    const commentary = await textOf(this.terminal, args.text);
    await using client = await this.connect(flags);
    const mediaAttachments = await uploadMedia(this.terminal, client, files);
    const post = await perform(client, social.quote, {
      id: args.post,
      commentary,
      mediaAttachments,
      ...aboutText(flags),
    });
    await this.answer(post, (screen) => postsText(screen, [post]));
  }
}
