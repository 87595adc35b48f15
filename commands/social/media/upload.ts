import { Args, Flags } from '@oclif/core';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { mediaText, uploadMedia } from '../../../src/cli/social/media.ts';

export default class MediaUpload extends ApiCommand {
  static override summary = 'Upload a picture, video or sound for a post or profile';
  static override description =
    'It waits a day to be attached, and only you see it until then. Metadata is removed, such as the place where it was taken.';
  static override examples = ['<%= config.bin %> social media upload garden.jpg --alt "A bed of tulips"'];
  static override args = { file: Args.string({ description: 'file, or - for standard input', required: true }) };
  static override flags = {
    alt: Flags.string({ description: 'what it shows, for members who do not see or hear it', helpValue: 'TEXT' }),
    sensitive: Flags.boolean({ description: 'show it only on request' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(MediaUpload);
    await using client = await this.connect(flags);
    const given = { file: args.file, altText: flags.alt, sensitive: flags.sensitive };
    const [media] = await uploadMedia(this.terminal, client, [given]);
    if (media !== undefined) await this.answer(media, (screen) => mediaText(screen, media));
  }
}
