import { Flags } from '@oclif/core';
import { downloadFile } from '../../src/cli/kit/call-bytes.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { bytes, moment } from '../../src/cli/kit/screen.ts';
import { perform } from '../../src/client/perform.ts';
import { social } from '../../src/contract/social.ts';

export default class Archive extends ApiCommand {
  static override summary = 'Make, show or download an archive of all that you have there';
  static override description =
    'The server makes it in the background. It can be downloaded for 7 days. The download is not encrypted.';
  static override examples = [
    '<%= config.bin %> social archive --create',
    '<%= config.bin %> social archive --out social.tar',
  ];
  static override flags = {
    create: Flags.boolean({ description: 'make a new one, which replaces the last', exclusive: ['out'] }),
    out: Flags.string({ description: 'download it into a new file', helpValue: 'FILE' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Archive);
    await using client = await this.connect(flags);
    if (flags.out !== undefined) {
      await downloadFile(this.terminal, client, social.downloadArchive, {}, { output: flags.out });
      return await this.answer({ file: flags.out }, () => `Wrote ${flags.out}. It is not encrypted.`);
    }
    const { archive } = await perform(client, flags.create ? social.createArchive : social.showArchive, {});
    await this.answer({ archive }, (screen) => {
      const { state, done, total, size = 0, expiresAt } = archive;
      if (state === 'pending')
        return total === 0 ? 'The archive is being made.' : `The archive is being made: ${done} of ${total} done.`;
      if (state === 'failed') return 'The archive could not be made. Try again with --create.';
      return `The archive is ready: ${bytes(size)}, until ${moment(screen, expiresAt)}. Download it with --out FILE.`;
    });
  }
}
