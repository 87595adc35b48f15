import { Args } from '@oclif/core';
import { aclTable, changeAcl } from '../../../src/cli/files/acl.ts';
import { FileCommand } from '../../../src/cli/files/file-command.ts';
import { keysRevoked, newKeyNeeded } from '../../../src/cli/files/key-changes.ts';
import { keyFlag } from '../../../src/cli/accounts/own-key.ts';
import { parseRemotePath } from '../../../src/cli/files/paths.ts';

export default class Revoke extends FileCommand {
  static override summary = 'Take a member out of the list of a file or folder';
  static override description =
    'What folders above grant stays. To refuse that, too: conclave files acl grant --flags none. A client-encrypted container gets a new key, so that a member without any access opens nothing that is stored from then on.';
  static override examples = ['<%= config.bin %> files acl revoke Work:/reports bob'];
  static override args = {
    path: Args.string({ description: 'path of a file or folder', required: true }),
    member: Args.string({ description: 'username or id of a member', required: true }),
  };
  static override flags = keyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Revoke);
    await using client = await this.connect(flags);
    const path = parseRemotePath(args.path);
    const { entries, containerId, keyOutdated } = await changeAcl(client, path, args.member, undefined);
    const ciphers = this.ciphers(client, flags['key-file']);
    const keys = keyOutdated ? await keysRevoked(async () => await ciphers(containerId)) : undefined;
    await this.answer({ entries, ...(keys !== undefined && { keys }) }, (screen) => aclTable(screen, entries));
    if (keys?.newKeyNeeded === true) this.warnOf(newKeyNeeded);
  }
}
