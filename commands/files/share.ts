import { Args, Flags } from '@oclif/core';
import { levels } from '../../src/cli/files/acl.ts';
import { recipientLine } from '../../src/cli/files/ciphers.ts';
import { FileCommand } from '../../src/cli/files/file-command.ts';
import { keyFlag } from '../../src/cli/accounts/own-key.ts';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { fileAt } from '../../src/cli/files/places.ts';
import { shareFile } from '../../src/cli/files/sharing/internal-shares.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import type { PermissionLevel } from '../../src/contract/filevault/limits.ts';

export default class Share extends FileCommand {
  static override summary = 'Share a file with a member, or change the level of sharing';
  static override description =
    'The member sees this one file, and nothing of its folder. In a client-encrypted container, its keys are encrypted to the member here: share again after a new version, so that the member can open that, too.';
  static override examples = ['<%= config.bin %> files share Work:/report.pdf bob --level editor'];
  static override args = {
    path: Args.string({ description: 'path of a file', required: true }),
    member: Args.string({ description: 'username, verified e-mail address or id of a member', required: true }),
  };
  static override flags = {
    level: Flags.string({ description: 'what the member may do', options: levels, default: 'viewer' }),
    ...keyFlag,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Share);
    await using client = await this.connect(flags);
    const file = await fileAt(client, parseRemotePath(args.path));
    const ciphers = this.ciphers(client, flags['key-file']);
    const share = await shareFile(client, file, args.member, flags.level as PermissionLevel, ciphers);
    const { recipient, permissionLevel, clientEncrypted } = share;
    const [name, member] = [file.name, recipient.username].map(escapeForTerminal);
    await this.answer(share, () => `Shared ${name} with ${member} as ${permissionLevel}.`);
    if (clientEncrypted)
      this.say(
        `The keys of the file are encrypted to this member. Compare the fingerprint with them:\n${recipientLine(recipient)}`,
      );
  }
}
