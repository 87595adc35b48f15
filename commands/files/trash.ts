import { Args, Flags } from '@oclif/core';
import { containerNamed } from '../../src/cli/files/places.ts';
import { emptyTrashOf, trashOf, trashTable } from '../../src/cli/files/trash.ts';
import { counted } from '../../src/cli/kit/counted.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { confirmed } from '../../src/cli/kit/confirmation.ts';
import { escapeForTerminal } from '../../src/cli/kit/escape-for-terminal.ts';
import { bytes } from '../../src/cli/kit/screen.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Trash extends ApiCommand {
  static override summary = 'List what is in the trash, with the time at which it goes, or destroy it now';
  static override examples = ['<%= config.bin %> files trash', '<%= config.bin %> files trash Work --empty'];
  static override args = { container: Args.string({ description: 'name or id of a container; all if left out' }) };
  static override flags = {
    empty: Flags.boolean({ description: 'destroy everything in the trash of the container for good' }),
    yes: Flags.boolean({ description: 'do not ask for confirmation' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Trash);
    if (flags.empty && args.container === undefined)
      throw new Problem('invalid', 'USAGE', 'Name the container whose trash is emptied.');
    await using client = await this.connect(flags);
    const container = args.container === undefined ? undefined : await containerNamed(client, args.container);
    if (!flags.empty || container === undefined) {
      const items = await trashOf(client, container?.id);
      await this.answer({ items }, (screen) => trashTable(screen, items));
      if (items.length === 0) this.say('The trash is empty.');
      return;
    }
    const name = escapeForTerminal(container.name);
    await confirmed(this.terminal, flags.yes, `Destroy everything in the trash of ${name} for ever?`);
    const done = await this.waitFor('Emptying the trash', emptyTrashOf(client, container.id));
    for (const { id, error } of done.failed) this.warnOf(`${id} stays: ${error}`);
    await this.answer(
      done,
      () => `Destroyed ${counted(done.files, 'file')}, ${bytes(done.bytes)}, and ${counted(done.folders, 'folder')}.`,
    );
    if (done.failed.length > 0) this.exit(1);
  }
}
