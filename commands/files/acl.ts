import { Args } from '@oclif/core';
import { aclAt, aclTable } from '../../src/cli/files/acl.ts';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';

export default class Acl extends ApiCommand {
  static override summary = 'Show who may do what with a file or folder';
  static override description =
    'The entries of this file or folder itself. For a member, the nearest list with an entry for that member decides.';
  static override examples = ['<%= config.bin %> files acl Work:/reports'];
  static override args = { path: Args.string({ description: 'path of a file or folder', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Acl);
    await using client = await this.connect(flags);
    const { target, entries } = await aclAt(client, parseRemotePath(args.path));
    await this.answer({ ...target, entries }, (screen) => aclTable(screen, entries));
    if (entries.length === 0) this.say('It has no list of its own, so the folders above decide.');
  }
}
