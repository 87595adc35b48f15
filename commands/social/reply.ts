import { Args } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { aboutText, postArgument, writingFlags } from '../../src/cli/social/arguments.ts';
import { mediaFiles, mediaFlags, uploadMedia } from '../../src/cli/social/media.ts';
import { postsText } from '../../src/cli/social/post-view.ts';
import { textOf } from '../../src/cli/kit/text-argument.ts';
import { social } from '../../src/contract/social.ts';

export default class Reply extends ApiCommand {
  static override summary = 'Reply to a post';
  static override description = 'Its author is notified, and the members whom the text names.';
  static override examples = [
    '<%= config.bin %> social reply 01a207df991600112233445566778899 "Thank you, @ada."',
    '<%= config.bin %> social reply 01a207df991600112233445566778899 "Mine." --media tulips.jpg --alt "Red tulips"',
  ];
  static override args = {
    ...postArgument,
    text: Args.string({ description: 'text of the reply; - or nothing: standard input' }),
  };
  static override flags = { ...writingFlags, ...mediaFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Reply);
    const files = mediaFiles(flags);
    const content = await textOf(this.terminal, args.text);
    await using client = await this.connect(flags);
    const mediaAttachments = await uploadMedia(this.terminal, client, files);
    const post = await perform(client, social.createPost, {
      content,
      parentPostId: args.post,
      mediaAttachments,
      ...aboutText(flags),
    });
    await this.answer(post, (screen) => postsText(screen, [post]));
  }
}
