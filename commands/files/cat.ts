import { Args } from '@oclif/core';
import { parseRemotePath } from '../../src/cli/files/paths.ts';
import { getToOutput } from '../../src/cli/files/transfer/getting.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';

export default class Cat extends ApiCommand {
  static override summary = 'Write a file to standard output';
  static override examples = ['<%= config.bin %> files cat Work:/notes.txt'];
  static override args = { path: Args.string({ description: 'path of a file', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Cat);
    await using client = await this.connect(flags);
    await getToOutput(this.terminal, client, parseRemotePath(args.path));
  }
}
