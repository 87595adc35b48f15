import { Args } from '@oclif/core';
import { FileCommand } from '../../src/cli/files/file-command.ts';
import { keyFlag } from '../../src/cli/accounts/own-key.ts';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { getToOutput } from '../../src/cli/files/transfer/getting.ts';

export default class Cat extends FileCommand {
  static override summary = 'Write a file to standard output';
  static override examples = ['<%= config.bin %> files cat Work:/notes.txt'];
  static override args = { path: Args.string({ description: 'path of a file', required: true }) };
  static override flags = keyFlag;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Cat);
    await using client = await this.connect(flags);
    await getToOutput(this.terminal, client, parseRemotePath(args.path), this.ciphers(client, flags['key-file']));
  }
}
