import { Args } from '@oclif/core';
import { aclTable, changeAcl } from '../../../src/cli/files/acl.ts';
import { parseRemotePath } from '../../../src/cli/files/paths.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';

export default class Revoke extends ApiCommand {
  static override summary = 'Take a member out of the list of a file or folder';
  static override description =
    'What folders above grant stays. To refuse that, too: conclave files acl grant --flags none';
  static override examples = ['<%= config.bin %> files acl revoke Work:/reports bob'];
  static override args = {
    path: Args.string({ description: 'path of a file or folder', required: true }),
    member: Args.string({ description: 'username or id of a member', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Revoke);
    await using client = await this.connect(flags);
    const entries = await changeAcl(client, parseRemotePath(args.path), args.member, undefined);
    await this.answer({ entries }, (screen) => aclTable(screen, entries));
  }
}
