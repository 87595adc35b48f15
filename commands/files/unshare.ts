import { Args } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { fileAt } from '../../src/cli/files/places.ts';
import { unshareFile } from '../../src/cli/files/sharing/internal-shares.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';

export default class Unshare extends ApiCommand {
  static override summary = 'End the sharing of a file with a member';
  static override examples = ['<%= config.bin %> files unshare Work:/report.pdf bob'];
  static override args = {
    path: Args.string({ description: 'path of a file', required: true }),
    member: Args.string({ description: 'username, verified e-mail address or id of a member', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Unshare);
    await using client = await this.connect(flags);
    const { id, name } = await fileAt(client, parseRemotePath(args.path));
    const { ended, note } = await unshareFile(client, id, args.member);
    const shareIds = ended.map(({ shareId }) => shareId);
    await this.answer(
      { revoked: true, shareIds, note },
      () => `${escapeForTerminal(name)} is no longer shared with ${args.member}.`,
    );
    this.say(note);
  }
}
