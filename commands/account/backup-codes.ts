import { Flags } from '@oclif/core';
import { perform } from '../../src/client/perform.ts';
import { ApiCommand } from '../../src/cli/kit/command.ts';
import { flagsOf } from '../../src/cli/kit/flags.ts';
import { accounts } from '../../src/contract/accounts.ts';

export default class BackupCodes extends ApiCommand {
  static override summary = 'Count the unused backup codes, make new ones, or use one';
  static override description =
    'A backup code sets a new password when you have forgotten the old one. New codes come in tens and are shown only once. Earlier codes stop working.';
  static override examples = [
    '<%= config.bin %> account backup-codes',
    '<%= config.bin %> account backup-codes --new > codes.txt',
    '<%= config.bin %> account backup-codes --use',
  ];
  static override flags = {
    new: Flags.boolean({ description: 'make ten new codes; earlier codes stop working', exclusive: ['use'] }),
    use: Flags.boolean({ description: 'use a code to set a new password' }),
    ...flagsOf(accounts.recoverBackup),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(BackupCodes);
    await using client = await this.connect(flags);
    if (flags.new) {
      const reply = await this.waitFor('Making backup codes', perform(client, accounts.replaceBackupCodes, {}));
      this.say('Keep these codes somewhere else than on this machine. They are not shown again.');
      await this.answer(reply, () => reply.backupCodes.join('\n'));
    } else if (flags.use) {
      await perform(client, accounts.countBackupCodes, {});
      const ask = { ask: ['new-password'], fresh: ['new-password'] };
      const input = await this.inputFor(accounts.recoverBackup, flags, ask);
      const reply = await this.waitFor('Using the code', perform(client, accounts.recoverBackup, input));
      await this.answer(reply, () => `The code is used. ${reply.codeCount} are left.`);
    } else {
      const reply = await perform(client, accounts.countBackupCodes, {});
      await this.answer(reply, () => `${reply.codeCount} unused backup codes.`);
    }
  }
}
