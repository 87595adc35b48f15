import { Args, Flags } from '@oclif/core';
import { aclAt, aclTable, changeAcl, entryFrom, levels } from '../../../src/cli/files/acl.ts';
import { parseRemotePath } from '../../../src/cli/files/paths.ts';
import { recipientLine } from '../../../src/cli/files/ciphers.ts';
import { FileCommand } from '../../../src/cli/files/file-command.ts';
import { keysGranted, newKeyNeeded } from '../../../src/cli/files/key-changes.ts';
import { keyFlag } from '../../../src/cli/accounts/own-key.ts';

export default class Grant extends FileCommand {
  static override summary = 'Let a member do something with a file or folder';
  static override description =
    'It replaces what the list of the file or folder says about the member. --flags none refuses everything, whatever folders above grant.';
  static override examples = ['<%= config.bin %> files acl grant Work:/reports bob --level editor'];
  static override args = {
    path: Args.string({ description: 'path of a file or folder', required: true }),
    member: Args.string({ description: 'username, verified e-mail address or id of a member', required: true }),
  };
  static override flags = {
    level: Flags.string({ description: 'built-in level', options: levels }),
    flags: Flags.string({ description: 'permissions, with commas between them, or none', helpValue: 'NAMES' }),
    networks: Flags.string({ description: 'only from these networks', helpValue: 'CIDR,...' }),
    ...keyFlag,
    until: Flags.string({ description: 'only before this time', helpValue: 'TIME' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Grant);
    const entry = entryFrom(args.member, flags);
    await using client = await this.connect(flags);
    const path = parseRemotePath(args.path);
    const { containerId } = await aclAt(client, path);
    // Before the change, because this may ask for the key of the member.
    const cipher = await this.ciphers(client, flags['key-file'])(containerId);
    const { entries, keyOutdated } = await changeAcl(client, path, args.member, entry);
    const keys = cipher && (await keysGranted(cipher, entries.at(-1), keyOutdated));
    await this.answer({ entries, ...(keys !== undefined && { keys }) }, (screen) => aclTable(screen, entries));
    if (keys?.recipient !== undefined)
      this.say(
        `The keys of the container are encrypted to this member. Compare the fingerprint with them:\n${recipientLine(keys.recipient)}`,
      );
    if (keys?.newKeyNeeded === true) this.warnOf(newKeyNeeded);
  }
}
