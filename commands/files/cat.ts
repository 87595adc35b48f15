import { Args } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { fileAt } from '../../src/cli/files/places.ts';
import { downloadFile } from '../../src/cli/kit/call-bytes.ts';
import { FileCommand } from '../../src/cli/files/file-command.ts';
import { keyFlag } from '../../src/cli/files/own-key.ts';
import { writeOpened } from '../../src/cli/files/transfer/opening.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Cat extends FileCommand {
  static override summary = 'Write a file to standard output';
  static override examples = ['<%= config.bin %> files cat Work:/notes.txt'];
  static override args = { path: Args.string({ description: 'path of a file', required: true }) };

  static override flags = keyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Cat);
    await using client = await this.connect(flags);
    const { id, vaultContainerId } = await fileAt(client, parseRemotePath(args.path));
    const cipher = await this.ciphers(client, flags['key-file'])(vaultContainerId);
    if (cipher === undefined) await downloadFile(this.terminal, client, filevault.downloadFile, { id }, {});
    else await writeOpened(this.terminal, client, await cipher.open(id));
  }
}
