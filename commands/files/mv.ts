import { Args } from '@oclif/core';
import { movePlace } from '../../src/cli/files/moving.ts';
import { parseRemotePath, pathText } from '../../src/cli/files/paths.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';

export default class Mv extends ApiCommand {
  static override summary = 'Move or rename a file or folder inside its container';
  static override examples = ['<%= config.bin %> files mv Work:/draft.txt Work:/2026/report.txt'];
  static override args = {
    from: Args.string({ description: 'path of a file or folder', required: true }),
    to: Args.string({ description: 'folder that is there, or the new path', required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Mv);
    const [from, to] = [parseRemotePath(args.from), parseRemotePath(args.to)];
    await using client = await this.connect(flags);
    const moved = await movePlace(client, from, to);
    await this.answer(moved, () => `Moved ${escapeForTerminal(pathText(from))}.`);
  }
}
