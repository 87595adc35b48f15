import { Args, Flags } from '@oclif/core';
import { aclTable, changeAcl, entryFrom, levels } from '../../../src/cli/files/acl.ts';
import { parseRemotePath } from '../../../src/cli/files/paths.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';

export default class Grant extends ApiCommand {
  static override summary = 'Let a member do something with a file or folder';
  static override description =
    'It replaces what the list of the file or folder says about the member. --flags none refuses everything, whatever folders above grant.';
  static override examples = ['<%= config.bin %> files acl grant Work:/reports bob --level editor'];
  static override args = {
    path: Args.string({ description: 'path of a file or folder', required: true }),
    member: Args.string({ description: 'username, e-mail address or id of a member', required: true }),
  };
  static override flags = {
    level: Flags.string({ description: 'built-in level', options: levels }),
    flags: Flags.string({ description: 'permissions, with commas between them, or none', helpValue: 'NAMES' }),
    networks: Flags.string({ description: 'only from these networks', helpValue: 'CIDR,...' }),
    until: Flags.string({ description: 'only before this time', helpValue: 'TIME' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Grant);
    const entry = entryFrom(args.member, flags);
    await using client = await this.connect(flags);
    const entries = await changeAcl(client, parseRemotePath(args.path), args.member, entry);
    await this.answer({ entries }, (screen) => aclTable(screen, entries));
  }
}
