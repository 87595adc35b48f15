import { Args, Flags } from '@oclif/core';
import { checkAll, describeCheck } from '../../src/cli/files/checking.ts';
import { fsckTargets } from '../../src/cli/files/fsck-targets.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { perform } from '../../src/client/perform.ts';
import { filevault } from '../../src/contract/filevault.ts';
import { Problem } from '../../src/base/problem.ts';

export default class Fsck extends ApiCommand {
  static override summary = 'Check that files are whole; exit code 1 if something is wrong';
  static override description =
    'Keys, lists of blocks and counts are checked. With --full, every byte is read as well. Without a place, it checks all your containers.';
  static override examples = ['<%= config.bin %> files fsck Work --full', '<%= config.bin %> files fsck Work:/photos'];
  static override args = { place: Args.string({ description: 'container, or path of a file or folder' }) };
  static override flags = {
    full: Flags.boolean({ description: 'read every byte' }),
    all: Flags.boolean({ description: 'as the operator of the node: the files of all members' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Fsck);
    if (flags.all && args.place !== undefined)
      throw new Problem('invalid', 'USAGE', 'Name a place or say --all, not both.');
    await using client = await this.connect(flags);
    const level = flags.full ? ('full' as const) : ('quick' as const);
    const step = (after: string | undefined) => ({ level, ...(after !== undefined && { after }) });
    const targets = flags.all ? [] : await fsckTargets(client, args.place);
    const result = await this.waitFor('Checking', async (teller) => {
      if (flags.all)
        return await checkAll(async (after) => await perform(client, filevault.checkFiles, step(after)), teller);
      const all = { checked: 0, bytes: 0, faults: [] as Awaited<ReturnType<typeof checkAll>>['faults'][number][] };
      for (const target of targets) {
        const ask = async (after: string | undefined) =>
          await perform(client, filevault.checkContainer, { ...target, ...step(after) });
        const found = await checkAll(ask, teller);
        all.checked += found.checked;
        all.bytes += found.bytes;
        all.faults.push(...found.faults);
      }
      return all;
    });
    await this.answer(result, (screen) => describeCheck(screen, result));
    if (result.faults.length > 0) this.exit(1);
  }
}
