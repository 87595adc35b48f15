import { Args } from '@oclif/core';
import { contentOfFile } from '../../src/cli/kit/body-files.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { moment } from '../../src/cli/kit/screen.ts';
import { table } from '../../src/cli/kit/table.ts';
import { upload } from '../../src/client/bodies.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Watermark extends ApiCommand {
  static override summary = 'Find out whose preview a text or image is from';
  static override description =
    'For previews with an invisible watermark, of files that you may administer. The file is a text, or an image as PNG, BMP or lossless WebP; a part of it is enough.';
  static override examples = ['<%= config.bin %> files watermark leaked.png'];
  static override args = {
    file: Args.string({ description: 'file on this machine, or - for standard input', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Watermark);
    await using client = await this.connect(flags);
    const content = await contentOfFile(this.terminal, args.file, 'application/octet-stream');
    const { accesses } = await upload(client, filevault.readWatermark, {}, content);
    await this.answer({ accesses }, (screen) =>
      table(screen, accesses, [
        { title: 'MEMBER', of: ({ username, memberId }) => username ?? memberId, main: true },
        { title: 'SHOWN', of: ({ at }) => moment(screen, at), whole: true },
        { title: 'ADDRESS', of: ({ address }) => address, whole: true },
        { title: 'FILE', of: ({ fileId }) => fileId, whole: true },
        { title: 'ID', of: ({ id }) => id, spare: true },
      ]),
    );
  }
}
