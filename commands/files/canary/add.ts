import { Args, Flags } from '@oclif/core';
import { actionsFrom, canaryTable, filesAt } from '../../../src/cli/files/canaries.ts';
import { ApiCommand } from '../../../src/cli/kit/command.ts';
import { flagsOf } from '../../../src/cli/kit/flags.ts';
import { perform } from '../../../src/client/perform.ts';
import { filevault } from '../../../src/contract/filevault.ts';

const several = { multiple: true, multipleNonGreedy: true } as const;

export default class Add extends ApiCommand {
  static override summary = 'Have something done when you are gone, forced, or somebody opens a decoy';
  static override description =
    'A duress code is a second secret: give it at a sign-in or a check-in, and nothing looks different from any other.';
  static override examples = [
    '<%= config.bin %> files canary add Gone --when absence --hours 72 --notify bob --share Work:/will.pdf=bob',
    '<%= config.bin %> files canary add Decoy --when presence --watch Work:/passwords.txt --notify ada',
  ];
  static override args = { name: Args.string({ description: 'name of the canary', required: true }) };
  static override flags = {
    when: Flags.string({ description: 'condition', options: ['absence', 'presence', 'duress'], required: true }),
    ...flagsOf(filevault.createCanary, { omit: ['name', 'condition', 'fileIds', 'actions'] }),
    watch: Flags.string({
      description: 'decoy that somebody may open; repeat for more',
      helpValue: 'PATH',
      ...several,
    }),
    notify: Flags.string({ description: 'member to notify; repeat for more', helpValue: 'MEMBER', ...several }),
    message: Flags.string({ description: 'what they are told', default: 'Please look after it.', helpValue: 'TEXT' }),
    share: Flags.string({ description: 'share with a member; repeat for more', helpValue: 'PATH=MEMBER', ...several }),
    destroy: Flags.string({ description: 'file to destroy; repeat for more', helpValue: 'PATH', ...several }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Add);
    await using client = await this.connect(flags);
    const input = await this.inputFor(filevault.createCanary, flags, {
      given: {
        name: args.name,
        condition: flags.when.toUpperCase(),
        actions: await actionsFrom(client, flags),
        ...(flags.watch !== undefined && { fileIds: await filesAt(client, flags.watch) }),
      },
      ...(flags.when === 'duress' && { ask: ['code'], fresh: ['code'] }),
    });
    const binding = await perform(client, filevault.createCanary, input);
    await this.answer(binding, (screen) => canaryTable(screen, [binding]));
  }
}
