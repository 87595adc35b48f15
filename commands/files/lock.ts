import { Args } from '@oclif/core';
import { containerNamed } from '../../src/cli/files/places.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';

export default class Lock extends ApiCommand {
  static override summary = 'Lock a container: nothing in it can be changed';
  static override examples = ['<%= config.bin %> files lock Work'];
  static override args = { container: Args.string({ description: 'name or id of a container', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Lock);
    await using client = await this.connect(flags);
    const { id, name } = await containerNamed(client, args.container);
    const state = await perform(client, filevault.lockContainer, { id });
    await this.answer(state, () => `Locked ${escapeForTerminal(name)}.`);
  }
}
