import { Args } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { placeAt } from '../../src/cli/files/places.ts';
import { receive } from '../../src/cli/files/transfer/receiving.ts';
import { FileCommand } from '../../src/cli/files/file-command.ts';
import { keyFlag } from '../../src/cli/files/own-key.ts';
import { counted } from '../../src/cli/kit/counted.ts';
import { bytes } from '../../src/cli/kit/screen.ts';

export default class Get extends FileCommand {
  static override summary = 'Download a file, or a folder with everything inside it';
  static override description = 'Nothing is overwritten. Files keep their times. A download that broke off goes on.';
  static override examples = ['<%= config.bin %> files get Work:/2026/report.pdf'];
  static override args = {
    path: Args.string({ description: 'path of a file or folder', required: true }),
    to: Args.string({ description: 'folder that is there, or name of the new file or folder', default: '.' }),
  };

  static override flags = keyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Get);
    await using client = await this.connect(flags);
    const place = await placeAt(client, parseRemotePath(args.path));
    const received = await receive(this.terminal, client, place, args.to, this.ciphers(client, flags['key-file']));
    const total = received.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    await this.answer({ received }, () => `Received ${counted(received.length, 'file')}, ${bytes(total)}.`);
  }
}
