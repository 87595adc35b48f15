import { Args } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { placeAt } from '../../src/cli/files/places.ts';
import { describePlace, permissionsAt } from '../../src/cli/files/describing.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';

export default class Stat extends ApiCommand {
  static override summary = 'Show what is known of a file or folder, and what you may do with it';
  static override examples = ['<%= config.bin %> files stat Work:/reports/july.pdf'];
  static override args = { path: Args.string({ description: 'path of a file or folder', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Stat);
    await using client = await this.connect(flags);
    const place = await placeAt(client, parseRemotePath(args.path));
    const permissions = await permissionsAt(client, place);
    const what = place.file === null ? { folder: place.folder } : { file: place.file };
    await this.answer({ ...what, permissions }, (screen) => describePlace(screen, place, permissions));
  }
}
