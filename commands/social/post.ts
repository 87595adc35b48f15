import { Args, Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { aboutText, writingFlags } from '../../src/cli/social/arguments.ts';
import { hubNamed } from '../../src/cli/social/hub-named.ts';
import { mediaFiles, mediaFlags, uploadMedia } from '../../src/cli/social/media.ts';
import { postsText } from '../../src/cli/social/post-view.ts';
import { textOf } from '../../src/cli/kit/text-argument.ts';
import { social } from '../../src/contract/social.ts';

export default class PostCommand extends ApiCommand {
  static override summary = 'Write a post';
  static override description =
    'Everybody on this node sees it, or your followers if your account is protected. Without TEXT it is read from standard input.';
  static override examples = [
    '<%= config.bin %> social post "The garden is open. #garden"',
    '<%= config.bin %> social post "Who waters on Friday?" --hub garden',
    'fortune | <%= config.bin %> social post -',
    '<%= config.bin %> social post "Tulips!" --media garden.jpg --alt "A bed of tulips"',
  ];
  static override args = { text: Args.string({ description: 'text of the post; - or nothing: standard input' }) };
  static override flags = {
    ...writingFlags,
    ...mediaFlags,
    hub: Flags.string({
      description: 'post in this hub, for its members alone; may be repeated',
      helpValue: 'HUB',
      multiple: true,
      multipleNonGreedy: true,
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PostCommand);
    const files = mediaFiles(flags);
    const content = await textOf(this.terminal, args.text);
    await using client = await this.connect(flags);
    const hubIds: string[] = [];
    for (const name of flags.hub ?? []) hubIds.push((await hubNamed(client, name)).id);
    const mediaAttachments = await uploadMedia(this.terminal, client, files);
    const post = await perform(client, social.createPost, {
      content,
      mediaAttachments,
      ...(hubIds.length > 0 && { hubIds }),
      ...aboutText(flags),
    });
    await this.answer(post, (screen) => postsText(screen, [post]));
  }
}
