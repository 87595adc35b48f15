import { Flags } from '@oclif/core';
import { generatePassword } from '../../src/client/generate-password.ts';
import { ConclaveCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { tools, type GeneratedPassword } from '../../src/contract/passvault/tools.ts';

const operation = tools.generatePassword;

export default class Generate extends ConclaveCommand {
  static override summary = 'Make a password, or a passphrase of words';
  static override description =
    'The password is made on this machine and not stored. To add an entry with one: conclave vault add Work/GitHub --generate';
  static override examples = [
    '<%= config.bin %> vault generate --length 32 --no-symbols',
    '<%= config.bin %> vault generate --words 6',
    '<%= config.bin %> vault generate --copy',
  ];
  static override flags = {
    ...flagsOf(operation),
    count: Flags.integer({
      description: 'how many to make',
      default: 1,
      min: 1,
      max: 1000,
      helpValue: 'N',
      exclusive: ['copy'],
    }),
    copy: Flags.boolean({ description: 'copy it to the clipboard for 45 s instead of printing it' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Generate);
    const wishes = await this.inputFor(operation, flags);
    const made: GeneratedPassword[] = [];
    for (let left = flags.count; left > 0; left -= 1) made.push(await generatePassword(wishes));
    const [one = await generatePassword(wishes)] = made;
    const { password, ...rest } = one;
    if (flags.copy) {
      const [{ copySecret }, { clearAfter }] = await Promise.all([
        import('../../src/cli/passvault/clipboard/copy-secret.ts'),
        import('../../src/cli/passvault/clipboard/clipboard-clearing.ts'),
      ]);
      const { said, certain, clearAfterSeconds } = await copySecret(
        this.terminal,
        'a new password',
        password,
        clearAfter,
      );
      this.say(said);
      return await this.answer({ copied: certain, clearAfterSeconds, ...rest }, () => '');
    }
    await this.answer(flags.count === 1 ? one : { passwords: made }, () =>
      made.map((each) => each.password).join('\n'),
    );
  }
}
