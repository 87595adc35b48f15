import { Args } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { fileAt } from '../../src/cli/files/places.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Magnet extends ApiCommand {
  static override summary = 'Print the magnet link of a file';
  static override description = 'It names the file and grants nothing: whoever follows it needs access.';
  static override examples = ['<%= config.bin %> files magnet Work:/report.pdf'];
  static override args = { path: Args.string({ description: 'path of a file', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Magnet);
    await using client = await this.connect(flags);
    const { id: fileId } = await fileAt(client, parseRemotePath(args.path));
    const reply = await perform(client, filevault.showMagnet, { fileId });
    await this.answer(reply, () => reply.magnetUrl);
  }
}
